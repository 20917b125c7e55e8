/** Answers are trees without a type for every kind: these read the parts that tests compare. */

export type Json = Readonly<Record<string, unknown>>;

export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** The metadata of an object or list in an answer. */
export const metadataOf = (body: Json): Metadata => body.metadata as Metadata;

/** The items of a list in an answer. */
export const itemsOf = (body: Json): readonly Json[] => body.items as readonly Json[];

/** The names of a list's items, in their order. */
export const namesOf = (body: Json): string[] => itemsOf(body).map((item) => metadataOf(item).name);

/** The value at a dotted path, list indexes included: `at(pod, "spec.containers.0.image")`. */
export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((node, key) => {
    if (typeof node !== "object" || node === null) return undefined;
    return (node as Json)[key];
  }, value);
}
