/** Lists in strategic merge patches: by merge key for objects, as sets for plain values. */
import type { JsonObject } from "../served-resource.ts";
import { copyJson, getOwn, isRecord } from "../schema/own-property.ts";
import { goText } from "./go-text.ts";
import type { ListMerge, StructMerge } from "./merge-rules.ts";
import { invalidPatch } from "./patch-errors.ts";
import { unknownDirective, withoutDirectives } from "./strategic-directives.ts";
import { inMergedOrder } from "./strategic-order.ts";

/** How two elements with the same key become one. */
export type MergeElements = (
  type: StructMerge | undefined,
  present: JsonObject,
  patched: JsonObject,
) => JsonObject;

export interface ListPatch {
  readonly elements: readonly unknown[];
  /** The list names plain values to remove. */
  readonly isDeletion: boolean;
}

export function mergeLists(
  rule: ListMerge,
  present: readonly unknown[],
  patch: ListPatch,
  mergeElement: MergeElements,
): unknown[] {
  if (!rule.merges) return patch.isDeletion ? [...present] : [...patch.elements].map(copyJson);
  if (present.length === 0 && patch.elements.length === 0) return [];
  if (!isListOfMaps([...present, ...patch.elements], present, patch.elements)) {
    return mergePlain(present, patch);
  }
  const key = mergeKeyOf(rule);
  const { remaining, additions, isReplaced } = applyElementDirectives(key, present, patch.elements);
  if (isReplaced) return additions.map(copyJson);
  return inMergedOrder({
    merged: mergeElements(key, remaining, additions, (found, addition) =>
      mergeElement(rule.element?.(), found, addition),
    ),
    named: additions.map((element) => identify(key, element)),
    before: present.map((element) => identify(key, element as JsonObject)),
    identify: (element) => identify(key, element),
  });
}

export interface OrderedPatch {
  readonly present: readonly unknown[];
  readonly patched: readonly unknown[];
  /** Elements with their merge key only, or plain values. */
  readonly order: readonly unknown[];
}

export function orderedLists(
  rule: ListMerge,
  { present, patched, order }: OrderedPatch,
  mergeElement: MergeElements,
): unknown[] {
  const key = rule.mergeKey;
  const id = (element: unknown): string =>
    key !== undefined && isRecord(element) ? identify(key, element) : JSON.stringify(element);
  assertInOrder({ patched, order, id });
  return inMergedOrder({
    merged: mergeLists(rule, present, { elements: patched, isDeletion: false }, mergeElement),
    named: order.map(id),
    before: present.map(id),
    identify: id,
  });
}

function assertInOrder(
  given: Pick<OrderedPatch, "patched" | "order"> & { id: (element: unknown) => string },
): void {
  const { patched, order, id } = given;
  let next = 0;
  const ids = order.map(id);
  for (const element of patched) {
    if (isRecord(element) && getOwn(element, "$patch") !== undefined) continue;
    const found = ids.indexOf(id(element), next);
    if (found < 0) {
      throw invalidPatch(
        `The order in patch list:\n${goText(patched)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
      );
    }
    next = found + 1;
  }
}

function isListOfMaps(
  all: readonly unknown[],
  present: readonly unknown[],
  patched: readonly unknown[],
): all is JsonObject[] {
  const maps = all.filter(isRecord).length;
  if (maps > 0 && maps < all.length) {
    const shown = goText([present, patched]);
    throw invalidPatch(`list element types are not identical: ${shown}`);
  }
  return maps > 0;
}

function mergePlain(present: readonly unknown[], { elements, isDeletion }: ListPatch): unknown[] {
  if (isDeletion) {
    const gone = new Set(elements.map((item) => JSON.stringify(item)));
    return present.filter((item) => !gone.has(JSON.stringify(item)));
  }
  const ids = (list: readonly unknown[]): string[] => list.map((item) => JSON.stringify(item));
  const merged = [
    ...new Map([...present, ...elements].map((item) => [JSON.stringify(item), item])),
  ];
  return inMergedOrder({
    merged: merged.map(([, item]) => item),
    named: ids(elements),
    before: ids(present),
    identify: (item) => JSON.stringify(item),
  });
}

function mergeKeyOf(rule: ListMerge): string {
  if (rule.mergeKey !== undefined) return rule.mergeKey;
  const name = rule.element?.().name ?? "map";
  throw invalidPatch(`cannot merge lists without merge key for type ${name}`);
}

function identify(key: string, element: JsonObject): string {
  const value = getOwn(element, key);
  if (value === undefined) {
    throw invalidPatch(`map: ${goText(element)} does not contain declared merge key: ${key}`);
  }
  return goText(value);
}

interface Sorted {
  readonly remaining: readonly JsonObject[];
  readonly additions: readonly JsonObject[];
  readonly isReplaced: boolean;
}

/** Removes elements with `$patch: delete`; `$patch: replace` anywhere replaces the whole list. */
function applyElementDirectives(
  key: string,
  present: readonly unknown[],
  patched: readonly unknown[],
): Sorted {
  const gone = new Set<string>();
  const additions: JsonObject[] = [];
  let isReplaced = false;
  for (const element of patched as readonly JsonObject[]) {
    const directive = getOwn(element, "$patch");
    if (directive === undefined) additions.push(element);
    else if (directive === "delete") gone.add(identify(key, element));
    else if (directive === "replace") isReplaced = true;
    else if (directive === "merge") {
      throw invalidPatch("merging lists cannot yet be specified in the patch");
    } else throw unknownDirective(element);
  }
  const remaining = (present as readonly JsonObject[]).filter(
    (element) => gone.size === 0 || !gone.has(identify(key, element)),
  );
  return { remaining, additions, isReplaced };
}

function mergeElements(
  key: string,
  remaining: readonly JsonObject[],
  additions: readonly JsonObject[],
  mergeElement: (found: JsonObject, addition: JsonObject) => JsonObject,
): JsonObject[] {
  const merged = [...remaining];
  if (additions.length === 0) return merged;
  // Of several elements with one key the first is merged with.
  const places = new Map(
    merged.toReversed().map((element, index) => {
      return [identify(key, element), merged.length - 1 - index];
    }),
  );
  for (const addition of additions) {
    const id = identify(key, addition);
    const index = places.get(id) ?? merged.length;
    const found = merged[index];
    merged[index] =
      found === undefined
        ? (withoutDirectives(addition) as JsonObject)
        : mergeElement(found, addition);
    places.set(id, index);
  }
  return merged;
}
