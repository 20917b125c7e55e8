/** One text for one JSON value: keys in byte order, so that two writers of the same thing write the same bytes. */

/** JSON as Go writes maps: keys in byte order, no spaces, `<`, `>`, `&`, U+2028 and U+2029 escaped. */
export function canonicalJson(value: unknown): string {
  return write(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

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
