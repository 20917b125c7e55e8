/** Takes over what an earlier owner left behind (`--cascade=orphan`), as the controllers of Kubernetes do. */
import { eventReasons } from "../../api/grove/conditions.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { isConflict, isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { controllerReferenceTo, keyOfObject } from "./child-writes.ts";
import { aFew } from "./action-words.ts";
import { isStillThere, lookAgainMs } from "./live-reads.ts";
import { slowStart } from "./slow-start.ts";

/** An object that nobody controls and that is there to stay, and what it is. */
export interface Orphan {
  readonly resource: Resource;
  readonly object: KubeObject;
}

export interface Adopter {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly resource: Resource;
  readonly owner: KubeObject;
}

/** When to look again: nothing is decided before the caches show what changed hands. Undefined where nothing had to. */
export async function adopt(
  adopter: Adopter,
  orphans: readonly Orphan[],
): Promise<number | undefined> {
  if (orphans.length === 0) return undefined;
  const { client, events, resource, owner } = adopter;
  // What an owner takes over on its way out, it would take along.
  if (!(await isStillThere(client, resource, owner))) return lookAgainMs;
  const adopted: string[] = [];
  const tasks = orphans.map((orphan) => async () => {
    if (await adoptOne(adopter, orphan)) {
      adopted.push(`${orphan.resource.kind} ${orphan.object.metadata.name}`);
    }
  });
  try {
    await slowStart(tasks);
  } finally {
    if (adopted.length > 0) {
      const message = `took over ${aFew(adopted)}: left behind by an earlier owner`;
      events.record(owner, { type: "Normal", reason: eventReasons.adopted, message });
    }
  }
  return adopted.length > 0 ? 0 : lookAgainMs;
}

/** False where it is another object by now, or has changed since: then that comes by the watch. */
async function adoptOne(
  { client, resource, owner }: Adopter,
  { resource: kind, object }: Orphan,
): Promise<boolean> {
  const { uid, resourceVersion, ownerReferences = [] } = object.metadata;
  const reference = controllerReferenceTo(resource, owner);
  const others = ownerReferences.filter((each) => each.uid !== reference.uid);
  const body = { metadata: { uid, resourceVersion, ownerReferences: [...others, reference] } };
  try {
    await client.patch(kind, keyOfObject(object), { type: "merge", body });
    return true;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false;
    throw error;
  }
}
