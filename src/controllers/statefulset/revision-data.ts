/** What a StatefulSet's revision records, byte for byte as Kubernetes records it, and the name made of it. */
import type { PodTemplate } from "../../api/apps.ts";

/** The part of a set that a revision restores; `$patch` makes it replace the template as a whole. */
export function revisionData(template: PodTemplate): Record<string, unknown> {
  return { spec: { template: { ...template, $patch: "replace" } } };
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
