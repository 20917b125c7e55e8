/**
 * Writes the field tables of docs/api from the custom resource definitions: a page of all fields per kind in
 * docs/api/fields, and the tables between `<!-- fields KIND PATH -->` and `<!-- end of fields -->` in other pages.
 *
 *   npx tsx scripts/generate-api-docs.ts [--check]
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { CustomResourceDefinition } from "../src/api/definition/custom-kind.ts";
import { customDefinitions } from "../src/cli/definitions.ts";
import type { FieldRow } from "./api-docs/field-rows.ts";
import { fieldsOf } from "./api-docs/field-rows.ts";

const folder = join(import.meta.dirname, "../docs/api");
const block = /<!-- fields (\w+) (\S+) -->\n[\s\S]*?<!-- end of fields -->/g;

interface Names {
  readonly kind: string;
  readonly shortNames: readonly string[];
}

const namesOf = ({ spec }: CustomResourceDefinition): Names => spec["names"] as Names;

/** The pages as they should be, by path below docs/api. */
export function apiPages(): Map<string, string> {
  const definitions = customDefinitions();
  const pages = definitions.map((definition): [string, string] => [
    join("fields", `${namesOf(definition).kind.toLowerCase()}.md`),
    pageOf(definition),
  ]);
  const byHand = readdirSync(folder).filter((name) => name.endsWith(".md"));
  const filled = byHand.map((name): [string, string] => [
    name,
    readFileSync(join(folder, name), "utf8").replaceAll(block, (_all, kind: string, path: string) =>
      blockOf(definitions, kind, path),
    ),
  ]);
  return new Map([...pages, ...filled]);
}

/** Names of pages that are missing, different or no longer made. */
export function stalePages(): string[] {
  const wanted = apiPages();
  const differs = [...wanted]
    .filter(([name, text]) => !existsSync(join(folder, name)) || read(name) !== text)
    .map(([name]) => name);
  const present = existsSync(join(folder, "fields")) ? readdirSync(join(folder, "fields")) : [];
  const extra = present.map((name) => join("fields", name)).filter((name) => !wanted.has(name));
  return [...differs, ...extra].toSorted();
}

const read = (name: string): string => readFileSync(join(folder, name), "utf8");

function pageOf(definition: CustomResourceDefinition): string {
  const { kind, shortNames } = namesOf(definition);
  const [version] = definition.spec["versions"] as readonly {
    readonly name: string;
    readonly schema: { readonly openAPIV3Schema: { readonly description?: string } };
  }[];
  const rows = fieldsOf(definition, { withPodFields: false });
  const group = `${String(definition.spec["group"])}/${version?.name ?? ""}`;
  const short = shortNames.map((name) => `\`${name}\``).join(", ");
  return [
    `# Fields of ${kind}`,
    "",
    `\`${group}\`, short name ${short}. ${version?.schema.openAPIV3Schema.description ?? ""}`,
    "Generated from the schema by `npx tsx scripts/generate-api-docs.ts`; `kubectl explain` says the same.",
    ...section("Spec", rows, "spec"),
    ...section("Status", rows, "status"),
    "",
  ].join("\n");
}

function section(title: string, rows: readonly FieldRow[], path: string): string[] {
  const table = tableOf(rows, path);
  return table.length === 0 ? [] : ["", `## ${title}`, "", ...table];
}

function blockOf(
  definitions: readonly CustomResourceDefinition[],
  kind: string,
  path: string,
): string {
  const definition = definitions.find((each) => namesOf(each).kind === kind);
  if (definition === undefined) throw new Error(`docs/api: there is no kind ${kind}`);
  const table = tableOf(fieldsOf(definition, { withPodFields: false }), path);
  if (table.length === 0) throw new Error(`docs/api: ${kind} has no fields below ${path}`);
  return [`<!-- fields ${kind} ${path} -->`, "", ...table, "", "<!-- end of fields -->"].join("\n");
}

/** Fields below a path, named from there. */
function tableOf(rows: readonly FieldRow[], path: string): string[] {
  const inside = rows.filter(
    ({ path: at }) => at.startsWith(`${path}.`) || at.startsWith(`${path}[].`),
  );
  if (inside.length === 0) return [];
  const lines = inside.map(({ path: at, type, description, isRequired }) => {
    const name = at.slice(path.length).replace(/^(\[\])?\./, "");
    const cells = [`\`${name}\``, type, `${isRequired ? "Required. " : ""}${description}`];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return ["| field | type | meaning |", "|---|---|---|", ...lines];
}

function write(): void {
  rmSync(join(folder, "fields"), { recursive: true, force: true });
  mkdirSync(join(folder, "fields"), { recursive: true });
  for (const [name, text] of apiPages()) writeFileSync(join(folder, name), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  if (!values.check) write();
  const stale = stalePages();
  if (stale.length > 0) {
    console.error(`docs/api is not what src/api says: ${stale.join(", ")}`);
    console.error("run: npx tsx scripts/generate-api-docs.ts");
    process.exitCode = 1;
  }
}
