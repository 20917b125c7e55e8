/** Gives every schema a CEL type, and turns JSON of that schema into values of the type. */
import type { Environment } from "@marcbachmann/cel-js";
import { parse } from "@marcbachmann/cel-js";
import { listMapKey } from "../correlation.ts";
import { isDateTime, isGoDuration } from "../../../cel/formats.ts";
import type { JsonSchema } from "../json-schema.ts";
import { isMap, valueSchema } from "../json-schema.ts";
import { celEqual, recordIdentities } from "../../../cel/value-equality.ts";

/** Values of the types that `remember` was called for, by the JSON that they were made of. */
export type Converted = Map<unknown, unknown>;

export type Convert = (value: unknown, converted: Converted) => unknown;

export interface SchemaType {
  /** The type's name in the environment: `list<Object3>`. */
  readonly name: string;
  readonly convert: Convert;
}

/** How rules spell property names that are not CEL identifiers. */
const spelledOut: readonly (readonly [string, string])[] = [
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
];
const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return".split(
    " ",
  ),
);

const dynamic: SchemaType = { name: "dyn", convert: (value) => plainValue(value) };

/** Integers become BigInt, because CEL distinguishes int from double. */
function plainValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainValue(part)]));
}

/** The library does not export its class of durations. */
const toDuration = parse("duration(text)");

const scalars: Readonly<Record<string, SchemaType>> = {
  boolean: { name: "bool", convert: (value) => value },
  integer: { name: "int", convert: (value) => (typeof value === "number" ? BigInt(value) : value) },
  number: { name: "double", convert: (value) => value },
};

/** Holds the fields of one object of a schema. */
class SchemaObject {
  [field: string]: unknown;
}

/** The types of one schema tree; an environment can hold those of one tree only. */
export class SchemaTypes {
  readonly #environment: Environment;
  readonly #known = new Map<JsonSchema, SchemaType>();
  readonly #remembered = new Set<JsonSchema>();
  #count = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Its parts have rules of their own: what is made of the whole serves them, too. */
  remember(schema: JsonSchema): void {
    this.#remembered.add(schema);
  }

  #remembering(schema: JsonSchema, convert: Convert): Convert {
    return (value, converted) => {
      const result = convert(value, converted);
      const isPart = typeof value === "object" && this.#remembered.has(schema);
      if (isPart) converted.set(value, result);
      return result;
    };
  }

  of(schema: JsonSchema, isResource = false): SchemaType {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const type = this.#create(
      schema,
      isResource || schema["x-kubernetes-embedded-resource"] === true,
    );
    this.#known.set(schema, type);
    return type;
  }

  #create(schema: JsonSchema, isResource: boolean): SchemaType {
    if (schema["x-kubernetes-int-or-string"] === true) return dynamic;
    if (schema.type === "array") return this.#list(schema);
    if (schema.type === "object") return this.#object(schema, isResource);
    if (schema.type === "string") return this.#text(schema.format);
    return scalars[schema.type ?? ""] ?? dynamic;
  }

  #text(format: string | undefined): SchemaType {
    if (format === "date-time" || format === "date") {
      const convert: Convert = (value) =>
        typeof value === "string" && (format === "date" || isDateTime(value))
          ? new Date(value)
          : value;
      return { name: "google.protobuf.Timestamp", convert };
    }
    if (format === "duration") {
      const convert: Convert = (value) =>
        typeof value === "string" && isGoDuration(value)
          ? (toDuration({ text: value }) as unknown)
          : value;
      return { name: "google.protobuf.Duration", convert };
    }
    if (format !== "byte") return { name: "string", convert: (value) => value };
    const convert: Convert = (value) =>
      typeof value === "string" ? new Uint8Array(Buffer.from(value, "base64")) : value;
    return { name: "bytes", convert };
  }

  #list(schema: JsonSchema): SchemaType {
    const item = schema.items === undefined ? dynamic : this.of(schema.items);
    const identity = identityOf(schema);
    const convert: Convert = (value, converted) => {
      if (!Array.isArray(value)) return value;
      const items = value.map((part: unknown) => item.convert(part, converted));
      if (identity !== undefined) recordIdentities(items, value.map(identity));
      return items;
    };
    return { name: `list<${item.name}>`, convert: this.#remembering(schema, convert) };
  }

  #object(schema: JsonSchema, isResource: boolean): SchemaType {
    const rest = valueSchema(schema);
    if (rest !== undefined && schema.properties === undefined)
      return this.#map(schema, this.of(rest));
    const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
    if (isOpen && schema.properties === undefined && !isResource) return dynamic;
    return this.#message(schema, isResource);
  }

  #map(schema: JsonSchema, values: SchemaType): SchemaType {
    const convert: Convert = (value, converted) => {
      if (!isMap(value)) return value;
      const entries = Object.entries(value).map(([key, part]) => [
        key,
        values.convert(part, converted),
      ]);
      return Object.fromEntries(entries) as unknown;
    };
    return { name: `map<string, ${values.name}>`, convert: this.#remembering(schema, convert) };
  }

  #message(schema: JsonSchema, isResource: boolean): SchemaType {
    const name = `Object${this.#count++}`;
    const properties: Record<string, JsonSchema> = { ...schema.properties };
    if (isResource) Object.assign(properties, resourceProperties());
    const fields = Object.entries(properties).flatMap(([key, part]) => {
      const spelled = celName(key);
      return spelled === undefined ? [] : [{ key, spelled, type: this.of(part) }];
    });
    // Every type needs a class of its own, by which the library recognizes its values.
    const Message = class extends SchemaObject {};
    this.#environment
      .registerType(name, {
        ctor: Message,
        fields: Object.fromEntries(fields.map(({ spelled, type }) => [spelled, type.name])),
      })
      .registerOperator(`${name} == ${name}`, celEqual)
      .registerOperator(`list<${name}> == list<${name}>`, celEqual)
      .registerOperator(`${name} in list<${name}>`, (a: unknown, list: unknown[]) =>
        list.some((item) => celEqual(item, a)),
      );
    const byKey = new Map(fields.map((field) => [field.key, field]));
    const convert: Convert = (value, converted) => {
      if (!isMap(value)) return value;
      const message = new Message();
      for (const key of Object.keys(value)) {
        const field = byKey.get(key);
        const part = value[key];
        // A nullable field that is null counts as absent.
        if (field === undefined || part === undefined || part === null) continue;
        message[field.spelled] = field.type.convert(part, converted);
      }
      return message;
    };
    return { name, convert: this.#remembering(schema, convert) };
  }
}

/** Of an object's metadata, rules see the name only. */
function resourceProperties(): Record<string, JsonSchema> {
  const text: JsonSchema = { type: "string" };
  const metadata: JsonSchema = { type: "object", properties: { name: text, generateName: text } };
  return { apiVersion: text, kind: text, metadata };
}

/** The identity of an item in a list whose order does not matter; undefined if the order matters. */
function identityOf(schema: JsonSchema): ((item: unknown) => string) | undefined {
  const listType = schema["x-kubernetes-list-type"];
  if (listType === "map") return (item) => listMapKey(schema, item);
  return listType === "set" ? (item) => JSON.stringify(item) : undefined;
}

/** The name of a property in rules; undefined if rules cannot name it at all. */
function celName(property: string): string | undefined {
  if (reserved.has(property)) return `__${property}__`;
  let escaped = "";
  for (let index = 0; index < property.length;) {
    const special = spelledOut.find(([text]) => property.startsWith(text, index));
    escaped += special?.[1] ?? property.charAt(index);
    index += special?.[0].length ?? 1;
  }
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}
