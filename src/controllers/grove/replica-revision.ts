/** The promise of ReplicaRecreate: everything of another revision must be gone before anything starts. */
import type { PodClique } from "../../api/grove/podclique.ts";
import type { Pod } from "../../api/pod.ts";
import { templateHash } from "./clique-state.ts";
import type { SetRevision } from "./set-revisions.ts";

/** Whether any of these, terminating or not, was created from the template of another revision. */
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
