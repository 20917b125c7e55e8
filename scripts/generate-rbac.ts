/**
 * Writes the rules of the roles in deploy/operator.yaml from the kinds in src/controllers.
 *
 *   npx tsx scripts/generate-rbac.ts [--check]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Access, Verb } from "../src/controllers/engine/kind-definition.ts";
import { kinds } from "../src/controllers/kinds.ts";
import { eventResource } from "../src/runtime/event-recorder.ts";

const file = join(import.meta.dirname, "../deploy/operator.yaml");

/** The operator's own, whatever kinds it runs. */
const eventAccess: Access = { resource: eventResource, verbs: ["create", "patch"] };
const leaseAccess: Access = {
  resource: { group: "coordination.k8s.io", plural: "leases" },
  verbs: ["get", "create", "update"],
};

const roles: Readonly<Record<string, readonly Access[]>> = {
  ClusterRole: [...kinds.flatMap(({ access }) => access), eventAccess],
  Role: [leaseAccess],
};

interface Rule {
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly Verb[];
  readonly comments: readonly string[];
}

const verbOrder: readonly Verb[] = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
];

const resourceText = ({ resource, subresource }: Access): string =>
  subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;

/** One rule per group and set of verbs, in an order that no edit of a kind disturbs. */
export function rulesOf(access: readonly Access[]): Rule[] {
  const resourceKey = (each: Access): string => `${each.resource.group}/${resourceText(each)}`;
  const byResource = grouped(
    access.toSorted((a, b) => resourceKey(a).localeCompare(resourceKey(b), "en")),
    resourceKey,
  );
  const alike = ({ group, verbs, comments }: Rule): string =>
    JSON.stringify([group, verbs, comments]);
  return grouped(byResource.map(ruleOf), alike).map((rules) => ({
    ...rules[0]!,
    resources: rules.flatMap(({ resources }) => resources),
  }));
}

function ruleOf(accessToOne: readonly Access[]): Rule {
  const [first] = accessToOne;
  const verbs = new Set(accessToOne.flatMap((each) => each.verbs));
  return {
    group: first!.resource.group,
    resources: [resourceText(first!)],
    verbs: verbOrder.filter((verb) => verbs.has(verb)),
    comments: [...new Set(accessToOne.flatMap(({ why }) => why ?? []))],
  };
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}

const ruleText = ({ group, resources, verbs, comments }: Rule): string =>
  [
    ...comments.map((comment) => `  # ${comment}`),
    `  - apiGroups: [${group === "" ? '""' : group}]`,
    `    resources: [${resources.join(", ")}]`,
    `    verbs: [${verbs.join(", ")}]`,
  ].join("\n");

/** The manifest with the rules of its roles as they should be. */
export function withRules(manifest: string): string {
  const documents = manifest.split("---\n").map((document) => {
    const [, kind = ""] = /^kind: (\w+)$/m.exec(document) ?? [];
    const rules = rulesOf(roles[kind] ?? []).map(ruleText);
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
