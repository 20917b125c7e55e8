/** How the fields of a type merge, read from the field table. */
import { parseType, withoutPointer } from "../schema/type-expression.ts";
import type { TypeExpression } from "../schema/type-expression.ts";
import { shortTypeName, typeRow } from "../schema/type-table.ts";

export interface ListMerge {
  /** Without merging, the patch's list replaces the object's. */
  readonly merges: boolean;
  /** The merge key of the elements; absent for lists of plain values. */
  readonly mergeKey?: string;
  /** The type of the elements, where they are objects. */
  readonly element?: () => StructMerge;
}

export interface FieldMerge {
  readonly list: ListMerge;
  /** The patch's object replaces the present one as a whole. */
  readonly replaces: boolean;
  /** The type of the field, where it is an object with known fields. */
  readonly struct?: () => StructMerge;
}

export interface StructMerge {
  readonly name: string;
  field(name: string): FieldMerge | undefined;
}

const unknownField: FieldMerge = { list: { merges: false }, replaces: false };

/** The merge rule of a field; fields of plain maps and unknown fields merge as in JSON merge patch. */
export function fieldMerge(type: StructMerge | undefined, name: string): FieldMerge {
  return type?.field(name) ?? unknownField;
}

const known = new Map<string, StructMerge>();

export function structMerge(typeName: string): StructMerge {
  const before = known.get(typeName);
  if (before !== undefined) return before;
  const fields = new Map<string, FieldMerge>();
  const struct: StructMerge = {
    name: shortTypeName(typeName),
    field: (name) => fields.get(name),
  };
  known.set(typeName, struct);
  for (const [name, row] of Object.entries(typeRow(typeName).fields)) {
    const strategies = (row.patch ?? "").split(",");
    const type = withoutPointer(parseType(row.type));
    fields.set(name, {
      replaces: strategies.includes("replace"),
      ...structOf(type, "struct"),
      list: {
        merges: strategies.includes("merge"),
        ...(row.mergeKey === undefined ? {} : { mergeKey: row.mergeKey }),
        ...(type.kind === "list" ? structOf(type.of, "element") : {}),
      },
    });
  }
  return struct;
}

function structOf<K extends "struct" | "element">(
  type: TypeExpression,
  as: K,
): Partial<Record<K, () => StructMerge>> {
  if (type.kind !== "struct") return {};
  return { [as]: () => structMerge(type.name) } as Partial<Record<K, () => StructMerge>>;
}
