/** Finds repeated items in lists that the schema declares to be sets or maps. */
import type { FieldError } from "../../api/field-error.ts";
import { duplicate } from "../../api/field-error.ts";
import { listMapKey } from "./correlation.ts";
import type { JsonSchema } from "./json-schema.ts";
import { childPath, isMap, own, propertySchema, valueSchema } from "./json-schema.ts";

export function validateUniqueness(value: unknown, schema: JsonSchema, path = ""): FieldError[] {
  if (!hasUniqueLists(schema)) return [];
  if (Array.isArray(value)) {
    const { items } = schema;
    const inner =
      items === undefined
        ? []
        : value.flatMap((item, index) => validateUniqueness(item, items, `${path}[${index}]`));
    return [...repeatedItems(value, schema, path), ...inner];
  }
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const known = propertySchema(schema, key);
    if (known === undefined) return [];
    const isListed = own(schema.properties, key) !== undefined;
    return validateUniqueness(part, known, isListed ? childPath(path, key) : `${path}[${key}]`);
  });
}

const answers = new WeakMap<JsonSchema, boolean>();

/** Memoized per schema, because most branches have none and every write asks. */
function hasUniqueLists(schema: JsonSchema): boolean {
  const known = answers.get(schema);
  if (known !== undefined) return known;
  const rest = valueSchema(schema);
  const listType = schema["x-kubernetes-list-type"];
  const answer =
    listType === "set" ||
    listType === "map" ||
    Object.values(schema.properties ?? {}).some(hasUniqueLists) ||
    (schema.items !== undefined && hasUniqueLists(schema.items)) ||
    (rest !== undefined && hasUniqueLists(rest));
  answers.set(schema, answer);
  return answer;
}

function repeatedItems(list: readonly unknown[], schema: JsonSchema, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== "set" && listType !== "map") return [];
  const seen = new Map<string, number>();
  const errors: FieldError[] = [];
  list.forEach((item, index) => {
    const identity = listType === "map" ? listMapKey(schema, item) : canonical(item);
    const count = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, count);
    // A value that occurs three times is reported once, at its second occurrence.
    if (count !== 2) return;
    errors.push(duplicate(`${path}[${index}]`, listType === "map" ? keysOf(item, schema) : item));
  });
  return errors;
}

function keysOf(item: unknown, schema: JsonSchema): Record<string, unknown> {
  const keys = (schema["x-kubernetes-list-map-keys"] ?? []).toSorted();
  if (!isMap(item)) return {};
  return Object.fromEntries(
    keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]),
  );
}

/** The same text for equal values whatever the order of their keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isMap(value)) return JSON.stringify(value);
  const entries = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${entries.join(",")}}`;
}
