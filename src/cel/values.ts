/** The Kubernetes value types of CEL rules that are not JSON: quantities, URLs, addresses, versions. */
import { isIPv4, isIPv6 } from "node:net";
import type { Quantity } from "../api/quantity.ts";

export class QuantityValue {
  readonly quantity: Quantity;
  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }
}

/** A check of texts, and how long Kubernetes takes its regular expression to be. */
export class NamedFormat {
  readonly name: string;
  readonly problemsOf: (text: string) => readonly string[];
  readonly patternSize: number;
  constructor(name: string, problemsOf: NamedFormat["problemsOf"], patternSize: number) {
    this.name = name;
    this.problemsOf = problemsOf;
    this.patternSize = patternSize;
  }
}

export class UrlValue {
  readonly url: URL;
  readonly text: string;
  constructor(url: URL, text: string) {
    this.url = url;
    this.text = text;
  }
}

export class IpValue {
  readonly text: string;
  /** Big-endian: 4 or 16 bytes. */
  readonly bytes: readonly number[];
  constructor(text: string, bytes: readonly number[]) {
    this.text = text;
    this.bytes = bytes;
  }
}

export class CidrValue {
  readonly ip: IpValue;
  readonly prefixLength: number;
  constructor(ip: IpValue, prefixLength: number) {
    this.ip = ip;
    this.prefixLength = prefixLength;
  }
}

export class SemverValue {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    this.numbers = numbers;
    this.prerelease = prerelease;
  }
}

/** Undefined if the text is not an address, has a zone, or maps an IPv4 address into IPv6. */
export function parseIp(text: string): IpValue | undefined {
  if (isIPv4(text)) return new IpValue(text, text.split(".").map(Number));
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const bytes = ipv6Bytes(text);
  const isWrapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255;
  return isWrapped && bytes[11] === 255 ? undefined : new IpValue(text, bytes);
}

function ipv6Bytes(text: string): number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const hex = (high: number, low: number): string => (high * 256 + low).toString(16);
  const plain =
    dotted === null
      ? text
      : text.slice(0, dotted.index) +
        `${hex(Number(dotted[1]), Number(dotted[2]))}:${hex(Number(dotted[3]), Number(dotted[4]))}`;
  const [head = "", tail] = plain.split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const middle = Array.from({ length: 8 - front.length - back.length }, () => "0");
  return [...front, ...(tail === undefined ? [] : middle), ...back].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

export function parseCidr(text: string): CidrValue | undefined {
  const [address = "", bits = "", more] = text.split("/");
  const ip = parseIp(address);
  if (ip === undefined || more !== undefined || !/^(0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  const length = Number(bits);
  return length > ip.bytes.length * 8 ? undefined : new CidrValue(ip, length);
}

export function maskedBytes({ ip, prefixLength }: CidrValue): number[] {
  return ip.bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, prefixLength - index * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
}

export function cidrContains(cidr: CidrValue, ip: IpValue): boolean {
  if (cidr.ip.bytes.length !== ip.bytes.length) return false;
  const inside = maskedBytes(new CidrValue(ip, cidr.prefixLength));
  return maskedBytes(cidr).every((byte, index) => byte === inside[index]);
}

const semverPattern =
  /^(0|[1-9]\d{0,19})\.(0|[1-9]\d{0,19})\.(0|[1-9]\d{0,19})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

export function parseSemver(text: string): SemverValue | undefined {
  const match = semverPattern.exec(text);
  if (match === null) return undefined;
  const prerelease = match[4] === undefined ? [] : match[4].split(".");
  // As in Go, a number has to fit into 64 bits.
  if (prerelease.some((part) => part === "" || /^(0\d+|\d{21,})$/.test(part))) return undefined;
  return new SemverValue(
    [1, 2, 3].map((index) => BigInt(match[index] ?? 0)),
    prerelease,
  );
}

/** `v1.2` becomes `1.2.0`: the leniency of the two-argument `semver(text, true)`. */
export function normalizedSemver(text: string): string {
  const [core = "", ...rest] = text.replace(/^v/, "").split(/(?=[-+])/);
  const numbers = core.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  while (numbers.length < 3) numbers.push("0");
  return numbers.join(".") + rest.join("");
}

export function compareSemver(a: SemverValue, b: SemverValue): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  for (const [index, part] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    const order = comparePrerelease(part, other);
    if (order !== 0) return order;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

function comparePrerelease(a: string, b: string): number {
  if (a === b) return 0;
  const numeric = [a, b].map((part) => /^\d+$/.test(part));
  if (numeric[0] !== numeric[1]) return numeric[0] === true ? -1 : 1;
  if (numeric[0] === true) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a < b ? -1 : 1;
}
