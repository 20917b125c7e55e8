/**
 * Writes deploy/crds from the schemas in src/api.
 *
 *   npx tsx scripts/generate-crds.ts [--check]
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { definitionYaml } from "../src/cli/crds.ts";
import { customDefinitions } from "../src/cli/definitions.ts";

const folder = join(import.meta.dirname, "../deploy/crds");

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
  return [...differs.map(([name]) => name), ...extra].toSorted();
}

function write(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of definitionFiles()) writeFileSync(join(folder, name), text);
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
