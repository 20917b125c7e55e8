/**
 * JSON patch as the real server applies it, which is looser than the standard: `replace` may create a
 * key, `copy` of a missing key gives null, indexes may count from the end.
 */
import { isSameJson } from "../../api/same-json.ts";
import type { JsonObject } from "../served-resource.ts";
import { copyJson, getOwn, isRecord, setOwn } from "../schema/own-property.ts";
import { inapplicablePatch, malformedPatch, tooManyOperations } from "./patch-errors.ts";

const operationLimit = 10_000;

/** What all `copy` operations of a patch may copy together: each may double the document. */
const copyLimit = 3 * 1024 * 1024;

/** How many items all operations of a patch may push aside in lists: some tenths of a second of work. */
export const shiftLimit = 1_000_000_000;

type Container = JsonObject | unknown[];

interface Operation {
  readonly op: unknown;
  readonly path: unknown;
  readonly from: unknown;
  readonly value: unknown;
}

/** The patched copy; it may be anything, since a patch may replace the whole document. */
export function jsonPatch(original: JsonObject, patch: unknown): unknown {
  const spent: Spent = { copied: 0, shifted: 0 };
  let document: unknown = copyJson(original);
  for (const operation of readOperations(patch)) document = apply(document, operation, spent);
  return document;
}

function readOperations(patch: unknown): readonly Operation[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw malformedPatch(notOperations(patch, "[]handlers.jsonPatchOp"));
  if (patch.length > operationLimit) throw tooManyOperations(operationLimit, patch.length);
  return patch.map((item: unknown) => {
    if (!isRecord(item)) throw malformedPatch(notOperations(item, "handlers.jsonPatchOp"));
    return {
      op: getOwn(item, "op"),
      path: getOwn(item, "path"),
      from: getOwn(item, "from"),
      value: getOwn(item, "value") ?? null,
    };
  });
}

function notOperations(value: unknown, goType: string): string {
  const given = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `error decoding patch: json: cannot unmarshal ${given} into Go value of type ${goType}`;
}

/** Characters that were copied, and items that were pushed aside in lists. */
interface Spent {
  copied: number;
  shifted: number;
}

function apply(document: unknown, operation: Operation, spent: Spent): unknown {
  const path = parsePointer(operation.path);
  const value = copyJson(operation.value);
  switch (operation.op) {
    case "add":
      add(document, path, value, spent);
      return document;
    case "remove":
      remove(document, path, spent);
      return document;
    case "replace":
      return replace(document, path, value);
    case "move": {
      const from = parsePointer(operation.from);
      const moved = read(document, from);
      remove(document, from, spent);
      add(document, path, moved, spent);
      return document;
    }
    case "copy": {
      const source = read(document, parsePointer(operation.from));
      spent.copied += JSON.stringify(source).length;
      if (spent.copied > copyLimit) throw inapplicablePatch();
      add(document, path, copyJson(source), spent);
      return document;
    }
    case "test":
      if (!isSameJson(read(document, path), value)) throw inapplicablePatch();
      return document;
    default:
      throw inapplicablePatch();
  }
}

function parsePointer(pointer: unknown): readonly string[] {
  if (pointer === "") return [];
  if (typeof pointer !== "string" || !pointer.startsWith("/")) throw inapplicablePatch();
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Missing keys read as null; missing places in lists, and anything below what is missing, are refused. */
function read(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const key of path) value = child(asContainer(value), key);
  return value;
}

function child(container: Container, key: string): unknown {
  if (!Array.isArray(container)) return getOwn(container, key) ?? null;
  return container[existingIndex(container, key)] ?? null;
}

function asContainer(value: unknown): Container {
  if (Array.isArray(value) || isRecord(value)) return value;
  throw inapplicablePatch();
}

function place(document: unknown, path: readonly string[]): readonly [Container, string] {
  const key = path.at(-1);
  if (key === undefined) throw inapplicablePatch();
  return [asContainer(read(document, path.slice(0, -1))), key];
}

function add(document: unknown, path: readonly string[], value: unknown, spent: Spent): void {
  const [container, key] = place(document, path);
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
    return;
  }
  const index = key === "-" ? container.length : indexIn(key, container.length + 1);
  chargeShift(spent, container.length - index);
  container.splice(index, 0, value);
}

function remove(document: unknown, path: readonly string[], spent: Spent): void {
  const [container, key] = place(document, path);
  if (Array.isArray(container)) {
    const index = existingIndex(container, key);
    chargeShift(spent, container.length - index);
    container.splice(index, 1);
    return;
  }
  if (!Object.hasOwn(container, key)) throw inapplicablePatch();
  delete container[key];
}

function replace(document: unknown, path: readonly string[], value: unknown): unknown {
  if (path.length === 0) return value;
  const [container, key] = place(document, path);
  if (Array.isArray(container)) container[existingIndex(container, key)] = value;
  else setOwn(container, key, value);
  return document;
}

function chargeShift(spent: Spent, items: number): void {
  spent.shifted += items;
  if (spent.shifted > shiftLimit) throw inapplicablePatch();
}

const existingIndex = (list: readonly unknown[], key: string): number => indexIn(key, list.length);

/** An index below `size`; negative ones count from the end. */
function indexIn(key: string, size: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw inapplicablePatch();
  const given = Number(key);
  const index = given < 0 ? given + size : given;
  if (index < 0 || index >= size) throw inapplicablePatch();
  return index;
}
