/** Looks at the server before pods are made again: a clique whose deletion the cache has yet to show gets no more. */
import type { PodClique } from "../../api/grove/podclique.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import type { Client } from "../../runtime/client.ts";
import { isStillThere } from "../still-there.ts";

export class LiveLook {
  /** By the clique's key: the uid that pods were made for. */
  readonly #made = new Map<string, string>();

  forget(owner: string): void {
    this.#made.delete(owner);
  }

  /**
   * The collector deletes pods of a clique that is gone as fast as they are made. The first ones are made without a
   * look: a clique that was just made is there.
   */
  async mayMakePods(client: Client, owner: string, clique: PodClique): Promise<boolean> {
    const { uid = "" } = clique.metadata;
    if (this.#made.get(owner) !== uid) {
      this.#made.set(owner, uid);
      return true;
    }
    return isStillThere(client, podCliqueResource, clique);
  }
}
