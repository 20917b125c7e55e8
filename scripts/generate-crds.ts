/**
 * Writes deploy/crds from the schemas in src/api, and the policy beside them.
 *
 *   npx tsx scripts/generate-crds.ts [--check]
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { podCliqueSetDefaultPolicy } from "../src/api/grove/default-policy.ts";
import { definitionYaml } from "../src/cli/crds.ts";
import { customDefinitions } from "../src/cli/definitions.ts";

const folder = join(import.meta.dirname, "../deploy/crds");
/** Apart from the definitions: API servers before 1.36 do not serve it, and would refuse the folder. */
const policyFile = join(import.meta.dirname, "../deploy/defaults.yaml");
const policy = podCliqueSetDefaultPolicy.map(definitionYaml).join("---\n");

/** The files as they should be, by name. */
export function definitionFiles(): Map<string, string> {
  const files = customDefinitions().map((definition) => {
    const [plural, ...group] = (definition.metadata.name ?? "").split(".");
    return [`${group.join(".")}_${plural}.yaml`, definitionYaml(definition)] as const;
  });
  return new Map(files);
}

/** Names of files that are missing, different or no longer made. */
export function staleFiles(): string[] {
  const wanted = definitionFiles();
  const present = readdirSync(folder);
  const differs = [...wanted].filter(
    ([name, text]) => !present.includes(name) || readFileSync(join(folder, name), "utf8") !== text,
  );
  const extra = present.filter((name) => !wanted.has(name));
  const stalePolicy = readFileSync(policyFile, "utf8") === policy ? [] : ["../defaults.yaml"];
  return [...differs.map(([name]) => name), ...extra, ...stalePolicy].toSorted();
}

function write(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of definitionFiles()) writeFileSync(join(folder, name), text);
  writeFileSync(policyFile, policy);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  if (!values.check) write();
  const stale = staleFiles();
  if (stale.length > 0) {
    console.error(`deploy/crds is not what src/api says: ${stale.join(", ")}`);
    console.error("run: npx tsx scripts/generate-crds.ts");
    process.exitCode = 1;
  }
}
