/** Checks that the `x-kubernetes-validations` of a schema are well formed, compile, and may use old values. */
import type { FieldError } from "../../api/field-error.ts";
import { invalid, notSupported, required } from "../../api/field-error.ts";
import { childSchema } from "./field-path.ts";
import type { JsonSchema, ValidationRule } from "./json-schema.ts";
import { valueSchema } from "./json-schema.ts";
import type { RuleDefect } from "./rule-set.ts";
import { compileRuleSet } from "./rule-set.ts";

const reasons = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
];

export function validateRuleDefinitions(schema: JsonSchema, path: string): FieldError[] {
  const errors = validateNode(schema, { path });
  const { defects } = compileRuleSet(schema);
  // An empty rule has been reported already.
  const broken = defects.filter((defect) => defect.source.rule.trim() !== "");
  return [...errors, ...broken.map((defect) => defectError(defect, path))];
}

function defectError({ schemaPath, field, source, problem }: RuleDefect, path: string): FieldError {
  const at = `${path}${schemaPath}.${field}`;
  if (problem.startsWith("must evaluate")) {
    const subject = field === "rule" ? "cel expression" : field;
    return invalid(at, goRule(source), `${subject} ${problem}`);
  }
  return invalid(at, goRule(source), field === "rule" ? problem : `${field} ${problem}`);
}

/** A rule as Go prints its struct. */
function goRule(rule: ValidationRule): Record<string, unknown> {
  return {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

interface Place {
  readonly path: string;
  /** The list or map above whose parts have no identity over time. */
  readonly uncorrelatable?: string;
}

function validateNode(schema: JsonSchema, place: Place): FieldError[] {
  const { path } = place;
  const rest = valueSchema(schema);
  const isAtomicMap = schema["x-kubernetes-map-type"] === "atomic";
  const inMap: Place = isAtomicMap ? { path, uncorrelatable: path } : place;
  const inList: Place =
    schema["x-kubernetes-list-type"] === "map" ? place : { path, uncorrelatable: path };
  const own = (schema["x-kubernetes-validations"] ?? []).flatMap((rule, index) =>
    validateRule(rule, schema, { ...place, path: `${path}.x-kubernetes-validations[${index}]` }),
  );
  return [
    ...own,
    ...Object.entries(schema.properties ?? {}).flatMap(([key, part]) =>
      validateNode(part, { ...inMap, path: `${path}.properties[${key}]` }),
    ),
    ...(rest === undefined
      ? []
      : validateNode(rest, { ...inMap, path: `${path}.additionalProperties` })),
    ...(schema.items === undefined
      ? []
      : validateNode(schema.items, { ...inList, path: `${path}.items` })),
  ];
}

function validateRule(rule: ValidationRule, schema: JsonSchema, place: Place): FieldError[] {
  const { path, uncorrelatable } = place;
  const errors: FieldError[] = [];
  if (rule.rule.trim() === "") errors.push(required(`${path}.rule`, "rule is not specified"));
  errors.push(...validateMessage(rule, path));
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    errors.push(notSupported(`${path}.reason`, rule.reason, reasons));
  }
  const fieldPath = rule.fieldPath ?? "";
  if (fieldPath !== "" && childSchema(schema, fieldPath) === undefined) {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, "must be a valid path"));
  }
  const usesOldSelf = /\boldSelf\b/.test(rule.rule);
  if (rule.optionalOldSelf !== undefined && !usesOldSelf) {
    const problem = "may not be set if oldSelf is not used in rule";
    errors.push(invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, problem));
  }
  if (uncorrelatable !== undefined && usesOldSelf && rule.optionalOldSelf !== true) {
    const problem = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    errors.push(invalid(`${path}.rule`, rule.rule, problem));
  }
  return errors;
}

function validateMessage(rule: ValidationRule, path: string): FieldError[] {
  const { message = "" } = rule;
  const at = `${path}.message`;
  if (message !== "" && message.trim() === "") {
    return [invalid(at, message, "must be non-empty if specified")];
  }
  if (message.trim().includes("\n")) {
    return [invalid(at, message, "must not contain line breaks")];
  }
  const isUnexplained = message === "" && (rule.messageExpression ?? "") === "";
  if (!rule.rule.trim().includes("\n") || !isUnexplained) return [];
  return [required(at, "message must be specified if rule contains line breaks")];
}
