/** Deletes whose answer never came: they may have happened, so they are repeated before anything else. */
import type { ObjectKey } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { ApiError, isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import { lookUp } from "./live-reads.ts";

interface Delete {
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly uid: string;
  /** The state the decision was made on, where another state might not deserve it. */
  readonly resourceVersion?: string;
  readonly isTimely?: boolean;
}

export class UnconfirmedDeletes {
  readonly #byOwner = new Map<string, Map<string, Delete>>();

  /**
   * Deletes exactly this incarnation. An object that is gone, or replaced by one of the same name, counts as deleted.
   * False where it has changed since it was assessed: it stays, and the change causes another reconcile of its owner.
   */
  async delete(client: Client, ownerKey: string, request: Delete): Promise<boolean> {
    const { resource, key, uid, resourceVersion, isTimely } = request;
    try {
      await client.delete(resource, key, { uid, resourceVersion, ...(isTimely && { isTimely }) });
      return true;
    } catch (error) {
      // Without an answer it is unknown whether the unit still serves.
      if (!(error instanceof ApiError) || error.code >= 500) this.#keep(ownerKey, request);
      if (isNotFound(error)) return true;
      if (!isPreconditionFailed(error)) throw error;
      // A refusal may have another cause than a change or a successor of the same name; nothing would bring it back.
      if (await isUnchanged(client, request)) throw error;
      return resourceVersion === undefined;
    }
  }

  /**
   * Repeats unanswered deletes; rejects while there is still no answer. True where something was repeated: the caches
   * do not show it yet, so nothing may be decided before the next reconcile.
   */
  async confirm(client: Client, ownerKey: string): Promise<boolean> {
    const open = this.#byOwner.get(ownerKey);
    if (open === undefined) return false;
    for (const request of open.values()) {
      await this.delete(client, ownerKey, request);
      open.delete(request.uid);
    }
    this.#byOwner.delete(ownerKey);
    return true;
  }

  #keep(ownerKey: string, request: Delete): void {
    const open = this.#byOwner.get(ownerKey) ?? new Map<string, Delete>();
    this.#byOwner.set(ownerKey, open.set(request.uid, request));
  }
}

/** Whether the server still has what the decision was made on. */
async function isUnchanged(client: Client, request: Delete): Promise<boolean> {
  const { resource, key, uid, resourceVersion } = request;
  const found = (await lookUp(client, resource, key))?.metadata;
  return (
    found?.uid === uid &&
    found.deletionTimestamp === undefined &&
    (resourceVersion === undefined || found.resourceVersion === resourceVersion)
  );
}

/** The name belongs to a successor now, or the object has changed since it was assessed. */
const isPreconditionFailed = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 409;
