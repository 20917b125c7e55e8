/** Reports an object that has the name of one to be created: a stranger would be in the way for ever. */
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import { lookUp } from "./live-reads.ts";
import { controllerOf } from "./ownership.ts";
import type { NameConflictError } from "./perform.ts";
import type { LiveReader } from "./write.ts";

export interface NameConflictTexts {
  readonly reason: string;
  /** What the user can do about it. */
  readonly remedy: string;
  /** Whether the next reconcile takes the object over. */
  isOrphan(found: KubeObject): boolean;
}

interface Conflict {
  readonly resource: Resource;
  readonly owner: KubeObject;
  readonly texts: NameConflictTexts;
}

/** Undefined where the conflict ends by itself. */
export async function nameConflictEvent(
  live: LiveReader,
  { resource, owner, texts }: Conflict,
  { resource: taken, key }: NameConflictError,
): Promise<EventText | undefined> {
  const found = await lookUp(live, taken, key);
  if (found === undefined || endsByItself(found, resource.kind, owner)) return undefined;
  if (texts.isOrphan(found)) return undefined;
  const { kind: whose, name } = controllerOf(found) ?? {};
  const controlled =
    whose === undefined ? "is controlled by nobody" : `belongs to ${whose} ${name}`;
  const message =
    `${taken.kind} ${key.name} exists already and ${controlled}, so none can be made for ${owner.metadata.name}: ` +
    texts.remedy;
  return { type: "Warning", reason: texts.reason, message };
}

/** It is terminating, or it is ours or an earlier owner's: the caches or the garbage collector are only late. */
function endsByItself(found: KubeObject, ownerKind: string, { metadata }: KubeObject): boolean {
  const controller = controllerOf(found);
  return (
    isTerminating(found) || (controller?.kind === ownerKind && controller.name === metadata.name)
  );
}
