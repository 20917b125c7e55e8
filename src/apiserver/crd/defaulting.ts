/** Fills in schema defaults, and drops nulls where the schema allows none. */
import type { JsonMap, JsonSchema } from "./json-schema.ts";
import { isMap, own, setKey, valueSchema } from "./json-schema.ts";

/** Applies the schema's defaults to a value in place. */
export type Defaulter = (value: unknown) => void;

interface Part {
  readonly schema: JsonSchema;
  readonly fill: Defaulter;
}

/** Compiled once per schema, so that requests visit only parts that can change. */
export function compileDefaults(schema: JsonSchema): Defaulter {
  const properties = Object.entries(schema.properties ?? {}).map(
    ([key, property]) => [key, compilePart(property)] as const,
  );
  const rest = valueSchema(schema);
  const restPart = rest === undefined ? undefined : compilePart(rest);
  const itemPart = schema.items === undefined ? undefined : compilePart(schema.items);
  return (value) => {
    if (Array.isArray(value)) {
      if (itemPart !== undefined) fillItems(value, itemPart);
      return;
    }
    if (!isMap(value)) return;
    for (const [key, part] of properties) fillProperty(value, key, part);
    if (restPart === undefined) return;
    for (const key of Object.keys(value)) {
      if (own(schema.properties, key) === undefined) fillMapValue(value, key, restPart);
    }
  };
}

function compilePart(schema: JsonSchema): Part {
  const isLeaf =
    schema.properties === undefined &&
    schema.items === undefined &&
    valueSchema(schema) === undefined;
  return { schema, fill: isLeaf ? () => {} : compileDefaults(schema) };
}

function fillItems(list: unknown[], { schema, fill }: Part): void {
  for (let index = 0; index < list.length; index++) {
    if (isForbiddenNull(list[index], schema) && schema.default !== undefined) {
      list[index] = structuredClone(schema.default);
    }
    fill(list[index]);
  }
}

function fillProperty(map: JsonMap, key: string, { schema, fill }: Part): void {
  const isThere = Object.hasOwn(map, key);
  if (!isThere || isForbiddenNull(map[key], schema)) {
    if (schema.default !== undefined) setKey(map, key, structuredClone(schema.default));
    else if (isThere) delete map[key];
    else return;
  }
  fill(map[key]);
}

function fillMapValue(map: JsonMap, key: string, { schema, fill }: Part): void {
  if (isForbiddenNull(map[key], schema)) {
    if (schema.default === undefined) {
      delete map[key];
      return;
    }
    setKey(map, key, structuredClone(schema.default));
  }
  fill(map[key]);
}

const isForbiddenNull = (value: unknown, schema: JsonSchema): boolean =>
  value === null && schema.nullable !== true;
