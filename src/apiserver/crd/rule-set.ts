/** The `x-kubernetes-validations` of a schema tree, compiled once. */
import type { Environment } from "@marcbachmann/cel-js";
import { newEnvironment } from "../../cel/environment.ts";
import { RuleProblem } from "../../cel/rule-problem.ts";
import type { CompiledExpression } from "./cel/evaluate-rule.ts";
import { compileExpression } from "./cel/evaluate-rule.ts";
import type { Convert } from "./cel/schema-types.ts";
import { SchemaTypes } from "./cel/schema-types.ts";
import type { JsonSchema, ValidationRule } from "./json-schema.ts";
import { valueSchema } from "./json-schema.ts";

export interface CompiledRule {
  readonly source: ValidationRule;
  readonly rule: CompiledExpression;
  readonly message?: CompiledExpression;
}

/** The rules of one schema and of the schemas below; branches without rules are left out. */
export interface RuleNode {
  readonly schema: JsonSchema;
  readonly convert: Convert;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly values?: RuleNode;
  readonly items?: RuleNode;
  /** Values that satisfy these rules and those below, with what it cost to see that; absent where old values count. */
  readonly satisfied?: WeakMap<object, number>;
}

/** A rule that does not compile. `schemaPath` is relative to the root schema. */
export interface RuleDefect {
  readonly schemaPath: string;
  readonly field: "rule" | "messageExpression";
  readonly source: ValidationRule;
  readonly problem: string;
}

export interface RuleSet {
  /** Undefined where the schema has no rules. */
  readonly root?: RuleNode;
  readonly defects: readonly RuleDefect[];
}

/**
 * The latest few, by the text of their schemas. A schema is compiled when it is checked and again when it is served,
 * on every server of a process, and compiling takes a hundred times as long as printing it.
 */
const compiled = new Map<string, RuleSet>();
const compiledAtMost = 64;

export function compileRuleSet(schema: JsonSchema): RuleSet {
  if (!hasRules(schema)) return { defects: [] };
  const text = JSON.stringify(schema);
  const ruleSet = compiled.get(text) ?? compile(schema);
  compiled.delete(text);
  compiled.set(text, ruleSet);
  const [oldest = ""] = compiled.keys();
  if (compiled.size > compiledAtMost) compiled.delete(oldest);
  return ruleSet;
}

function compile(schema: JsonSchema): RuleSet {
  const environment = newEnvironment();
  const compiler: Compiler = { environment, types: new SchemaTypes(environment), defects: [] };
  // The environment takes no more types once the first rule has been compiled in it.
  declareTypes(schema, compiler.types, true);
  return { root: compileNode(schema, "", compiler, true), defects: compiler.defects };
}

interface Compiler {
  readonly environment: Environment;
  readonly types: SchemaTypes;
  readonly defects: RuleDefect[];
}

function hasRules(schema: JsonSchema): boolean {
  const rest = valueSchema(schema);
  return (
    (schema["x-kubernetes-validations"] ?? []).length > 0 ||
    Object.values(schema.properties ?? {}).some(hasRules) ||
    (schema.items !== undefined && hasRules(schema.items)) ||
    (rest !== undefined && hasRules(rest))
  );
}

function declareTypes(schema: JsonSchema, types: SchemaTypes, isRoot = false): void {
  types.of(schema, isRoot);
  const rest = valueSchema(schema);
  const parts = [...Object.values(schema.properties ?? {}), schema.items, rest];
  for (const part of parts) {
    if (part !== undefined) declareTypes(part, types);
  }
}

function compileNode(
  schema: JsonSchema,
  path: string,
  compiler: Compiler,
  isRoot = false,
): RuleNode | undefined {
  if (!hasRules(schema)) return undefined;
  const type = compiler.types.of(schema, isRoot);
  const rules = (schema["x-kubernetes-validations"] ?? []).flatMap((source, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const compiled = compileRule(source, at, type.name, compiler);
    return compiled === undefined ? [] : [compiled];
  });
  const properties = new Map<string, RuleNode>();
  for (const [key, part] of Object.entries(schema.properties ?? {})) {
    const node = compileNode(part, `${path}.properties[${key}]`, compiler);
    if (node !== undefined) properties.set(key, node);
  }
  const rest = valueSchema(schema);
  if (rules.length > 0) compiler.types.remember(schema);
  const values = rest && compileNode(rest, `${path}.additionalProperties`, compiler);
  const items = schema.items && compileNode(schema.items, `${path}.items`, compiler);
  const below = [...properties.values(), values, items].filter((node) => node !== undefined);
  const looksBack =
    rules.some(({ rule }) => rule.usesOldSelf) ||
    below.some((node) => node.satisfied === undefined);
  const satisfied = looksBack ? undefined : new WeakMap<object, number>();
  return { schema, convert: type.convert, rules, properties, values, items, satisfied };
}

function compileRule(
  source: ValidationRule,
  path: string,
  selfType: string,
  { environment, defects }: Compiler,
): CompiledRule | undefined {
  const scope = { environment, selfType, optionalOldSelf: source.optionalOldSelf === true };
  const attempt = (
    field: "rule" | "messageExpression",
    wanted: "bool" | "string",
  ): CompiledExpression | undefined => {
    try {
      return compileExpression(source[field] ?? "", scope, wanted);
    } catch (error) {
      if (!(error instanceof RuleProblem)) throw error;
      defects.push({ schemaPath: path, field, source, problem: error.message });
      return undefined;
    }
  };
  const rule = attempt("rule", "bool");
  const hasMessage = (source.messageExpression ?? "") !== "";
  const message = hasMessage ? attempt("messageExpression", "string") : undefined;
  return rule === undefined ? undefined : { source, rule, message };
}
