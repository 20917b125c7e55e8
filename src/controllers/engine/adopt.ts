/** Takes over what an earlier owner left behind (`--cascade=orphan`), as the controllers of Kubernetes do. Pure. */
import type { KubeObject, OwnerReference } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { aFew } from "./action-events.ts";
import type { PatchWrite } from "./write.ts";
import { patchOf } from "./write.ts";

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
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion, ownerReferences } };
  const patch = { type: "merge", body } as const;
  return patchOf(resource, object, { patch, ifGone: ifLost, ifChanged: ifLost });
}
