/** Fields of a change that no server knows: a word that is misspelt is dropped, and nothing happens. */
import type { KubeObject } from "../api/object.ts";
import type { Fork } from "./fork.ts";
import type { Workload } from "./play.ts";

interface Change {
  readonly fork: Fork;
  readonly workload: Workload;
  readonly current: KubeObject | undefined;
  readonly written: KubeObject;
}

/** Of the warnings of a write. A cluster may be newer than the copy: what it has already is no mistake of a change. */
export async function newUnknownFields(
  warnings: readonly string[],
  { fork, workload, current, written }: Change,
): Promise<readonly string[]> {
  const unknown = warnings.filter((warning) => warning.startsWith("unknown field"));
  if (unknown.length === 0 || current === undefined) return unknown;
  const { resourceVersion } = written.metadata;
  const unchanged = { ...current, metadata: { ...current.metadata, resourceVersion } };
  const heard = fork.warnings.length;
  await fork.client.update(workload.resource, unchanged, { dryRun: true });
  const known = new Set(fork.warnings.slice(heard));
  return unknown.filter((warning) => !known.has(warning));
}
