/** Which objects a controller owns, which it adopts, as what an earlier owner left behind, and which it must let go. */
import type { KubeObject, OwnerReference } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { aFew } from "./action-events.ts";
import type { PatchWrite } from "./write.ts";
import { metadataPatch } from "./write.ts";

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
  return [controller === undefined ? orphanKey(object.metadata.namespace ?? "") : controller.uid];
}

export const orphanKey = (namespace: string): string => `orphan/${namespace}`;

/** An object of the given kind that nobody controls and that is there to stay. */
export interface Orphan {
  readonly resource: Resource;
  readonly object: KubeObject;
}

export function controllerReferenceTo(
  resource: Resource,
  { metadata }: KubeObject,
): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

export const adoptedText = (names: readonly string[]): string =>
  `took over ${aFew(names)}: left behind by an earlier owner`;

/** Both fail, or are skipped, where the object is another one by now or has changed since. */
type IfLost = "fail" | "skip";

export function adoptionWrite(
  owner: OwnerReference,
  { resource, object }: Orphan,
  ifLost: IfLost,
): PatchWrite {
  const owners = [...ownersBut(object, owner.uid), owner];
  return { ...ownersWrite({ resource, object }, owners, ifLost), isAdoption: true };
}

export const releaseWrite = (ownerUid: string, released: Orphan): PatchWrite =>
  ownersWrite(released, ownersBut(released.object, ownerUid), "skip");

const ownersBut = ({ metadata }: KubeObject, uid: string): readonly OwnerReference[] =>
  (metadata.ownerReferences ?? []).filter((each) => each.uid !== uid);

function ownersWrite(
  { resource, object }: Orphan,
  ownerReferences: readonly OwnerReference[],
  ifLost: IfLost,
): PatchWrite {
  const both = { ifGone: ifLost, ifChanged: ifLost };
  return metadataPatch(resource, object, { ownerReferences: [...ownerReferences] }, both);
}
