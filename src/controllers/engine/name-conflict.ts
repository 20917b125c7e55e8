/** Tells the user of an object that has the name of one to be made: a stranger would be in the way for ever. */
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { NameTakenError } from "./child-writes.ts";
import type { Adopter } from "./adopt.ts";
import { lookUp } from "./live-reads.ts";
import { controllerOf } from "./ownership.ts";

export interface NameConflictTexts {
  readonly reason: string;
  /** What the user can do about it. */
  readonly remedy: string;
  /** Whether the next reconcile takes the object over. */
  isOrphan(found: KubeObject): boolean;
}

export async function tellTaken(
  { client, events, resource, owner }: Adopter,
  texts: NameConflictTexts,
  { resource: kind, key }: NameTakenError,
): Promise<void> {
  const found = await lookUp(client, kind, key);
  if (found === undefined || isPassing(found, resource.kind, owner)) return;
  if (texts.isOrphan(found)) return;
  const { kind: whose, name } = controllerOf(found) ?? {};
  const controlled =
    whose === undefined ? "is controlled by nobody" : `belongs to ${whose} ${name}`;
  const message =
    `${kind.kind} ${key.name} exists already and ${controlled}, so none can be made for ${owner.metadata.name}: ` +
    texts.remedy;
  events.record(owner, { type: "Warning", reason: texts.reason, message });
}

/** On its way out, or ours or an earlier owner's: the caches or the collector are only late. */
function isPassing(found: KubeObject, ownerKind: string, { metadata }: KubeObject): boolean {
  const controller = controllerOf(found);
  return (
    isTerminating(found) || (controller?.kind === ownerKind && controller.name === metadata.name)
  );
}
