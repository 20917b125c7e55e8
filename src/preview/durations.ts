/** How long pods take to become ready, as seen on those that run now. Pure. */
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { isReady, podCondition } from "../api/pod.ts";
import { parseTime } from "../api/time-text.ts";
import type { Catalogue, CatalogueEntry } from "../sim/images/catalogue.ts";

export interface DurationFlags {
  readonly startSeconds?: number | undefined;
  readonly stopSeconds?: number | undefined;
}

export interface Durations {
  readonly catalogue: Catalogue;
  /** Where they come from, in words. */
  readonly words: string;
}

/** Flags win; then what was seen of the same repository; then what the catalogue assumes. */
export function durationsOf(
  base: Catalogue,
  objects: readonly KubeObject[],
  { startSeconds, stopSeconds }: DurationFlags,
): Durations {
  const seen = startSeconds === undefined ? observedEntries(objects as readonly Pod[]) : [];
  const stop = stopSeconds === undefined ? {} : { terminationSeconds: stopSeconds };
  const given: CatalogueEntry[] =
    startSeconds === undefined && stopSeconds === undefined
      ? []
      : [{ match: "*", change: { ...started(startSeconds), ...stop } }];
  const count = seen.reduce((sum, { pods }) => sum + pods, 0);
  return {
    catalogue: { entries: [...base.entries, ...seen.map(({ entry }) => entry), ...given] },
    words: inWords({ startSeconds, stopSeconds }, count),
  };
}

const started = (seconds: number | undefined) =>
  seconds === undefined ? {} : { pullSeconds: 0, startSeconds: 0, readySeconds: seconds };

function inWords({ startSeconds, stopSeconds }: DurationFlags, pods: number): string {
  const starting =
    startSeconds !== undefined
      ? `pods start in ${startSeconds} s (--start-seconds)`
      : pods > 0
        ? `pods start as fast as ${pods} that run now did`
        : "pods start in 3 s, which is assumed: see --start-seconds";
  const stopping =
    stopSeconds === undefined
      ? "and stop in 1 s, which is assumed: see --stop-seconds"
      : `and stop in ${stopSeconds} s (--stop-seconds)`;
  return `${starting}, ${stopping}`;
}

interface Seen {
  readonly entry: CatalogueEntry;
  readonly pods: number;
}

/** The median of each repository: its next tag takes about as long. */
function observedEntries(pods: readonly Pod[]): readonly Seen[] {
  const byRepository = new Map<string, number[]>();
  for (const pod of pods) {
    const seconds = readyAfter(pod);
    if (seconds === undefined) continue;
    for (const { image = "" } of pod.spec.containers) {
      const repository = repositoryOf(image);
      byRepository.set(repository, [...(byRepository.get(repository) ?? []), seconds]);
    }
  }
  return [...byRepository].map(([repository, all]) => ({
    pods: all.length,
    entry: { match: `${repository}*`, change: started(median(all)) },
  }));
}

/** From its start to readiness; undefined where that says nothing, as for a pod that was restarted. */
function readyAfter(pod: Pod): number | undefined {
  const isRestarted = (pod.status?.containerStatuses ?? []).some(
    ({ restartCount }) => restartCount > 0,
  );
  if (!isReady(pod) || isRestarted) return undefined;
  const startMs = parseTime(pod.status?.startTime ?? "");
  const readyMs = parseTime(podCondition(pod, "Ready")?.lastTransitionTime ?? "");
  return startMs === undefined || readyMs === undefined || readyMs < startMs
    ? undefined
    : (readyMs - startMs) / 1000;
}

const repositoryOf = (image: string): string => {
  const name = image.split("@")[0] ?? image;
  const tag = name.lastIndexOf(":");
  return tag > name.lastIndexOf("/") ? name.slice(0, tag) : name;
};

const median = (amounts: readonly number[]): number =>
  amounts.toSorted((a, b) => a - b)[Math.floor(amounts.length / 2)] ?? 0;
