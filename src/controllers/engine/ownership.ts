/** Which objects a controller owns, which it should adopt, and which it must let go. */
import type { KubeObject, OwnerReference } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";

export interface Claimant {
  readonly uid: string;
  /** Nothing is adopted for an object that is being deleted. */
  readonly isDeleting: boolean;
  matches(object: KubeObject): boolean;
}

export interface Ownership<T> {
  /** Ours already, and rightly so. */
  readonly owned: readonly T[];
  readonly adopt: readonly T[];
  readonly release: readonly T[];
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** Sorts objects that are ours or orphans; those of another controller are ignored. */
export function sortOwnership<T extends KubeObject>(
  claimant: Claimant,
  objects: readonly T[],
): Ownership<T> {
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  for (const object of objects) {
    const controller = controllerOf(object);
    const matches = claimant.matches(object);
    if (controller?.uid === claimant.uid) {
      if (matches) owned.push(object);
      else if (!claimant.isDeleting) release.push(object);
      continue;
    }
    const mayAdopt = controller === undefined && matches && !claimant.isDeleting;
    if (mayAdopt && !isTerminating(object)) adopt.push(object);
  }
  return { owned, adopt, release };
}

/** Cache index key of the objects a controller may claim: its own by uid, and the orphans of a namespace. */
export function ownerIndexKeys(object: KubeObject): readonly string[] {
  const controller = controllerOf(object);
  return [controller === undefined ? orphansOf(object.metadata.namespace ?? "") : controller.uid];
}

export const orphansOf = (namespace: string): string => `orphan/${namespace}`;
