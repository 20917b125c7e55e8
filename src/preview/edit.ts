/** A workload with the edits of a command line: an image, a size, any field. Pure. */
import type { KubeObject } from "../api/object.ts";
import { UserError } from "../api/user-error.ts";
import { getOwn, isRecord, setOwn } from "../apiserver/schema/own-property.ts";

export interface Edits {
  /** `container=image`, or `clique/container=image`. */
  readonly images: readonly string[];
  readonly replicas?: number | undefined;
  /** `path.to.field=value`. */
  readonly fields: readonly string[];
}

type Json = Record<string, unknown>;

export function edited(object: KubeObject, { images, replicas, fields }: Edits): KubeObject {
  const copy = structuredClone(object) as KubeObject & Json;
  for (const text of images) setImage(copy, text);
  if (replicas !== undefined) setField(copy, "spec.replicas", replicas);
  for (const text of fields) {
    const [path, value] = halves(text, "--set", "spec.replicas=3");
    setField(copy, path, parsed(value));
  }
  return copy;
}

function halves(text: string, flag: string, example: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new UserError({
    problem: `${flag} ${text}: there is no "="`,
    fix: `write ${flag} ${example}`,
  });
}

function setImage(object: Json, text: string): void {
  const [place, image] = halves(text, "--image", "server=registry/server:v2");
  const at = place.lastIndexOf("/");
  const [clique, container] = [at < 0 ? undefined : place.slice(0, at), place.slice(at + 1)];
  const all = containersIn(object);
  const found = all.filter(
    ({ name, within }) =>
      (container === "*" || name === container) && (clique === undefined || within === clique),
  );
  if (found.length === 0) {
    throw new UserError({
      problem: `--image ${text}: no container is called ${place}`,
      fix: `use one of ${[...new Set(all.map(titleOf))].join(", ")}`,
    });
  }
  for (const { container: each } of found) each["image"] = image;
}

interface FoundContainer {
  readonly container: Json;
  readonly name: string;
  /** The clique or role whose template it is in. */
  readonly within: string | undefined;
}

/** Images of all its pod templates. */
export const imagesIn = (object: KubeObject): readonly string[] =>
  containersIn(object).flatMap(({ container: { image } }) =>
    typeof image === "string" ? [image] : [],
  );

const titleOf = ({ name, within }: FoundContainer): string =>
  within === undefined ? name : `${within}/${name}`;

/** Every container of every pod template, wherever it is. */
function containersIn(value: unknown, within?: string): FoundContainer[] {
  if (Array.isArray(value)) {
    return (value as (Json | undefined)[]).flatMap((item) =>
      containersIn(item, typeof item?.["name"] === "string" ? item["name"] : within),
    );
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const isContainers = (key === "containers" || key === "initContainers") && Array.isArray(inner);
    if (!isContainers) return containersIn(inner, within);
    return inner.filter(isRecord).map((container) => {
      return { container, name: String(container["name"]), within };
    });
  });
}

function setField(object: Json, path: string, value: unknown): void {
  const words = path.split(".");
  const last = words.pop() ?? "";
  let place: Json | Json[] = object;
  for (const word of words) {
    const key = keyIn(place, word, path);
    const next: unknown = getOwn(place as Json, key);
    if (next === undefined) setOwn(place as Json, key, {});
    const inner: unknown = next ?? getOwn(place as Json, key);
    if (typeof inner !== "object" || inner === null) {
      throw new UserError({
        problem: `--set ${path}: ${word} is no object`,
        fix: "name fields by dots, and items of lists by their name or number",
      });
    }
    place = inner as Json | Json[];
  }
  setOwn(place as Json, keyIn(place, last, path), value);
}

/** A field by its name; an item of a list by its name or number, the next number for a new one. */
function keyIn(place: Json | readonly Json[], word: string, path: string): string {
  if (!Array.isArray(place)) return word;
  const items = place as readonly (Json | null)[];
  const named = items.findIndex((item) => item?.["name"] === word);
  if (named >= 0) return String(named);
  if (/^(0|[1-9]\d*)$/.test(word) && Number(word) <= items.length) return word;
  const names = items.map((item, index) => {
    const name = item?.["name"];
    return typeof name === "string" ? name : String(index);
  });
  throw new UserError({
    problem: `--set ${path}: no item of this list is called ${word}`,
    fix:
      names.length === 0
        ? "the list is empty: name its first item 0"
        : `use one of ${names.join(", ")}, or ${items.length} for a new one`,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
