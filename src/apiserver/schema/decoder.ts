/**
 * Turns JSON into values of the table's types as Go would: clean copies without unknown fields, empty
 * values left out where Go leaves them out. Every type is compiled once.
 */
import type { DecodeCursor, FieldPlace } from "./decode-cursor.ts";
import { leafDecoders } from "./decode-leaf.ts";
import type { SchemaLeaf } from "./decode-leaf.ts";
import { isRecord, setOwn } from "./own-property.ts";
import { parseType } from "./type-expression.ts";
import type { TypeExpression } from "./type-expression.ts";
import { shortTypeName, typeRow } from "./type-table.ts";
import type { FieldRow } from "./type-table.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface Decoder {
  /**
   * `value` is never null. The answer shares nothing with it but what a struct has in common with `known`, which this
   * decoder made before: fields that are the very same there are kept as they are.
   */
  decode(value: unknown, at: DecodeCursor, known?: Fields): unknown;
  /** The value of something that was not sent; undefined where nothing is written for it. */
  zero(): unknown;
}

interface Field extends FieldPlace {
  readonly decoder: Decoder;
  readonly leavesOut: (value: unknown) => boolean;
}

const structs = new Map<string, Decoder>();

/** The decoder of a type of the table. */
export function structDecoder(name: string): Decoder {
  const known = structs.get(name);
  if (known !== undefined) return known;
  // Types may contain themselves, so the fields are compiled when they are first needed.
  let compiled: CompiledStruct | undefined;
  const decoder: Decoder = {
    decode: (value, at, known) =>
      decodeStruct((compiled ??= compileStruct(name)), value, at, known),
    zero: () => withMissing((compiled ??= compileStruct(name)), {}),
  };
  structs.set(name, decoder);
  return decoder;
}

interface CompiledStruct {
  readonly goName: string;
  readonly fields: ReadonlyMap<string, Field>;
  /** Fields that are always present, such as `status: {}`. */
  readonly always: readonly Field[];
}

function compileStruct(name: string): CompiledStruct {
  const owner = shortTypeName(name);
  const fields = new Map<string, Field>();
  const always: Field[] = [];
  for (const [fieldName, row] of Object.entries(typeRow(name).fields)) {
    const type = parseType(row.type);
    const field: Field = {
      name: fieldName,
      owner,
      decoder: compile(type),
      leavesOut: leftOut(type, row),
      ...(row.in === undefined ? {} : { embedded: row.in }),
    };
    fields.set(fieldName, field);
    if (isAlwaysThere(type, row)) always.push(field);
  }
  return { goName: parseType(name).goName, fields, always };
}

/** Structs have no empty value in Go, so they are written even where a field may be left out. */
function isAlwaysThere(type: TypeExpression, row: FieldRow): boolean {
  if (row.omitZero) return false;
  if (type.kind === "struct") return true;
  if (type.kind !== "leaf") return false;
  // A time that is no pointer has no empty value either: Go writes null.
  if (type.leaf === "time" || type.leaf === "microTime") return true;
  return type.leaf === "quantity" || (row.keep === true && leafZero(type) !== undefined);
}

const leafZero = (type: TypeExpression): unknown =>
  type.kind === "leaf" && !isSchemaLeaf(type.leaf) ? leafDecoders[type.leaf].zero : undefined;

function leftOut(type: TypeExpression, row: FieldRow): (value: unknown) => boolean {
  if (type.kind === "list") return (value) => (value as readonly unknown[]).length === 0;
  if (type.kind === "map") return (value) => Object.keys(value as object).length === 0;
  if (row.keep || type.kind !== "leaf" || type.leaf === "quantity") return never;
  const zero = leafZero(type);
  return zero === undefined ? never : (value) => value === zero;
}

const never = (): boolean => false;

function decodeStruct(
  type: CompiledStruct,
  value: unknown,
  at: DecodeCursor,
  known?: Fields,
): unknown {
  if (!isRecord(value)) throw at.mismatch(value, type.goName, "struct");
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const field = type.fields.get(key);
    if (field === undefined) {
      at.unknownField(key);
      continue;
    }
    const sent = value[key];
    if (sent === null || sent === undefined) continue;
    const before = known?.[key];
    if (before !== undefined && sent === before && key !== metadataField) {
      result[key] = sent;
      continue;
    }
    at.segments.push(field);
    const decoded = field.decoder.decode(sent, at, metadataIn(key, before));
    at.segments.pop();
    if (!field.leavesOut(decoded)) result[key] = decoded;
  }
  return withMissing(type, result);
}

/** Metadata itself is always another one: what the server sets in it is set in place. */
const metadataField = "metadata";

const metadataIn = (key: string, before: unknown): Fields | undefined =>
  key === metadataField && isRecord(before) ? before : undefined;

function withMissing(type: CompiledStruct, result: Record<string, unknown>): unknown {
  for (const field of type.always) {
    if (result[field.name] === undefined) result[field.name] = field.decoder.zero();
  }
  return result;
}

function compile(type: TypeExpression): Decoder {
  switch (type.kind) {
    case "pointer": {
      const target = compile(type.of);
      return { decode: (value, at) => target.decode(value, at), zero: () => undefined };
    }
    case "struct":
      return structDecoder(type.name);
    case "list":
      return listDecoder(type.goName, compile(type.of));
    case "map":
      return mapDecoder(type.goName, compile(type.of));
    case "leaf": {
      if (isSchemaLeaf(type.leaf)) return schemaLeaf(type.leaf);
      const leaf = leafDecoders[type.leaf];
      return {
        decode: (value, at) => leaf.decode(value, at, type.goName),
        zero: () => leaf.zero,
      };
    }
  }
}

function listDecoder(goName: string, element: Decoder): Decoder {
  return {
    zero: () => undefined,
    decode(value, at) {
      if (!Array.isArray(value)) throw at.mismatch(value, goName, "slice");
      const result: unknown[] = [];
      for (let index = 0; index < value.length; index += 1) {
        const sent: unknown = value[index];
        at.segments.push(index);
        result.push(sent === null ? (element.zero() ?? null) : element.decode(sent, at));
        at.segments.pop();
      }
      return result;
    },
  };
}

function mapDecoder(goName: string, element: Decoder): Decoder {
  return {
    zero: () => undefined,
    decode(value, at) {
      if (!isRecord(value)) throw at.mismatch(value, goName, "map");
      const result: Record<string, unknown> = {};
      for (const key of Object.keys(value)) {
        const sent = value[key];
        at.segments.push(key);
        const decoded = sent === null ? (element.zero() ?? null) : element.decode(sent, at);
        at.segments.pop();
        setOwn(result, key, decoded);
      }
      return result;
    },
  };
}

const isSchemaLeaf = (leaf: string): leaf is SchemaLeaf => leaf.startsWith("schemaOr");

const schemaType = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/** `items`, `additionalProperties` and `dependencies`: a schema, or what the name says instead. */
function schemaLeaf(leaf: SchemaLeaf): Decoder {
  const schema = structDecoder(schemaType);
  const list = listDecoder("[]v1.JSONSchemaProps", schema);
  return {
    zero: () => undefined,
    decode(value, at) {
      if (leaf === "schemaOrBool" && typeof value === "boolean") return value;
      if (leaf === "schemaOrStringArray" && Array.isArray(value)) return [...value];
      // Go decodes these separately, so unknown fields in them are silently dropped.
      const heard = at.problems.length;
      const decoded = Array.isArray(value) ? list.decode(value, at) : schema.decode(value, at);
      at.problems.length = heard;
      return decoded;
    },
  };
}
