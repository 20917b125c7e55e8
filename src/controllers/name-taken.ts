/** Tells the user of an object that has the name of one to be made: a stranger would be in the way for ever. */
import { eventReasons } from "../api/grove/conditions.ts";
import type { KubeObject } from "../api/object.ts";
import { isGoing } from "../api/object.ts";
import type { NameTakenError } from "./child-writes.ts";
import type { Adopter } from "./adopt.ts";
import { lookUp } from "./live-look.ts";
import { orphansAmong } from "./orphans.ts";
import { controllerOf } from "./ownership.ts";

export async function tellTaken(
  { client, events, resource, owner }: Adopter,
  { resource: kind, key }: NameTakenError,
): Promise<void> {
  const found = await lookUp(client, kind, key);
  if (found === undefined || isPassing(found, resource.kind, owner)) return;
  if (orphansAmong(kind, [found]).length > 0) return;
  const { kind: whose, name } = controllerOf(found) ?? {};
  const controlled =
    whose === undefined ? "is controlled by nobody" : `belongs to ${whose} ${name}`;
  const message =
    `${kind.kind} ${key.name} exists already and ${controlled}, so none can be made for ${owner.metadata.name}: ` +
    "delete it, or give the PodCliqueSet another name";
  events.record(owner, { type: "Warning", reason: eventReasons.nameTaken, message });
}

/** On its way out, or ours or an earlier owner's: the caches or the collector are only late. */
function isPassing(found: KubeObject, ownerKind: string, { metadata }: KubeObject): boolean {
  const controller = controllerOf(found);
  return isGoing(found) || (controller?.kind === ownerKind && controller.name === metadata.name);
}
