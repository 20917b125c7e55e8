/** How large an object may be where it is kept: a real server's store takes requests of up to 1.5 MiB. */
import type { KubeObject } from "../../api/object.ts";
import { tooLargeToStore } from "../errors.ts";
import type { ServedResource } from "../served-resource.ts";

export const mostStoredBytes = 1.5 * 1024 * 1024;

/** What a text or number may have around it, and how many bytes a character may take. */
const mostPerValue = 16;
const mostPerCharacter = 3;

/** Custom kinds are kept as JSON, built-in ones as protobuf, which has no names of fields. */
export function assertStorable(resource: ServedResource, object: KubeObject): void {
  const isJson = resource.listItemsAreTyped === true;
  if (boundOf(object) <= mostStoredBytes) return;
  const bytes = isJson ? Buffer.byteLength(JSON.stringify(object)) : protobufBytes(object);
  if (bytes > mostStoredBytes) throw tooLargeToStore();
}

/** Of parts that are stored already, which never change: most writes change the status and share the rest. */
const knownBounds = new WeakMap<object, number>();

/** A bound that is cheap to have: nearly all objects are far below the limit. */
function boundOf(object: KubeObject): number {
  let bytes = mostPerValue;
  for (const [key, part] of Object.entries(object)) {
    bytes += mostPerCharacter * key.length + boundOfPart(part);
  }
  return bytes;
}

function boundOfPart(part: unknown): number {
  if (typeof part !== "object" || part === null || !Object.isFrozen(part)) return atMost(part);
  const known = knownBounds.get(part);
  if (known !== undefined) return known;
  const bytes = atMost(part);
  knownBounds.set(part, bytes);
  return bytes;
}

function atMost(value: unknown): number {
  if (typeof value === "string") return mostPerValue + mostPerCharacter * value.length;
  if (typeof value !== "object" || value === null) return mostPerValue + mostPerCharacter * 4;
  let bytes = mostPerValue;
  for (const key in value) {
    bytes += mostPerCharacter * key.length + atMost((value as Record<string, unknown>)[key]);
  }
  return bytes;
}

/** About what the value takes behind the number of its field. */
function protobufBytes(value: unknown): number {
  if (typeof value === "string") return 3 + Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return 2;
  let bytes = 3;
  for (const key in value) bytes += protobufBytes((value as Record<string, unknown>)[key]);
  return bytes;
}
