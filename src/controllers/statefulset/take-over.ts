/** Adopts orphans that belong to the set and lets go of what does not match it any more. */
import type { ControllerRevision, StatefulSet } from "../../api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { Resource } from "../../api/resource.ts";
import { ApiError, isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import { controllerReferenceTo } from "../engine/child-writes.ts";
import type { Ownership } from "../engine/ownership.ts";
import { adoptionPatch, releasePatch } from "../engine/ownership.ts";
import type { Observed } from "./observe.ts";

export async function takeOver(client: Client, observed: Observed): Promise<void> {
  const { set, podOwnership, revisionOwnership } = observed;
  const adopts = podOwnership.adopt.length + revisionOwnership.adopt.length > 0;
  if (adopts) await requireAlive(client, set);
  await settle<Pod>(client, set, podResource, podOwnership);
  await settle<ControllerRevision>(client, set, controllerRevisionResource, revisionOwnership);
}

/** The cache may be behind a deletion: an adopted object would then be deleted with the set. */
async function requireAlive(client: Client, set: StatefulSet): Promise<void> {
  const { namespace, name = "", uid } = set.metadata;
  const live = await client.get(statefulSetResource, { namespace, name });
  if (live.metadata.uid === uid && !isTerminating(live)) return;
  throw new Error(`StatefulSet ${namespace}/${name} is being deleted: it adopts nothing`);
}

async function settle<T extends KubeObject>(
  client: Client,
  set: StatefulSet,
  resource: Resource,
  { adopt, release }: Ownership<T>,
): Promise<void> {
  for (const object of adopt) {
    const body = adoptionPatch(object, controllerReferenceTo(statefulSetResource, set));
    await client.patch(resource, keyOf(object), { type: "strategic", body });
  }
  for (const object of release) {
    const body = releasePatch(object, set.metadata.uid ?? "");
    try {
      await client.patch(resource, keyOf(object), { type: "strategic", body });
    } catch (error) {
      // Gone, or replaced by a namesake: there is nothing left to let go of.
      if (!isNotFound(error) && !(error instanceof ApiError && error.code === 422)) throw error;
    }
  }
}

const keyOf = ({ metadata }: KubeObject): { namespace?: string; name: string } => ({
  namespace: metadata.namespace,
  name: metadata.name ?? "",
});
