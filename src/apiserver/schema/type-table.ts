/** The field table of the built-in kinds: what each type's fields are, how they merge and when they are left out. */
import data from "./builtin-types.generated.json" with { type: "json" };

/** One field as the generator wrote it; absent properties mean the usual. */
export interface FieldRow {
  /** `*T` pointer, `[]T` list, `{}T` map, `<v1.Name>T` a named type, else a leaf or a type of this table. */
  readonly type: string;
  readonly required?: boolean;
  /** Written even when empty; other fields are left out then. */
  readonly keep?: boolean;
  readonly omitZero?: boolean;
  /** Go names of embedded structs on the way to the field. */
  readonly in?: string;
  /** Protobuf field numbers on the way to the field. */
  readonly proto?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly list?: "atomic" | "set" | "map";
  readonly keys?: readonly string[];
  readonly map?: "atomic" | "granular";
  readonly patch?: string;
  readonly mergeKey?: string;
}

export interface TypeRow {
  /** `group/version/kind`, for types that are bodies of their own. */
  readonly gvk?: readonly string[];
  readonly map?: "atomic";
  readonly unions?: unknown;
  readonly fields: Readonly<Record<string, FieldRow>>;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const table = data as unknown as {
  readonly kubernetes: string;
  readonly types: Readonly<Record<string, TypeRow>>;
};

/** The Kubernetes version the table was read from. */
export const kubernetesVersion: string = table.kubernetes;

export const typeNames: readonly string[] = Object.keys(table.types);

export function typeRow(name: string): TypeRow {
  const row = table.types[name];
  if (row === undefined) throw new Error(`${name} is not in the table of built-in types`);
  return row;
}

export const isTypeName = (name: string): boolean => Object.hasOwn(table.types, name);

const namesByKind = new Map<string, string>();
for (const name of typeNames) {
  for (const gvk of typeRow(name).gvk ?? []) namesByKind.set(gvk, name);
}

/** The name of a kind's type in the table: `io.k8s.api.core.v1.Pod`. */
export function typeNameOf({ group, version, kind }: GroupVersionKind): string | undefined {
  return namesByKind.get(`${group}/${version}/${kind}`);
}

/** `io.k8s.api.core.v1.Pod` -> `Pod`. */
export const shortTypeName = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

/** `io.k8s.api.core.v1.Pod` -> `v1.Pod`, as Go's decoding errors call it. */
export function goTypeName(name: string): string {
  const parts = name.split(".");
  return parts.slice(-2).join(".");
}
