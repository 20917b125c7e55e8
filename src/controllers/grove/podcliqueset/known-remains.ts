/**
 * Of which replicas the caches show all that is left of other revisions. The server is asked once, while the last pods
 * are still on their way out; when they are gone, the caches tell.
 */
import type { Client } from "../../../runtime/client.ts";
import { clearOrphans } from "../clear-orphans.ts";
import { podsOfOtherRevisions } from "../old-revision-pods.ts";
import type { Observed } from "./observe.ts";
import { objectsOf } from "./observe.ts";
import type { AimedReplica } from "./replica-changes.ts";

interface Known {
  /** The name of the revision that all this is about. */
  readonly target: string;
  readonly indices: Set<number>;
}

export class KnownRemains {
  readonly #bySet = new Map<string, Known>();

  forget(owner: string): void {
    this.#bySet.delete(owner);
  }

  /** A clique of another revision is there: what is known was known of an earlier one. */
  forgetReplica(owner: string, index: number): void {
    this.#bySet.get(owner)?.indices.delete(index);
  }

  /** False while something may be there, or come, that the caches do not show. */
  async areKnown(
    client: Client,
    owner: string,
    observed: Observed,
    { index, revision }: AimedReplica,
  ): Promise<boolean> {
    const { indices } = this.#knownOf(owner, revision.name);
    if (indices.has(index)) return true;
    const { name, namespace, spec } = observed;
    const hasGroups = spec.template.podCliqueScalingGroups.length > 0;
    const place = { namespace, set: name, index, hasGroups };
    const left = await podsOfOtherRevisions(client, place, revision);
    await clearOrphans(client, left ?? []);
    const seen = new Set(objectsOf(observed, index).pods.map(({ metadata }) => metadata.uid));
    const isKnown = left?.every(({ metadata }) => seen.has(metadata.uid)) ?? false;
    if (isKnown) indices.add(index);
    return isKnown;
  }

  #knownOf(owner: string, target: string): Known {
    const found = this.#bySet.get(owner);
    const known = found?.target === target ? found : { target, indices: new Set<number>() };
    this.#bySet.set(owner, known);
    return known;
  }
}
