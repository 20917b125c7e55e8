/** Decoders of the types that have no fields: numbers, times, quantities and the like. */
import { parseQuantity, quantityText } from "../../api/quantity.ts";
import { canonicalMicroTime, canonicalTime } from "./go-time.ts";
import { DecodeError } from "./decode-cursor.ts";
import type { DecodeCursor } from "./decode-cursor.ts";
import { copyJson } from "./own-property.ts";
import type { LeafType } from "./type-expression.ts";

export interface LeafDecoder {
  /** `value` is never null; the answer shares nothing with it. */
  decode(value: unknown, at: DecodeCursor, goName: string): unknown;
  /** Go's zero value for an absent field; undefined if Go writes nothing. */
  readonly zero: unknown;
}

const intDecoder = (bits: 32 | 64): LeafDecoder => {
  const limit = bits === 32 ? 2 ** 31 : 2 ** 63;
  return {
    zero: 0,
    decode(value, at, goName) {
      if (typeof value !== "number") throw at.mismatch(value, goName);
      if (!Number.isInteger(value) || value >= limit || value < -limit) {
        throw at.badNumber(value, goName);
      }
      return value;
    },
  };
};

const typed = (type: "string" | "boolean" | "number", zero: unknown): LeafDecoder => ({
  zero,
  decode(value, at, goName) {
    if (typeof value !== type) throw at.mismatch(value, goName);
    return value;
  },
});

const text = (canonical: (text: string) => string, zero?: string | null): LeafDecoder => ({
  zero,
  decode(value, at, goName) {
    if (typeof value !== "string") throw at.mismatch(value, goName);
    return canonical(value);
  },
});

const raw: LeafDecoder = { zero: undefined, decode: copyJson };

const int32 = intDecoder(32);

const intOrString: LeafDecoder = {
  zero: undefined,
  decode: (value, at, goName) =>
    typeof value === "string" ? value : int32.decode(value, at, goName),
};

/** Memoized, because the same few quantities come with every pod. */
const knownQuantities = new Map<string, string>();
const knownQuantitiesLimit = 1000;

function canonicalQuantityText(given: string): string {
  const known = knownQuantities.get(given);
  if (known !== undefined) return known;
  const parsed = parseQuantity(given);
  if ("problem" in parsed) throw new DecodeError(parsed.problem);
  const canonical = quantityText(parsed);
  if (knownQuantities.size < knownQuantitiesLimit) knownQuantities.set(given, canonical);
  return canonical;
}

const quantity: LeafDecoder = {
  zero: "0",
  decode(value) {
    if (typeof value === "string") return canonicalQuantityText(value);
    return canonicalQuantityText(JSON.stringify(value));
  },
};

function checkedBase64(given: string): string {
  const packed = given.replaceAll(/[\r\n]/g, "");
  const wrong = /[^A-Za-z0-9+/]/.exec(packed.replace(/={1,2}$/, ""));
  if (wrong !== null) throw new DecodeError(`illegal base64 data at input byte ${wrong.index}`);
  if (packed.length % 4 !== 0) {
    throw new DecodeError(`illegal base64 data at input byte ${packed.length}`);
  }
  return Buffer.from(packed, "base64").toString("base64");
}

/** Types of the schema part of custom resource definitions are decoded with their structs. */
export type SchemaLeaf = "schemaOrArray" | "schemaOrBool" | "schemaOrStringArray";

export const leafDecoders: Readonly<Record<Exclude<LeafType, SchemaLeaf>, LeafDecoder>> = {
  string: typed("string", ""),
  bool: typed("boolean", false),
  int32,
  int64: intDecoder(64),
  float64: typed("number", 0),
  bytes: text(checkedBase64, ""),
  quantity,
  intOrString,
  time: text(canonicalTime, null),
  microTime: text(canonicalMicroTime, null),
  duration: text((given) => given),
  raw,
  json: raw,
};
