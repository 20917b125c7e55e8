/** How rules spell property names that are not CEL identifiers. */

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return".split(
    " ",
  ),
);

const spelledOut: readonly (readonly [string, string])[] = [
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
];

/** Undefined where rules cannot name the property at all. */
export function celName(property: string): string | undefined {
  if (reserved.has(property)) return `__${property}__`;
  let escaped = "";
  for (let index = 0; index < property.length;) {
    const special = spelledOut.find(([text]) => property.startsWith(text, index));
    escaped += special?.[1] ?? property.charAt(index);
    index += special?.[0].length ?? 1;
  }
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}
