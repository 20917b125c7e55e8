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

export interface DurationFacts extends DurationFlags {
  /** Images of the workload after the change. */
  readonly images: readonly string[];
}

const noStarts: ReadonlyMap<string, readonly Started[]> = new Map();

/** Flags win; then what was seen of the same repository; then what the catalogue assumes. */
export function durationsOf(
  base: Catalogue,
  objects: readonly KubeObject[],
  { images, startSeconds, stopSeconds }: DurationFacts,
): Durations {
  const seen = startSeconds === undefined ? observedStarts(objects as readonly Pod[]) : noStarts;
  const stop = stopSeconds === undefined ? {} : { terminationSeconds: stopSeconds };
  const given: CatalogueEntry[] =
    startSeconds === undefined && stopSeconds === undefined
      ? []
      : [{ match: "*", change: { ...started(startSeconds), ...stop } }];
  const entries = [...seen].flatMap(([repository, all]) => entriesOf(repository, behaviourOf(all)));
  return {
    catalogue: { entries: [...base.entries, ...entries, ...given] },
    words: inWords({ startSeconds, stopSeconds }, basisOf(images, seen)),
  };
}

/** Of a repository, whatever the tag; another one may begin with the same words. */
const entriesOf = (repository: string, change: CatalogueEntry["change"]): CatalogueEntry[] =>
  [repository, `${repository}:*`, `${repository}@*`].map((match) => ({ match, change }));

/** What is known of the images that are to run. */
interface Basis {
  /** How many pods of their repositories were seen to start. */
  readonly pods: number;
  readonly unseen: readonly string[];
}

function basisOf(images: readonly string[], seen: ReadonlyMap<string, readonly Started[]>): Basis {
  const repositories = [...new Set(images.map(repositoryOf))].toSorted();
  const pods = new Set(
    repositories.flatMap((each) => (seen.get(each) ?? []).map(({ pod }) => pod)),
  );
  return { pods: pods.size, unseen: repositories.filter((each) => !seen.has(each)) };
}

const started = (seconds: number | undefined) =>
  seconds === undefined ? {} : { pullSeconds: 0, startSeconds: 0, readySeconds: seconds };

function inWords({ startSeconds, stopSeconds }: DurationFlags, basis: Basis): string {
  const starting =
    startSeconds === undefined
      ? startingInWords(basis)
      : `pods start in ${startSeconds} s (--start-seconds)`;
  const stopping =
    stopSeconds === undefined
      ? "and stop in 1 s, which is assumed: see --stop-seconds"
      : `and stop in ${stopSeconds} s (--stop-seconds)`;
  return `${starting}, ${stopping}`;
}

function startingInWords({ pods, unseen }: Basis): string {
  const assumed = "in 3 s, which is assumed: see --start-seconds";
  if (pods === 0) return `pods start ${assumed}`;
  const observed = `pods start as fast as ${pods} that ${pods === 1 ? "runs" : "run"} now did`;
  const [first, ...more] = unseen;
  if (first === undefined) return observed;
  const others = more.length === 0 ? "" : ` and ${more.length} more repositories`;
  return `${observed}, those of ${first}${others} ${assumed}`;
}

/** How one container of a pod started. */
interface Started {
  readonly pod: Pod;
  /** From the pod's start until the container ran: its image was pulled, or there already. */
  readonly runSeconds: number;
  /** From then until it was ready. */
  readonly readySeconds: number;
  /** Its node had run the same image before. */
  readonly hadImage: boolean;
}

/** By repository, since its next tag takes about as long. */
function observedStarts(pods: readonly Pod[]): ReadonlyMap<string, readonly Started[]> {
  const byRepository = new Map<string, Started[]>();
  const readySince = firstReady(pods);
  for (const pod of pods) {
    for (const { image = "", name, readinessProbe } of pod.spec.containers) {
      const started = startOf(pod, name, (readinessProbe?.periodSeconds ?? 10) / 2);
      if (started === undefined) continue;
      const { wholeSeconds, placedAt } = started;
      const repository = repositoryOf(image);
      const all = byRepository.get(repository) ?? [];
      all.push({
        pod,
        runSeconds: started.runSeconds,
        readySeconds: readinessProbe === undefined ? wholeSeconds : started.readySeconds,
        hadImage: (readySince.get(placeOf(pod, image)) ?? Infinity) <= placedAt,
      });
      byRepository.set(repository, all);
    }
  }
  return byRepository;
}

const placeOf = ({ spec }: Pod, image: string): string => `${spec.nodeName ?? ""} ${image}`;

/** When the first pod of an image was ready on a node, of those that run there now. */
function firstReady(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const moments = new Map<string, number>();
  for (const pod of pods) {
    const readyAt = secondsAt(podCondition(pod, "Ready")?.lastTransitionTime);
    if (!isReady(pod) || Number.isNaN(readyAt)) continue;
    for (const { image = "" } of pod.spec.containers) {
      const place = placeOf(pod, image);
      moments.set(place, Math.min(moments.get(place) ?? Infinity, readyAt));
    }
  }
  return moments;
}

/** Times are whole seconds: of two pods that took equally long, one seems to have taken a second more. */
const grainSeconds = 1;

/**
 * Pods on nodes that had their image say how long a start takes; what the others took longer is the pull. Means and not
 * medians: only they keep the fractions that whole seconds lose.
 */
function behaviourOf(all: readonly Started[]) {
  const fastest = all.reduce((least, { runSeconds }) => Math.min(least, runSeconds), Infinity);
  const isQuick = (run: Started): boolean => run.runSeconds <= fastest + grainSeconds;
  const known = all.filter(({ hadImage }) => hadImage);
  const others = all.filter(({ hadImage }) => !hadImage);
  const [quick, pulled] =
    known.length > 0 ? [known, others] : [all.filter(isQuick), all.filter((run) => !isQuick(run))];
  const runs = (some: readonly Started[]) => some.map(({ runSeconds }) => runSeconds);
  const startSeconds = usual(runs(quick));
  const pullSeconds = Math.max(0, pulled.length === 0 ? 0 : usual(runs(pulled)) - startSeconds);
  return { pullSeconds, startSeconds, readySeconds: usual(all.map((each) => each.readySeconds)) };
}

interface StartTimes extends Omit<Started, "pod" | "hadImage"> {
  readonly placedAt: number;
  /** From running to ready, as the times say. */
  readonly wholeSeconds: number;
}

/** Undefined where it says nothing, as for a pod that was restarted. */
function startOf(pod: Pod, container: string, probeSeconds: number): StartTimes | undefined {
  const { startTime = "", containerStatuses: statuses = [] } = pod.status ?? {};
  if (!isReady(pod) || statuses.some(({ restartCount }) => restartCount > 0)) return undefined;
  const own = statuses.find(({ name }) => name === container);
  const runAt = secondsAt(own?.state?.running?.startedAt);
  // Some kubelets say that a pod has started when it is ready: it had a node before that.
  const placedAt = secondsAt(podCondition(pod, "PodScheduled")?.lastTransitionTime ?? startTime);
  const runSeconds = runAt - Math.min(placedAt, secondsAt(startTime));
  const wholeSeconds = secondsAt(podCondition(pod, "Ready")?.lastTransitionTime) - runAt;
  // Also where one of them is not known.
  if (!(runSeconds >= 0 && wholeSeconds >= 0)) return undefined;
  // A probe finds out late: half of its period, on average.
  const readySeconds = Math.max(0, wholeSeconds - probeSeconds);
  return { runSeconds, wholeSeconds, readySeconds, placedAt };
}

const secondsAt = (text = ""): number => (parseTime(text) ?? Number.NaN) / 1000;

const repositoryOf = (image: string): string => {
  const name = image.split("@")[0] ?? image;
  const tag = name.lastIndexOf(":");
  return tag > name.lastIndexOf("/") ? name.slice(0, tag) : name;
};

/** The mean of those around the median: a few that took much longer say nothing about the next one. */
function usual(amounts: readonly number[]): number {
  const middle = amounts.toSorted((a, b) => a - b)[Math.floor(amounts.length / 2)] ?? 0;
  const around = amounts.filter((each) => Math.abs(each - middle) <= grainSeconds);
  return around.length === 0 ? 0 : around.reduce((a, b) => a + b, 0) / around.length;
}
