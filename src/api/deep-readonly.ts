/** A type with every field at every depth read-only: what a frozen object is. */

export type DeepReadonly<T> = T extends object
  ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
  : T;
