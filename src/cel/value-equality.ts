/** Equality of CEL values, also of objects of a schema type and of the Kubernetes value types. */
import { compareQuantities } from "../api/quantity.ts";
import {
  CidrValue,
  compareSemver,
  IpValue,
  QuantityValue,
  SemverValue,
  UrlValue,
} from "./values.ts";

/** Items of sets and map lists by their identity. Lists made from them, by `map` or `filter`, have an order again. */
const identified = new WeakMap<object, ReadonlyMap<string, unknown>>();

export function recordIdentities(items: readonly unknown[], identities: readonly string[]): void {
  identified.set(items, new Map(identities.map((identity, index) => [identity, items[index]])));
}

export function celEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNumber(a) && isNumber(b)) return Number(a) === Number(b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && listEqual(a, b);
  return specialEqual(a, b) ?? mapEqual(a, b);
}

function listEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  const [left, right] = [identified.get(a), identified.get(b)];
  if (left === undefined || right === undefined) {
    return a.every((item, index) => celEqual(item, b[index]));
  }
  return [...left].every(([key, item]) => right.has(key) && celEqual(item, right.get(key)));
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === "bigint" || typeof value === "number";

/** Undefined for plain maps and objects of a schema type. */
function specialEqual(a: object, b: object): boolean | undefined {
  if (a instanceof QuantityValue && b instanceof QuantityValue) {
    return compareQuantities(a.quantity, b.quantity) === 0;
  }
  if (a instanceof SemverValue && b instanceof SemverValue) return compareSemver(a, b) === 0;
  if (a instanceof UrlValue && b instanceof UrlValue) return a.text === b.text;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return addressEqual(a, b) ?? timeEqual(a, b);
}

function addressEqual(a: object, b: object): boolean | undefined {
  if (a instanceof IpValue && b instanceof IpValue) return celEqual(a.bytes, b.bytes);
  if (!(a instanceof CidrValue && b instanceof CidrValue)) return undefined;
  return a.prefixLength === b.prefixLength && celEqual(a.ip, b.ip);
}

/** Times and durations are the objects that turn into a number. */
function timeEqual(a: object, b: object): boolean | undefined {
  const [left, right]: unknown[] = [a.valueOf(), b.valueOf()];
  return typeof left === "number" && typeof right === "number" ? left === right : undefined;
}

function mapEqual(a: object, b: object): boolean {
  const left = new Map(Object.entries(a));
  const right = Object.entries(b);
  return (
    left.size === right.length &&
    right.every(([key, value]) => left.has(key) && celEqual(left.get(key), value))
  );
}
