/** Knows whether a clique gets its first pods: only those are made without a look at the server. */
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { Client } from "../../../runtime/client.ts";
import { isStillThere } from "../../engine/live-reads.ts";

export class Firstborn {
  /** By the clique's key: the uid that pods were made for. */
  readonly #made = new Map<string, string>();

  forget(owner: string): void {
    this.#made.delete(owner);
  }

  /**
   * A clique that was just made is there. Of one that has pods or a status already, the deletion may be on its way to
   * the cache, and the collector deletes its pods as fast as they are made.
   */
  async mayMakePods(client: Client, owner: string, clique: PodClique): Promise<boolean> {
    const { uid = "" } = clique.metadata;
    const isFirst = clique.status === undefined && this.#made.get(owner) !== uid;
    this.#made.set(owner, uid);
    return isFirst || isStillThere(client, podCliqueResource, clique);
  }
}
