/** The string formats that Kubernetes checks; values of any other format are accepted unchecked. */
import { isIPv4, isIPv6 } from "node:net";

export function matchesFormat(format: string, value: string): boolean {
  const name = format.replaceAll("-", "").toLowerCase();
  // A format may be called anything, `constructor` included.
  return !Object.hasOwn(checks, name) || checks[name]?.(value) === true;
}

const pattern =
  (expression: RegExp) =>
  (value: string): boolean =>
    expression.test(value);

const uuid = (version: string): ((value: string) => boolean) =>
  pattern(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, "i"));

const label = "[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?";

const checks: Readonly<Record<string, (value: string) => boolean>> = {
  bsonobjectid: pattern(/^[0-9a-f]{24}$/i),
  byte: (value) => value.length % 4 === 0 && /^[A-Za-z0-9+/\r\n]*={0,2}$/.test(value),
  cidr: (value) => isCidr(value),
  creditcard: (value) => passesLuhn(value.replaceAll(/[\s-]/g, "")),
  date: (value) => isDate(value),
  datetime: (value) => isDateTime(value),
  duration: (value) => isDuration(value),
  email: pattern(/^[^\s@<>()[\]\\,;:"]+@[^\s@]+$/),
  hexcolor: pattern(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i),
  hostname: (value) =>
    value.length <= 255 &&
    new RegExp(`^${label}(\\.${label})*\\.?$`).test(value) &&
    !/^[0-9.]+$/.test(value),
  ipv4: (value) => isIPv4(value),
  ipv6: (value) => isIPv6(value),
  isbn: (value) => isIsbn(value, 10) || isIsbn(value, 13),
  isbn10: (value) => isIsbn(value, 10),
  isbn13: (value) => isIsbn(value, 13),
  k8slongname: (value) =>
    value.length <= 253 &&
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(value),
  k8sshortname: (value) => value.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value),
  mac: pattern(/^([0-9a-f]{2}([:-])([0-9a-f]{2}\2){4}[0-9a-f]{2}|([0-9a-f]{4}\.){2}[0-9a-f]{4})$/i),
  rgbcolor: (value) => {
    const channels = /^rgb\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(value);
    return channels !== null && channels.slice(1).every((channel) => Number(channel) <= 255);
  },
  ssn: pattern(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  uri: (value) => isRequestUri(value),
  uuid: uuid("[0-9a-f]{4}"),
  uuid3: uuid("3[0-9a-f]{3}"),
  uuid4: pattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: pattern(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
};

export function isCidr(value: string): boolean {
  const [address = "", bits = "", more] = value.split("/");
  if (more !== undefined || !/^(0|[1-9]\d*)$/.test(bits)) return false;
  if (isIPv4(address)) return Number(bits) <= 32;
  return isIPv6(address) && !address.includes("%") && Number(bits) <= 128;
}

function isDate(value: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  return parts !== null && isCalendarDay(Number(parts[1]), Number(parts[2]), Number(parts[3]));
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

export function isDateTime(value: string): boolean {
  const parts = dateTime.exec(value);
  if (parts === null || !isDate(parts[1] ?? "")) return false;
  return Number(parts[2]) <= 23 && Number(parts[3]) <= 59 && Number(parts[4]) <= 59;
}

const durationPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
const durationWords = [
  "ns|nanos?|nanoseconds?|us|µs|μs|micros?|microseconds?|ms|millis?|milliseconds?",
  "s|secs?|seconds?|m|mins?|minutes?|h|hr|hours?|d|days?|w|wk|weeks?",
].join("|");
const wordyDuration = new RegExp(String.raw`^(\d+(\.\d+)?|\.\d+)\s*(${durationWords})$`);

/** Go durations, and the `3 days` of the OpenAPI library behind Kubernetes. */
export function isDuration(value: string): boolean {
  return isGoDuration(value) || wordyDuration.test(value);
}

export function isGoDuration(value: string): boolean {
  const body = value.replace(/^[+-]/, "");
  if (body === "0") return true;
  // One part after the other: what does not follow at once ends the search.
  durationPart.lastIndex = 0;
  let end = 0;
  while (durationPart.test(body)) end = durationPart.lastIndex;
  return body !== "" && end === body.length;
}

function isRequestUri(value: string): boolean {
  if (/[\s\p{Cc}]/u.test(value)) return false;
  return value.startsWith("/") || /^[a-zA-Z][a-zA-Z0-9+.-]*:./.test(value);
}

function passesLuhn(digits: string): boolean {
  if (!/^\d{12,19}$/.test(digits)) return false;
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

function isIsbn(value: string, length: 10 | 13): boolean {
  const digits = value.replaceAll(/[\s-]/g, "");
  if (!(length === 10 ? /^\d{9}[\dX]$/ : /^\d{13}$/).test(digits)) return false;
  const values = Array.from(digits, (digit) => (digit === "X" ? 10 : Number(digit)));
  const weighed = values.reduce(
    (sum, digit, index) => sum + digit * (length === 10 ? 10 - index : 1 + 2 * (index % 2)),
    0,
  );
  return weighed % (length === 10 ? 11 : 10) === 0;
}
