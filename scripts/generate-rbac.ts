/**
 * Writes the rules of the roles in deploy/operator.yaml from the kinds in src/controllers.
 *
 *   npx tsx scripts/generate-rbac.ts [--check]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Rule } from "../src/cli/roles.ts";
import { accessOf, leaseRules, rulesOf } from "../src/cli/roles.ts";
import { kinds } from "../src/controllers/kinds.ts";

const file = join(import.meta.dirname, "../deploy/operator.yaml");

/** The modes that the manifest runs. */
const modes = { statefulset: "assist" };

const roles: Readonly<Record<string, readonly Rule[]>> = {
  ClusterRole: rulesOf(accessOf(kinds, modes)),
  Role: leaseRules,
};

const ruleText = ({ group, resources, verbs, names, comments }: Rule): string =>
  [
    ...comments.map((comment) => `  # ${comment}`),
    `  - apiGroups: [${group === "" ? '""' : group}]`,
    `    resources: [${resources.join(", ")}]`,
    ...(names === undefined ? [] : [`    resourceNames: [${names.join(", ")}]`]),
    `    verbs: [${verbs.join(", ")}]`,
  ].join("\n");

/** The manifest with the rules of its roles as they should be. */
export function withRules(manifest: string): string {
  const documents = manifest.split("---\n").map((document) => {
    const [, kind = ""] = /^kind: (\w+)$/m.exec(document) ?? [];
    const rules = (roles[kind] ?? []).map(ruleText);
    return rules.length === 0
      ? document
      : document.replace(/(?<=^rules:\n)[^]*/m, () => `${notice}\n${rules.join("\n")}\n`);
  });
  return documents.join("---\n");
}

const notice = "  # Generated from what the kinds need: npx tsx scripts/generate-rbac.ts";

export const isStale = (manifest = readFileSync(file, "utf8")): boolean =>
  withRules(manifest) !== manifest;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  if (!values.check) writeFileSync(file, withRules(readFileSync(file, "utf8")));
  if (isStale()) {
    console.error(
      "the roles in deploy/operator.yaml are not what the kinds in src/controllers need",
    );
    console.error("run: npx tsx scripts/generate-rbac.ts");
    process.exitCode = 1;
  }
}
