/** How a reconcile of a kind with children begins: first what is left open, then a look, then whom it may care for. */
import type { KubeObject, ObjectKey } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { Client } from "../../runtime/client.ts";
import type { Outcome, Reconcile } from "../../runtime/controller.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { keyText } from "../../runtime/object-store.ts";
import { adopt } from "./adopt.ts";
import { NameTakenError } from "./child-writes.ts";
import type { NameConflictTexts } from "./name-conflict.ts";
import { tellTaken } from "./name-conflict.ts";
import type { Orphan } from "./adopt.ts";
import { UnconfirmedDeletes } from "./unconfirmed-deletes.ts";

/** What one look at an object works with. */
export interface Look<O> {
  readonly client: Client;
  readonly deletes: UnconfirmedDeletes;
  /** The object's key: whose deletes, statuses and claims these are. */
  readonly owner: string;
  readonly observed: O;
}

export interface Attended<O> {
  readonly resource: Resource;
  readonly events: EventRecorder;
  readonly nameConflicts: NameConflictTexts;
  /** Undefined where the object, or something it cannot do without, is not there. */
  observe(key: ObjectKey): O | undefined;
  /** Drops what is remembered of an object that is gone. */
  forget(owner: string): void;
  objectOf(observed: O): KubeObject;
  orphansOf(observed: O): readonly Orphan[];
  /** For one that is being deleted; nothing, unless it holds itself up. */
  release?(look: Look<O>): Promise<Outcome | void>;
  attend(look: Look<O>): Promise<Outcome | void>;
}

export function attended<O>(kind: Attended<O>): Reconcile {
  const { resource, events } = kind;
  const deletes = new UnconfirmedDeletes();
  return async (key, client) => {
    const owner = keyText(key);
    if (await deletes.confirm(client, owner)) return { recheckAfterMs: 0 };
    const observed = kind.observe(key);
    if (observed === undefined) return kind.forget(owner);
    const look = { client, deletes, owner, observed };
    const object = kind.objectOf(observed);
    if (isTerminating(object)) return kind.release?.(look);
    const adopter = { client, events, resource, owner: object };
    const adoptedAfterMs = await adopt(adopter, kind.orphansOf(observed));
    if (adoptedAfterMs !== undefined) return { recheckAfterMs: adoptedAfterMs };
    try {
      return await kind.attend(look);
    } catch (error) {
      if (error instanceof NameTakenError) await tellTaken(adopter, kind.nameConflicts, error);
      throw error;
    }
  };
}
