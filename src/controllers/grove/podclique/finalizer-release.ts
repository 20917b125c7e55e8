/** Lets go of a deleted clique, once: the cache may show it for a while after the server has let it go. */
import { finalizers } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { isNotFound } from "../../../api/status.ts";
import type { Client } from "../../../runtime/client.ts";

export class FinalizerRelease {
  /** By the clique's key: the uid that was let go. */
  readonly #released = new Map<string, string>();

  forget(owner: string): void {
    this.#released.delete(owner);
  }

  /** What is to go before it is cleared first: a collector that finds the clique gone would ask for the same. */
  async release(
    client: Client,
    owner: string,
    { metadata }: PodClique,
    clear: () => Promise<void>,
  ): Promise<void> {
    const { namespace, name = "", uid = "", resourceVersion, finalizers: all = [] } = metadata;
    const kept = all.filter((finalizer) => finalizer !== finalizers.podClique);
    if (kept.length === all.length || this.#released.get(owner) === uid) return;
    await clear();
    const body = { metadata: { resourceVersion, finalizers: kept } };
    try {
      await client.patch(podCliqueResource, { namespace, name }, { type: "merge", body });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#released.set(owner, uid);
  }
}
