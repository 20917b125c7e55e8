/** Objects as the JSON and YAML that kubectl prints: keys in order, lists not indented. */
import { stringify } from "yaml";

export function jsonText(value: unknown): string {
  return JSON.stringify(withSortedKeys(value), null, 4);
}

/** Under YAML 1.1, as Kubernetes reads it, `yes`, `0777` and times need quotes. */
export function yamlText(value: unknown): string {
  const style = { version: "1.1", indentSeq: false, lineWidth: 0 } as const;
  return stringify(withSortedKeys(value), style).trimEnd();
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, withSortedKeys(item)]));
}
