/** Deletes whose answer never came: they may have happened, so they are asked for again before anything else. */
import type { ObjectKey } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { ApiError, isNotFound } from "../api/status.ts";
import type { Client } from "../runtime/client.ts";

interface Delete {
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly uid: string;
}

export class UnconfirmedDeletes {
  readonly #byOwner = new Map<string, Map<string, Delete>>();

  /** Deletes exactly this incarnation. An object that is gone, or replaced by a namesake, counts as deleted. */
  async delete(client: Client, owner: string, request: Delete): Promise<void> {
    const { resource, key, uid } = request;
    try {
      await client.delete(resource, key, { uid });
    } catch (error) {
      // A clear answer is an answer; no answer leaves it open whether the unit still serves.
      if (!(error instanceof ApiError) || error.code >= 500) this.#remember(owner, request);
      if (isNotFound(error) || isNamesake(error)) return;
      throw error;
    }
  }

  /**
   * Repeats what was left open; rejects while there is still no answer. True where something was repeated: the
   * caches do not show it yet, so nothing may be decided before the next look.
   */
  async confirm(client: Client, owner: string): Promise<boolean> {
    const open = this.#byOwner.get(owner);
    if (open === undefined) return false;
    for (const request of open.values()) {
      await this.delete(client, owner, request);
      open.delete(request.uid);
    }
    this.#byOwner.delete(owner);
    return true;
  }

  #remember(owner: string, request: Delete): void {
    const open = this.#byOwner.get(owner) ?? new Map<string, Delete>();
    this.#byOwner.set(owner, open.set(request.uid, request));
  }
}

/** The uid precondition failed: the name belongs to a successor now. */
const isNamesake = (error: unknown): boolean => error instanceof ApiError && error.code === 409;
