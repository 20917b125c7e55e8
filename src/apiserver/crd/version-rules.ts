/** The rules of a definition's versions: schemas, subresources, columns, deprecation. */
import { isSameJson } from "../../api/same-json.ts";
import { dns1035LabelProblems } from "../../api/dns-name.ts";
import type { FieldError } from "../../api/field-error.ts";
import { invalid, required } from "../../api/field-error.ts";
import { validateDefaults } from "./default-rules.ts";
import type { DefinitionSpec, DefinitionVersion, PrinterColumn } from "./definition.ts";
import { childSchema } from "./field-path.ts";
import { JsonPathProblem, parseJsonPath } from "./json-path.ts";
import type { JsonSchema } from "./json-schema.ts";
import { validateRuleDefinitions } from "./rule-definition-rules.ts";
import { validateStructure } from "./structural-schema.ts";

type Part = "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";

export function validateVersions(spec: DefinitionSpec): FieldError[] {
  const { versions } = spec;
  return [
    ...versions.flatMap((version, index) => validateVersion(version, index)),
    ...partsOf(versions, "schema").flatMap(({ version, path }) => {
      const schema = version.schema?.openAPIV3Schema;
      const at = path === "spec" ? "spec.validation" : `${path}.schema`;
      return schema === undefined ? [] : validateSchema(schema, `${at}.openAPIV3Schema`);
    }),
    ...partsOf(versions, "subresources").flatMap(({ version, path }) =>
      validateScale(version, path),
    ),
    ...partsOf(versions, "additionalPrinterColumns").flatMap(({ version, path }) =>
      (version.additionalPrinterColumns ?? []).flatMap((column, index) =>
        validateColumn(column, `${path}.additionalPrinterColumns[${index}]`),
      ),
    ),
    ...partsOf(versions, "selectableFields").flatMap(({ version, path }) =>
      validateSelectable(version, path),
    ),
  ];
}

/**
 * The server's internal form keeps what all versions share once at the top, and errors are reported
 * there: `spec.validation...` instead of `spec.versions[0].schema...`.
 */
function partsOf(versions: readonly DefinitionVersion[], part: Part) {
  const [first] = versions;
  if (first !== undefined && versions.every((version) => isSameJson(version[part], first[part]))) {
    return [{ version: first, path: "spec" }];
  }
  return versions.map((version, index) => ({ version, path: `spec.versions[${index}]` }));
}

const longestWarning = 256;

function validateVersion(version: DefinitionVersion, index: number): FieldError[] {
  const path = `spec.versions[${index}]`;
  const errors: FieldError[] = [];
  const problems = dns1035LabelProblems(version.name).join(",");
  if (problems !== "") {
    errors.push(invalid(`${path}.name`, version.name, problems));
    if (index === 0) errors.push(invalid("spec.version", version.name, problems));
  }
  if (version.schema?.openAPIV3Schema === undefined) {
    errors.push(required(`${path}.schema.openAPIV3Schema`));
  }
  const { deprecationWarning: warning } = version;
  if (warning === undefined) return errors;
  const at = `${path}.deprecationWarning`;
  if (version.deprecated !== true) {
    errors.push(invalid(at, warning, "can only be set for deprecated versions"));
  } else if (warning.length > longestWarning) {
    errors.push(invalid(at, warning, `must be <= ${longestWarning} characters long`));
  } else if (warning.trim() === "") {
    errors.push(invalid(at, warning, "must not be an empty string"));
  }
  return errors;
}

function validateSchema(schema: JsonSchema, path: string): FieldError[] {
  const structure = validateStructure(schema, path);
  // Defaults and rules can be checked only against a valid schema.
  if (structure.length > 0) return structure;
  return [...validateDefaults(schema, path), ...validateRuleDefinitions(schema, path)];
}

function validateScale({ subresources }: DefinitionVersion, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const at = `${path}.subresources.scale`;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = scale;
  return [
    ...scalePath(`${at}.specReplicasPath`, specReplicasPath, ["spec"]),
    ...scalePath(`${at}.statusReplicasPath`, statusReplicasPath, ["status"]),
    ...(labelSelectorPath === ""
      ? []
      : scalePath(`${at}.labelSelectorPath`, labelSelectorPath, ["spec", "status"])),
  ];
}

function scalePath(field: string, path: string, roots: readonly string[]): FieldError[] {
  if (path === "") return [required(field)];
  if (!isPath(path)) return [invalid(field, path, "should be a valid json path")];
  if (roots.some((root) => path.startsWith(`.${root}.`))) return [];
  const under = roots.map((root) => `.${root}`).join(" or ");
  const either = roots.length > 1 ? "either " : "";
  return [invalid(field, path, `should be a json path under ${either}${under}`)];
}

function isPath(path: string): boolean {
  if (!path.startsWith(".")) return false;
  try {
    return parseJsonPath(path).length > 0;
  } catch (error) {
    if (error instanceof JsonPathProblem) return false;
    throw error;
  }
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];

function validateColumn(column: PrinterColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name, type, format = "", jsonPath } = column;
  if (name === "") errors.push(required(`${path}.name`));
  if (type === "") errors.push(required(`${path}.type`));
  else if (!columnTypes.includes(type)) {
    errors.push(invalid(`${path}.type`, type, `must be one of ${columnTypes.join(",")}`));
  }
  if (format !== "" && !columnFormats.includes(format)) {
    errors.push(invalid(`${path}.format`, format, `must be one of ${columnFormats.join(",")}`));
  }
  if (jsonPath === "") errors.push(required(`${path}.JSONPath`));
  else if (!isPath(jsonPath)) {
    const problem = "must be a simple json path starting with .";
    errors.push(invalid(`${path}.JSONPath`, jsonPath, problem));
  }
  return errors;
}

const mostSelectable = 8;

function validateSelectable(version: DefinitionVersion, path: string): FieldError[] {
  const fields = version.selectableFields ?? [];
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) return [];
  const errors = fields.flatMap(({ jsonPath }, index) => {
    const at = `${path}.selectableFields[${index}].jsonPath`;
    const target = childSchema(schema, jsonPath);
    if (target === undefined) {
      const problem = "is an invalid path: does not refer to a valid field";
      return [invalid(at, jsonPath, problem)];
    }
    if (["boolean", "integer", "string"].includes(target.type ?? "")) return [];
    const problem =
      "must point to a field of type string, boolean or integer. " +
      "Enum string fields and strings with formats are allowed";
    return [invalid(at, jsonPath, problem)];
  });
  if (fields.length <= mostSelectable) return errors;
  const count = fields.length;
  const detail = `must have at most ${mostSelectable} items`;
  return [...errors, { type: "TooMany", field: `${path}.selectableFields`, value: count, detail }];
}
