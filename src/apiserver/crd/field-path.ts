/** Follows the simple field paths of rules and selectable fields through a schema. */
import type { JsonSchema } from "./json-schema.ts";
import { propertySchema } from "./json-schema.ts";
import { JsonPathProblem, parseJsonPath } from "./json-path.ts";

/** The schema a path such as `.spec.names['a.b']` leads to; undefined where it leads nowhere. */
export function childSchema(schema: JsonSchema, path: string): JsonSchema | undefined {
  let current: JsonSchema | undefined = schema;
  for (const step of steps(path) ?? [{ kind: "descend" as const }]) {
    if (step.kind !== "field" || current === undefined) return undefined;
    current = propertySchema(current, step.name);
  }
  return current;
}

function steps(path: string) {
  try {
    return parseJsonPath(path);
  } catch (error) {
    if (error instanceof JsonPathProblem) return undefined;
    throw error;
  }
}
