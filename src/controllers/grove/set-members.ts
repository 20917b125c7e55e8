/** Finds what belongs to a PodCliqueSet: by labels, never by taking names apart. */
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import type { Reader } from "../../runtime/reader.ts";
import { controllerOf } from "../engine/ownership.ts";

/** Index of everything that is part of one set. */
export const podCliqueSetIndex = "set";
/** Index of everything in one replica of a set. */
export const podCliqueSetReplicaIndex = "setReplica";

export function podCliqueSetKeys({ metadata }: KubeObject): readonly string[] {
  const set = metadata.labels?.[labelKeys.partOf];
  return set === undefined ? [] : [`${metadata.namespace ?? ""}/${set}`];
}

export function podCliqueSetReplicaKeys(object: KubeObject): readonly string[] {
  const index = numberLabel(object, labelKeys.setReplicaIndex);
  return index === undefined ? [] : podCliqueSetKeys(object).map((key) => `${key}/${index}`);
}

/** The set that controls an object, by name and uid. */
export function owningSet(
  sets: Reader<PodCliqueSet>,
  object: KubeObject,
): PodCliqueSet | undefined {
  const owner = controllerOf(object);
  if (owner === undefined) return undefined;
  const set = sets.get({ namespace: object.metadata.namespace, name: owner.name });
  return set?.metadata.uid === owner.uid ? set : undefined;
}

/** A whole number in a label; undefined where there is none. */
export function numberLabel({ metadata }: KubeObject, key: string): number | undefined {
  const text = metadata.labels?.[key] ?? "";
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}

export const compareNames = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number =>
  (a.name ?? "") < (b.name ?? "") ? -1 : 1;

export const inNameOrder = <T extends KubeObject>(objects: readonly T[]): readonly T[] =>
  objects.toSorted(compareNames);

/** Pods under the name of their PodClique, in name order. */
export function podsByClique(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  return groupedBy(inNameOrder(pods), (pod) => pod.metadata.labels?.[labelKeys.podClique] ?? "");
}

export function groupedBy<T, K>(
  items: readonly T[],
  key: (item: T) => K,
): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const known = groups.get(key(item));
    if (known === undefined) groups.set(key(item), [item]);
    else known.push(item);
  }
  return groups;
}
