/** Reads the table's type notation into a tree. */
import { goTypeName, isTypeName } from "./type-table.ts";

export const leafTypes = [
  "string",
  "bool",
  "int32",
  "int64",
  "float64",
  "bytes",
  "quantity",
  "intOrString",
  "time",
  "microTime",
  "duration",
  "raw",
  "json",
  "schemaOrArray",
  "schemaOrBool",
  "schemaOrStringArray",
] as const;

export type LeafType = (typeof leafTypes)[number];

/** `goName` is what Go's decoding errors call the type. */
export type TypeExpression =
  | { readonly kind: "pointer"; readonly of: TypeExpression; readonly goName: string }
  | { readonly kind: "list"; readonly of: TypeExpression; readonly goName: string }
  | { readonly kind: "map"; readonly of: TypeExpression; readonly goName: string }
  | { readonly kind: "struct"; readonly name: string; readonly goName: string }
  | { readonly kind: "leaf"; readonly leaf: LeafType; readonly goName: string };

const isLeaf = (text: string): text is LeafType => (leafTypes as readonly string[]).includes(text);

const goLeafNames: Partial<Record<LeafType, string>> = {
  bytes: "[]uint8",
  intOrString: "int32",
  time: "string",
  microTime: "string",
  duration: "string",
};

export function parseType(text: string): TypeExpression {
  if (text.startsWith("<")) {
    const end = text.indexOf(">");
    return { ...parseType(text.slice(end + 1)), goName: text.slice(1, end) };
  }
  if (text.startsWith("*")) {
    const of = parseType(text.slice(1));
    return { kind: "pointer", of, goName: of.goName };
  }
  if (text.startsWith("[]")) {
    const of = parseType(text.slice(2));
    return { kind: "list", of, goName: `[]${of.goName}` };
  }
  if (text.startsWith("{}")) {
    const of = parseType(text.slice(2));
    return { kind: "map", of, goName: `map[string]${of.goName}` };
  }
  if (isLeaf(text)) return { kind: "leaf", leaf: text, goName: goLeafNames[text] ?? text };
  if (isTypeName(text)) return { kind: "struct", name: text, goName: goTypeName(text) };
  throw new Error(`${text} is neither a leaf nor a type of the table`);
}

/** The type behind a pointer. */
export function withoutPointer(type: TypeExpression): TypeExpression {
  return type.kind === "pointer" ? type.of : type;
}
