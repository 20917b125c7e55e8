/** Kubernetes quantities (`500m`, `1.5Gi`, `2e3`): exact arithmetic and the one text of each value. */

export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

export interface Quantity {
  /** The value in billionths, the finest step a quantity has. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
  /** The text it was read from, where Kubernetes would print it unchanged. */
  readonly text?: string;
}

export const quantityPatternProblem =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
export const quantitySuffixProblem = "unable to parse quantity's suffix";

const pattern = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const unit = 1_000_000_000n;
const maxBinary = (2n ** 63n - 1n) * unit;
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

type Parsed = Quantity | { readonly problem: string };

/** A cluster's objects name few different quantities, and each of them very often. */
const parsedTexts = new Map<string, Parsed>();
const keptTexts = 1000;
/** Arithmetic on more digits, and the pattern above, would take time in the square of their number. */
const longestText = 1000;
const keptLength = 32;

/** Returns the phrase Kubernetes refuses the text with when it is no quantity. */
export function parseQuantity(text: string): Parsed {
  const known = parsedTexts.get(text);
  if (known !== undefined) return known;
  const parsed = parseText(text);
  if (text.length > keptLength) return parsed;
  if (parsedTexts.size >= keptTexts) parsedTexts.clear();
  parsedTexts.set(text, parsed);
  return parsed;
}

function parseText(text: string): Parsed {
  if (text.length > longestText) return { problem: quantityPatternProblem };
  const match = pattern.exec(text);
  if (text === "" || match === null) return { problem: quantityPatternProblem };
  const [, sign = "", whole = "", fraction = "", suffix = ""] = match;
  const scale = interpretSuffix(suffix);
  if (scale === undefined) return { problem: quantitySuffixProblem };

  const digits = BigInt(`0${whole}${fraction}`);
  const size = scaled(digits, scale, fraction.length);
  const nanos = sign === "-" ? -size : size;
  const keepsText = isPrintedUnchanged(whole, fraction, scale);
  if (scale.format === "BinarySI" && size > 0n && size < unit)
    return { nanos, format: "DecimalSI" };
  return keepsText ? { nanos, format: scale.format, text } : { nanos, format: scale.format };
}

/** For texts that validation has already let through; throws on others. */
export function quantity(text: string | number): Quantity {
  const parsed = parseQuantity(String(text).trim());
  if ("problem" in parsed) throw new Error(`${text}: ${parsed.problem}`);
  return parsed;
}

export function canonicalQuantity(text: string | number): string {
  return quantityText(quantity(text));
}

export function quantityText(value: Quantity): string {
  if (value.text !== undefined) return value.text;
  if (value.nanos === 0n) return "0";
  const size = value.nanos < 0n ? -value.nanos : value.nanos;
  if (value.format === "BinarySI" && size >= 1024n * unit && size % unit === 0n) {
    return binaryText(value.nanos / unit);
  }
  return decimalText(value.nanos, value.format === "DecimalExponent");
}

export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos - b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** Rounds away from zero to thousandths, the finest step of a resource amount. */
export function roundedToMilli(value: Quantity): Quantity {
  const step = 1_000_000n;
  if (value.nanos % step === 0n) return value;
  const towardsZero = (value.nanos / step) * step;
  const nanos = value.nanos < 0n ? towardsZero - step : towardsZero + step;
  return { nanos, format: value.format };
}

/** Whole units, rounded away from zero. */
export function wholeUnits(value: Quantity): bigint {
  const whole = value.nanos / unit;
  if (value.nanos % unit === 0n) return whole;
  return value.nanos < 0n ? whole - 1n : whole + 1n;
}

export function milliUnits(value: Quantity): bigint {
  return roundedToMilli(value).nanos / 1_000_000n;
}

/**
 * About as much, computed as Kubernetes does: digits times a power of ten. Two texts of one value may differ in the
 * last bit, and what is compared by such numbers elsewhere has to see the same bits. Undefined for what is no quantity.
 */
export function approximateNumber(text: string): number | undefined {
  const parsed = parseQuantity(text);
  if ("problem" in parsed) return undefined;
  const [, sign = "", whole = "", fraction = "", suffix = ""] = pattern.exec(text) ?? [];
  const scale = interpretSuffix(suffix);
  if (parsed.nanos === 0n || scale === undefined) return 0;
  if (!keepsDigits(whole, fraction, scale)) return fromBillionths(parsed.nanos, scale);
  const [binary, exponent] =
    scale.base === 2 ? [2n ** BigInt(scale.exponent), 0] : [1n, scale.exponent];
  const digits = Number(BigInt(`${whole}${fraction}`) * binary);
  const size = digits * Number(`1e${exponent - fraction.length}`);
  return sign === "-" ? -size : size;
}

function fromBillionths(nanos: bigint, { base }: Scale): number {
  const isCapped = base === 2 && (nanos === maxBinary || nanos === -maxBinary);
  return isCapped ? Number(nanos / unit) : Number(nanos) * 1e-9;
}

/** Kubernetes keeps the digits of texts that are short enough, and counts billionths otherwise. */
function keepsDigits(whole: string, fraction: string, scale: Scale): boolean {
  const digits = whole.replace(/^0+(?=.)/, "").length + fraction.length;
  if (scale.base === 2) {
    return fraction === "" && digits + Math.floor((scale.exponent * 3) / 10) <= 14;
  }
  return digits <= 18 && scale.exponent - fraction.length >= -9;
}

interface Scale {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function interpretSuffix(suffix: string): Scale | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { base: 10, exponent: decimal * 3 - 9, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { base: 2, exponent: binary * 10, format: "BinarySI" };
  const exponent = /^[eE]([-+]?[0-9]+)$/.exec(suffix)?.[1];
  // Nothing measurable needs more than 100 digits, and building them would cost an attacker nothing.
  if (exponent === undefined || Math.abs(Number(exponent)) > 100) return undefined;
  return { base: 10, exponent: Number(exponent), format: "DecimalExponent" };
}

function scaled(digits: bigint, scale: Scale, fractionDigits: number): bigint {
  const binary = scale.base === 2 ? 2n ** BigInt(scale.exponent) : 1n;
  const exponent = (scale.base === 10 ? scale.exponent : 0) - fractionDigits + 9;
  const nanos =
    exponent >= 0
      ? digits * binary * 10n ** BigInt(exponent)
      : roundedUp(digits * binary, 10n ** BigInt(-exponent));
  return scale.format === "BinarySI" && nanos > maxBinary ? maxBinary : nanos;
}

function roundedUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

/** Kubernetes keeps the text where it takes it for canonical at a glance, `1.500` included. */
function isPrintedUnchanged(whole: string, fraction: string, scale: Scale): boolean {
  const number = whole.replace(/^0+/, "");
  const shifted = (number === "" ? "0" : number) + fraction;
  if (scale.base === 2) {
    return fraction === "" && shifted.length <= 15 && BigInt(shifted) % 8n !== 0n;
  }
  const exponent = scale.exponent - fraction.length;
  if (shifted.length > 18 || exponent < -9 || exponent % 3 !== 0) return false;
  return !shifted.endsWith("000") && !shifted.startsWith("0");
}

function binaryText(whole: bigint): string {
  let value = whole;
  let power = 0;
  while (value % 1024n === 0n && power < binarySuffixes.length - 1) {
    value /= 1024n;
    power += 1;
  }
  return `${value}${binarySuffixes[power] ?? ""}`;
}

function decimalText(nanos: bigint, asExponent: boolean): string {
  let value = nanos;
  let step = 0;
  while (value % 1000n === 0n && step < decimalSuffixes.length - 1) {
    value /= 1000n;
    step += 1;
  }
  const exponent = step * 3 - 9;
  if (!asExponent) return `${value}${decimalSuffixes[step] ?? ""}`;
  return exponent === 0 ? `${value}` : `${value}e${exponent}`;
}
