/** Turns a zod schema into the structural OpenAPI schema that a custom resource definition carries. */
import * as z from "zod";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Gives the structural schema of a built-in type: `io.k8s.api.core.v1.PodSpec`. */
export type BuiltinSchema = (typeName: string) => JsonObject;

/** Marks a place whose schema is that of a built-in type; what else is said there wins over it. */
export const builtinTypeKey = "builtinType";

/** Schema parts to lay over a built-in type, by path: `containers.items.env`. */
export const overlaysKey = "overlays";

export function structuralSchema(schema: z.ZodType, builtin: BuiltinSchema): JsonObject {
  const plain = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    reused: "inline",
    unrepresentable: "any",
  });
  return structural(plain, builtin);
}

function structural(node: JsonObject, builtin: BuiltinSchema): JsonObject {
  const { $schema: _schema, "~standard": _standard, ...own } = node;
  if (builtinTypeKey in own) return builtinPart(own, builtin);
  return withoutEmpty({ ...withPlainFormat(withWidth(own)), ...partsOf(own, builtin) });
}

function builtinPart(node: JsonObject, builtin: BuiltinSchema): JsonObject {
  const { [builtinTypeKey]: name, [overlaysKey]: overlays, ...own } = node;
  const base = Object.entries((overlays ?? {}) as Record<string, JsonObject>).reduce(
    (schema, [path, part]) => overlaid(schema, path.split("."), part),
    builtin(name as string),
  );
  return { ...base, ...own };
}

/** The schema with `part` laid over the place that the path of property names and `items` leads to. */
function overlaid(schema: JsonObject, path: readonly string[], part: JsonObject): JsonObject {
  const [step, ...further] = path;
  if (step === undefined) return { ...schema, ...part };
  if (step === "items") {
    return { ...schema, items: overlaid(schema["items"] as JsonObject, further, part) };
  }
  const properties = (schema["properties"] ?? {}) as Record<string, JsonObject>;
  const inner = properties[step];
  if (inner === undefined) throw new Error(`the built-in type has no field ${step}`);
  return { ...schema, properties: { ...properties, [step]: overlaid(inner, further, part) } };
}

const int32 = { minimum: -2_147_483_648, maximum: 2_147_483_647 };

/** Bounds that only say how wide a number is become its format. */
function withWidth(node: JsonObject): JsonObject {
  if (node["type"] !== "integer" || "format" in node) return node;
  const { minimum, maximum, ...rest } = node;
  const isNarrow = maximum === int32.maximum;
  const isWide = maximum === Number.MAX_SAFE_INTEGER;
  const isOwnMinimum = minimum !== int32.minimum && minimum !== Number.MIN_SAFE_INTEGER;
  return {
    ...rest,
    format: isNarrow || !isWide ? "int32" : "int64",
    ...(isOwnMinimum && minimum !== undefined ? { minimum } : {}),
    ...(isNarrow || isWide ? {} : { maximum }),
  };
}

/** The server checks the format itself; zod's pattern for it would only be long. */
function withPlainFormat(node: JsonObject): JsonObject {
  if (node["format"] !== "date-time") return node;
  const { pattern: _pattern, ...rest } = node;
  return rest;
}

function partsOf(node: JsonObject, builtin: BuiltinSchema): JsonObject {
  const { properties, items, additionalProperties: values } = node;
  const inner = (part: unknown): JsonObject => structural(part as JsonObject, builtin);
  if (properties !== undefined) {
    const entries = Object.entries(properties as JsonObject);
    const isOpen = isSchema(values) && Object.keys(values).length === 0;
    return {
      properties: Object.fromEntries(entries.map(([name, part]) => [name, inner(part)])),
      additionalProperties: undefined,
      "x-kubernetes-preserve-unknown-fields":
        isOpen || node["x-kubernetes-preserve-unknown-fields"] === true ? true : undefined,
    };
  }
  if (items !== undefined) return { items: inner(items) };
  return isSchema(values) ? { additionalProperties: inner(values) } : {};
}

const isSchema = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null;

function withoutEmpty(node: JsonObject): JsonObject {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || (isSchema(value) && Object.keys(value).length === 0);
  return Object.fromEntries(
    Object.entries(node).filter(([name, value]) => name === "default" || !isEmpty(value)),
  );
}
