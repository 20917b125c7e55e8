/** What differs between two templates, in a few words that a person recognizes: `server image v1 -> v2`. */
import { isSameJson } from "../../api/same-json.ts";

export interface TemplateChange {
  /** Field names and names of list items, outermost first. */
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Lists whose items have names are compared by name, so that an insertion changes one item and not all. */
function named(value: unknown): Json | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items: readonly unknown[] = value;
  const entries = items.map((item) =>
    isObject(item) && typeof item["name"] === "string"
      ? ([item["name"], item] as const)
      : undefined,
  );
  return entries.every((entry) => entry !== undefined) ? Object.fromEntries(entries) : undefined;
}

const fieldsOf = (value: unknown): Json | undefined => (isObject(value) ? value : named(value));

/** Field by field, in the order of the names. */
export function changesIn(
  path: readonly string[],
  before: unknown,
  after: unknown,
): TemplateChange[] {
  if (isSameJson(before, after)) return [];
  const [old, next] = [fieldsOf(before), fieldsOf(after)];
  if (old === undefined || next === undefined) return [{ path, before, after }];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted();
  return keys.flatMap((key) => changesIn([...path, key], own(old, key), own(next, key)));
}

/** A label may be called `constructor`. */
const own = (fields: Json, key: string): unknown =>
  Object.hasOwn(fields, key) ? fields[key] : undefined;

/** Words that every path would begin with. */
const assumed = new Set(["spec", "podSpec", "template", "metadata", "containers"]);
const longestValue = 60;

function inWords({ path, before, after }: TemplateChange): string {
  const place = path.filter((word) => !assumed.has(word)).join(" ");
  if (before === undefined) return `${place} added`;
  if (after === undefined) return `${place} removed`;
  const [old, next] = shortened(before, after);
  const isShort = old !== undefined && next !== undefined;
  return isShort ? `${place} ${old} -> ${next}` : `${place} changed`;
}

const isImage = ({ path }: TemplateChange): boolean => path.at(-1) === "image";

/** Images of one repository differ in their tags. */
function shortened(before: unknown, after: unknown): readonly (string | undefined)[] {
  const texts = [before, after].map((value) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return typeof value === "object" || text.length > longestValue ? undefined : text;
  });
  const [old = "", next = ""] = texts;
  const repository = old.slice(0, old.lastIndexOf(":") + 1);
  const isSameImage = repository.length > 1 && next.startsWith(repository);
  return isSameImage ? [old, next].map((text) => text.slice(repository.length)) : texts;
}

const shownAtMost = 3;

/** Empty where nothing differs. Images come first: whoever rolls something out looks for them. */
export function templateChanges(before: unknown, after: unknown): string {
  const found = changesIn([], before, after);
  const images = found.filter(isImage);
  const changes = [...images, ...found.filter((each) => !isImage(each))].map(inWords);
  const more = changes.length - shownAtMost;
  return [...changes.slice(0, shownAtMost), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
