/** CEL's `'...'.format([...])`: the verbs %s %d %f %e %b %o %x %X and %%. */

export class FormatProblem extends Error {}

export function formatText(template: string, values: readonly unknown[]): string {
  let used = 0;
  const text = template.replaceAll(
    /%(?:\.(\d+))?(.)/g,
    (_whole, precision: string, verb: string) => {
      if (verb === "%") return "%";
      if (used >= values.length) throw new FormatProblem(`index ${used} out of range`);
      return formatOne(verb, values[used++], precision === undefined ? 6 : Number(precision));
    },
  );
  return text;
}

function formatOne(verb: string, value: unknown, precision: number): string {
  switch (verb) {
    case "s":
      return plainText(value);
    case "d":
      if (typeof value === "bigint" || typeof value === "number") return String(value);
      throw wrongType("decimal clause can only be used on integers", value);
    case "f":
      return numberOf(value).toFixed(precision);
    case "e":
      return numberOf(value)
        .toExponential(precision)
        .replace(/e([+-])(\d)$/, "e$10$2");
    case "b":
      return typeof value === "boolean" ? (value ? "1" : "0") : integerOf(value).toString(2);
    case "o":
      return integerOf(value).toString(8);
    case "x":
      return hexText(value);
    case "X":
      return hexText(value).toUpperCase();
    default:
      throw new FormatProblem(
        `could not parse formatting clause: unrecognized formatting clause "${verb}"`,
      );
  }
}

function hexText(value: unknown): string {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return integerOf(value).toString(16);
}

function integerOf(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  throw wrongType("only integers can be formatted in another base", value);
}

function numberOf(value: unknown): number {
  if (typeof value === "number" || typeof value === "bigint") return Number(value);
  throw wrongType("fixed-point clause can only be used on doubles", value);
}

const wrongType = (problem: string, value: unknown): FormatProblem =>
  new FormatProblem(`${problem}, was given ${typeof value}`);

/** How `%s` writes any value; lists and maps are written part by part. */
export function plainText(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  return typeof value === "object" ? objectText(value) : "";
}

function objectText(value: object): string {
  if (Array.isArray(value)) return `[${value.map(plainText).join(", ")}]`;
  if (value instanceof Date) return value.toISOString().replace(".000Z", "Z");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  // Durations format themselves.
  const own: unknown = (value as { toString(): unknown }).toString();
  if (typeof own === "string" && !own.startsWith("[object")) return own;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${key}: ${plainText(part)}`).join(", ")}}`;
}
