/** Adopts the orphans that a selector matches and releases what it no longer matches, as Kubernetes does. */
import type { LabelSelector } from "../../api/label-selector.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import type { KubeObject, OwnerReference } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { isConflict, isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import type { Reader } from "../../runtime/reader.ts";

export const ownerIndex = "owner";
export const namespaceIndex = "namespace";

export const namespaceKeys = ({ metadata }: KubeObject): readonly string[] => [
  metadata.namespace ?? "",
];

/** By the uid of the controller, or among the orphans of the namespace. */
export function ownerKeys(object: KubeObject): readonly string[] {
  return [controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace)];
}

export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

const orphansOf = (namespace = ""): string => `orphan/${namespace}`;

export function controllerReference(resource: Resource, { metadata }: KubeObject): OwnerReference {
  const { name = "", uid = "" } = metadata;
  const apiVersion = apiVersionOf(resource);
  const { kind } = resource;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** An owner with its selector, and where its objects are read. */
export interface Claimant<T extends KubeObject> {
  readonly client: Client;
  readonly resource: Resource;
  readonly owner: KubeObject;
  readonly selector: LabelSelector;
  readonly claimed: { readonly resource: Resource; readonly reader: Reader<T> };
}

/** What belongs to the owner once adoptions and releases are written. */
export async function claim<T extends KubeObject>(claimant: Claimant<T>): Promise<readonly T[]> {
  const { owner, selector, claimed } = claimant;
  const { uid = "", namespace } = owner.metadata;
  const matches = ({ metadata }: T): boolean => selectorMatches(selector, metadata.labels);
  const owned = claimed.reader.byIndex(ownerIndex, uid);
  // What an owner adopts while it is deleted would be deleted with it.
  if (isTerminating(owner)) return owned;
  for (const object of owned.filter((each) => !matches(each))) await release(claimant, object);
  const orphans = claimed.reader
    .byIndex(ownerIndex, orphansOf(namespace))
    .filter((each) => matches(each) && !isTerminating(each));
  const adopted = orphans.length > 0 ? await adoptAll(claimant, orphans) : [];
  return [...owned.filter(matches), ...adopted];
}

async function adoptAll<T extends KubeObject>(
  claimant: Claimant<T>,
  orphans: readonly T[],
): Promise<readonly T[]> {
  const { client, resource, owner } = claimant;
  const { namespace, name = "", uid } = owner.metadata;
  // The cache may be late: an owner that is gone, or is another one by now, adopts nothing.
  const { metadata: fresh } = await client.get(resource, { namespace, name });
  if (fresh.uid !== uid || fresh.deletionTimestamp !== undefined) return [];
  const reference = controllerReference(resource, owner);
  const adopted = await Promise.all(
    orphans.map((object) =>
      writeOwners(claimant, object, [...(object.metadata.ownerReferences ?? []), reference]),
    ),
  );
  return adopted.filter((object) => object !== undefined);
}

const release = <T extends KubeObject>(claimant: Claimant<T>, object: T) =>
  writeOwners(
    claimant,
    object,
    (object.metadata.ownerReferences ?? []).filter(
      ({ uid }) => uid !== claimant.owner.metadata.uid,
    ),
  );

/** Undefined where the object has changed or gone since: the watch brings it back. */
async function writeOwners<T extends KubeObject>(
  { client, claimed }: Claimant<T>,
  { metadata }: T,
  ownerReferences: readonly OwnerReference[],
): Promise<T | undefined> {
  const { namespace, name = "", uid, resourceVersion } = metadata;
  const body = { metadata: { uid, resourceVersion, ownerReferences } };
  try {
    return await client.patch<T>(claimed.resource, { namespace, name }, { type: "merge", body });
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
