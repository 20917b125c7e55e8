/** Reads objects of built-in kinds from protobuf, as kubectl and Go clients send them, into the JSON they stand for. */
import { microTimeText, timeText } from "../../api/time-text.ts";
import type { JsonObject } from "../served-resource.ts";
import { setOwn } from "./own-property.ts";
import { bytesOf, fieldOf, integerOf, textOf, wireFields } from "./protobuf-reader.ts";
import type { WireField, WireValue } from "./protobuf-reader.ts";
import type { LeafType, TypeExpression } from "./type-expression.ts";
import { parseType, withoutPointer } from "./type-expression.ts";
import { typeNameOf, typeRow } from "./type-table.ts";

/** What every protobuf body of the API begins with. */
const magic = Buffer.from([0x6b, 0x38, 0x73, 0]);

/** Deep enough for every kind; schemas of custom resources contain themselves. */
const deepest = 200;

/**
 * The object in a body: an envelope with kind and version around the object's own bytes. Undefined for kinds that have
 * no protobuf form; throws where the bytes make no sense.
 */
export function readProtobuf(body: Uint8Array): JsonObject | undefined {
  if (!magic.equals(body.subarray(0, magic.length))) {
    throw new RangeError("provided data does not appear to be a protobuf message");
  }
  const envelope = wireFields(body.subarray(magic.length));
  const typeMeta = wireFields(bytesOf(fieldOf(envelope, 1)));
  const apiVersion = textOf(fieldOf(typeMeta, 1));
  const kind = textOf(fieldOf(typeMeta, 2));
  const [group = "", version = ""] = apiVersion.includes("/")
    ? apiVersion.split("/")
    : ["", apiVersion];
  // Every group has DeleteOptions, and they are the same.
  const type =
    kind === "DeleteOptions" ? { group: "", version: "v1", kind } : { group, version, kind };
  const name = typeNameOf(type);
  if (name === undefined) return undefined;
  return { apiVersion, kind, ...readStruct(name, bytesOf(fieldOf(envelope, 2)), 0) };
}

interface Field {
  readonly name: string;
  readonly type: TypeExpression;
}

/** A message's own fields and, by number, the embedded structs that are messages of their own on the wire. */
interface Layout {
  readonly fields: ReadonlyMap<number, Field>;
  readonly embedded: ReadonlyMap<number, Layout>;
}

const layouts = new Map<string, Layout>();

function layoutOf(typeName: string): Layout {
  const known = layouts.get(typeName);
  if (known !== undefined) return known;
  const rows = Object.entries(typeRow(typeName).fields).flatMap(([name, row]) =>
    row.proto === undefined || row.in === "TypeMeta"
      ? []
      : [
          {
            name,
            type: withoutPointer(parseType(row.type)),
            path: row.proto.split(".").map(Number),
          },
        ],
  );
  const layout = layoutAt(rows);
  layouts.set(typeName, layout);
  return layout;
}

function layoutAt(rows: readonly (Field & { readonly path: readonly number[] })[]): Layout {
  const own = rows.filter(({ path }) => path.length === 1);
  const inner = rows.filter(({ path }) => path.length > 1);
  const numbers = new Set(inner.map(({ path }) => path[0] ?? 0));
  const below = (number: number): Layout =>
    layoutAt(
      inner
        .filter(({ path }) => path[0] === number)
        .map((row) => ({ ...row, path: row.path.slice(1) })),
    );
  return {
    fields: new Map(own.map((row) => [row.path[0] ?? 0, row])),
    embedded: new Map([...numbers].map((number) => [number, below(number)])),
  };
}

const readStruct = (typeName: string, bytes: Uint8Array, depth: number): JsonObject => {
  const object: JsonObject = {};
  readInto(object, layoutOf(typeName), { bytes, depth });
  return object;
};

interface Message {
  readonly bytes: Uint8Array;
  readonly depth: number;
}

function readInto(object: JsonObject, layout: Layout, { bytes, depth }: Message): void {
  if (depth > deepest) throw new RangeError(`proto: nested deeper than ${deepest} levels`);
  for (const { number, value } of wireFields(bytes)) {
    const embedded = layout.embedded.get(number);
    if (embedded !== undefined) readInto(object, embedded, { bytes: bytesOf(value), depth });
    const field = layout.fields.get(number);
    if (field !== undefined) addValue(object, field, { value, depth: depth + 1 });
  }
}

interface Sent {
  readonly value: WireValue;
  readonly depth: number;
}

/** Lists and maps come one element at a time. */
function addValue(object: JsonObject, { name, type }: Field, { value, depth }: Sent): void {
  if (type.kind === "list") {
    const list = (object[name] ??= []) as unknown[];
    list.push(read(type.of, value, depth));
  } else if (type.kind === "map") {
    const map = (object[name] ??= {}) as JsonObject;
    const entry = wireFields(bytesOf(value));
    setOwn(map, textOf(fieldOf(entry, 1)), read(type.of, fieldOf(entry, 2) ?? empty, depth));
  } else {
    const found = read(type, value, depth);
    if (found !== undefined) object[name] = found;
  }
}

const empty = new Uint8Array();

function read(type: TypeExpression, value: WireValue, depth: number): unknown {
  switch (type.kind) {
    case "pointer":
      return read(type.of, value, depth);
    case "struct":
      return readStruct(type.name, bytesOf(value), depth);
    case "leaf":
      return readLeaf(type.leaf, value, depth);
    case "list":
      // A list inside a map or a list is a message whose first field repeats.
      return wireFields(bytesOf(value)).map((item) => read(type.of, item.value, depth));
    case "map":
      throw new RangeError("proto: no built-in type has maps of maps");
  }
}

const schemaType = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

const isPlain = (leaf: LeafType): leaf is PlainLeaf =>
  ["string", "bool", "int32", "int64", "float64", "bytes"].includes(leaf);

const readLeaf = (leaf: LeafType, value: WireValue, depth: number): unknown =>
  isPlain(leaf)
    ? readPlainLeaf(leaf, value)
    : messageLeaves[leaf](wireFields(bytesOf(value)), depth);

type PlainLeaf = "string" | "bool" | "int32" | "int64" | "float64" | "bytes";

function readPlainLeaf(leaf: PlainLeaf, value: WireValue): unknown {
  switch (leaf) {
    case "string":
      return textOf(value);
    case "bool":
      return value === 1n;
    case "int32":
    case "int64":
      return integerOf(value);
    case "float64":
      return Buffer.from(bytesOf(value)).readDoubleLE();
    case "bytes":
      return Buffer.from(bytesOf(value)).toString("base64");
  }
}

type MessageLeaf = Exclude<LeafType, PlainLeaf>;

type ReadMessage = (fields: readonly WireField[], depth: number) => unknown;

const rawJson: ReadMessage = (fields) => {
  const text = fieldOf(fields, 1);
  return text === undefined ? undefined : (JSON.parse(textOf(text)) as unknown);
};

const schemaIn = ({ value }: Pick<WireField, "value">, depth: number): JsonObject =>
  readStruct(schemaType, bytesOf(value), depth);

/** Types that are text or a number in JSON and a message in protobuf. */
const messageLeaves: Readonly<Record<MessageLeaf, ReadMessage>> = {
  quantity: (fields) => textOf(fieldOf(fields, 1)),
  intOrString: (fields) =>
    integerOf(fieldOf(fields, 1)) === 0
      ? integerOf(fieldOf(fields, 2))
      : textOf(fieldOf(fields, 3)),
  // A time that was never set is an empty message.
  time: (fields) => (fields.length === 0 ? undefined : timeText(instantMs(fields))),
  microTime: (fields) => (fields.length === 0 ? undefined : microTimeText(instantMs(fields))),
  duration: (fields) => `${integerOf(fieldOf(fields, 1)) / 1e9}s`,
  raw: rawJson,
  json: rawJson,
  schemaOrArray: (fields, depth) =>
    fields.some(({ number }) => number === 2)
      ? fields.map((field) => schemaIn(field, depth))
      : schemaIn({ value: fieldOf(fields, 1) ?? empty }, depth),
  schemaOrBool: (fields, depth) => {
    const value = fieldOf(fields, 2);
    return value === undefined ? fieldOf(fields, 1) === 1n : schemaIn({ value }, depth);
  },
  schemaOrStringArray: (fields, depth) => {
    const value = fieldOf(fields, 1);
    return value === undefined
      ? fields.map((field) => textOf(field.value))
      : schemaIn({ value }, depth);
  },
};

const instantMs = (fields: readonly WireField[]): number =>
  integerOf(fieldOf(fields, 1)) * 1000 + integerOf(fieldOf(fields, 2)) / 1e6;
