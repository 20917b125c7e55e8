/** Builders for the cases whose answers are recorded from a real kube-apiserver; each sits at `spec.v` of an object. */

export interface ValueCase {
  readonly schema: Record<string, unknown>;
  readonly value?: unknown;
  /** Present: the object is first created with this, then updated to `value`. */
  readonly old?: unknown;
}

export const s = { type: "string" };
export const int = { type: "integer" };
export const withRule = (schema: Record<string, unknown>, ...rules: (string | object)[]) => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});
export const obj = (properties: Record<string, unknown>, more: object = {}) => ({
  type: "object",
  properties,
  ...more,
});
export const list = (items: unknown, more: object = {}) => ({ type: "array", items, ...more });
export const map = (additionalProperties: unknown, more: object = {}) => ({
  type: "object",
  additionalProperties,
  ...more,
});
