/** Fills in schema defaults, and drops nulls where the schema allows none. */
import { tooLargeToStore } from "../errors.ts";
import { mostStoredBytes } from "../rest/stored-size.ts";
import type { JsonMap, JsonSchema } from "./json-schema.ts";
import { isMap, own, setKey, valueSchema } from "./json-schema.ts";

/** Applies the schema's defaults to a value in place. Fields that are the very same in `known` have theirs. */
export type Defaulter = (value: unknown, known?: JsonMap) => void;

interface Filling {
  /**
   * How many characters of defaults may still be filled in. They multiply: each of many small items may get a
   * large one, and an object that is too large to be stored is not made at all.
   */
  left: number;
}

type Fill = (value: unknown, filling: Filling, known?: JsonMap) => void;

interface Part {
  readonly schema: JsonSchema;
  readonly fill: Fill;
  /** The length of its default. */
  readonly characters: number;
}

/** Compiled once per schema, so that requests visit only parts that can change. */
export function compileDefaults(schema: JsonSchema): Defaulter {
  const fill = compileFill(schema);
  return (value, known) => fill(value, { left: mostStoredBytes }, known);
}

function compileFill(schema: JsonSchema): Fill {
  const properties = new Map(
    Object.entries(schema.properties ?? {}).map(([key, part]) => [key, compilePart(part)]),
  );
  const withDefault = [...properties].filter(([, part]) => part.schema.default !== undefined);
  const rest = valueSchema(schema);
  const restPart = rest === undefined ? undefined : compilePart(rest);
  const itemPart = schema.items === undefined ? undefined : compilePart(schema.items);
  return (value, filling, known) => {
    if (Array.isArray(value)) {
      if (itemPart !== undefined) fillItems(value, itemPart, filling);
      return;
    }
    if (!isMap(value)) return;
    for (const [key, part] of withDefault) {
      if (!Object.hasOwn(value, key)) setKey(value, key, defaultOf(part, filling));
    }
    for (const key of Object.keys(value)) {
      if (known !== undefined && value[key] === own(known, key)) continue;
      const part = properties.get(key) ?? restPart;
      if (part !== undefined) fillProperty(value, key, part, filling);
    }
  };
}

function compilePart(schema: JsonSchema): Part {
  const isLeaf =
    schema.properties === undefined &&
    schema.items === undefined &&
    valueSchema(schema) === undefined;
  const characters = schema.default === undefined ? 0 : JSON.stringify(schema.default).length;
  return { schema, characters, fill: isLeaf ? () => {} : compileFill(schema) };
}

function defaultOf({ schema, characters }: Part, filling: Filling): unknown {
  filling.left -= characters;
  if (filling.left < 0) throw tooLargeToStore();
  return structuredClone(schema.default);
}

function fillItems(list: unknown[], part: Part, filling: Filling): void {
  const { schema, fill } = part;
  for (let index = 0; index < list.length; index++) {
    if (isForbiddenNull(list[index], schema) && schema.default !== undefined) {
      list[index] = defaultOf(part, filling);
    }
    fill(list[index], filling);
  }
}

function fillProperty(map: JsonMap, key: string, part: Part, filling: Filling): void {
  const { schema, fill } = part;
  if (isForbiddenNull(map[key], schema)) {
    if (schema.default === undefined) {
      delete map[key];
      return;
    }
    setKey(map, key, defaultOf(part, filling));
  }
  fill(map[key], filling);
}

const isForbiddenNull = (value: unknown, schema: JsonSchema): boolean =>
  value === null && schema.nullable !== true;
