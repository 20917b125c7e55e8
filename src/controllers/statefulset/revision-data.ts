/** What a StatefulSet's revision records, byte for byte as Kubernetes records it, and the name made of it. */
import type { PodTemplate } from "../../api/apps.ts";

/** The part of a set that a revision restores; `$patch` makes it replace the template as a whole. */
export function revisionData(template: PodTemplate): Record<string, unknown> {
  return { spec: { template: { ...template, $patch: "replace" } } };
}

/** JSON as Go writes maps: keys in byte order, no spaces, `<`, `>`, `&`, U+2028 and U+2029 escaped. */
export function canonicalJson(value: unknown): string {
  return write(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** `web-776999688b`: stable under the same data and collision count, whatever controller computes it. */
export function revisionName(setName: string, data: string, collisionCount: number): string {
  const prefix = Buffer.from(setName, "utf8").subarray(0, 223).toString("utf8");
  return `${prefix}-${revisionHash(data, collisionCount)}`;
}

/** FNV-1 over the data and the decimal collision count, each decimal digit of the sum mapped to a safe letter. */
export function revisionHash(data: string, collisionCount: number): string {
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(`${data}${collisionCount}`, "utf8")) {
    sum = (Math.imul(sum, 0x01000193) ^ byte) >>> 0;
  }
  return Array.from(String(sum), (digit) => safeDigits[Number(digit)]).join("");
}

const safeDigits = "456789bcdf";

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .toSorted(([a], [b]) => compareBytes(a, b));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${write(item)}`).join(",")}}`;
}

/** Go compares strings by their UTF-8 bytes; for characters outside the basic plane JavaScript would not. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}
