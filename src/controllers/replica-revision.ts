/** Keeps the promise of ReplicaRecreate: what is left of another revision must be gone before anything starts. */
import { labelKeys } from "../api/grove/labels.ts";
import type { PodClique } from "../api/grove/podclique.ts";
import type { Pod } from "../api/pod.ts";
import type { SetRevision } from "./set-revisions.ts";

/** Whether anything here, even if it is going, was made from another revision's template of its clique. */
export function holdsAnotherRevision(
  objects: readonly (PodClique | Pod)[],
  revision: SetRevision,
): boolean {
  const hashes = new Set(Object.values(revision.cliqueHashes));
  return objects.some(
    ({ metadata }) => !hashes.has(metadata.labels?.[labelKeys.podTemplateHash] ?? ""),
  );
}
