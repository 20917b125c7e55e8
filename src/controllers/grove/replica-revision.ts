/** Keeps the promise of ReplicaRecreate: what is left of another revision must be gone before anything starts. */
import type { PodClique } from "../../api/grove/podclique.ts";
import type { Pod } from "../../api/pod.ts";
import { templateHash } from "./clique-state.ts";
import type { SetRevision } from "./set-revisions.ts";

/** Whether anything here, even if it is going, was made from another revision's template of its clique. */
export function holdsAnotherRevision(
  objects: readonly (PodClique | Pod)[],
  revision: SetRevision,
): boolean {
  const hashes = new Set(Object.values(revision.cliqueHashes));
  return objects.some((object) => !hashes.has(templateHash(object)));
}

/** An update that has begun and not ended. */
export const isOpen = (progress: { readonly updateEndedAt?: string } | undefined): boolean =>
  progress !== undefined && progress.updateEndedAt === undefined;
