/** The PodClique controller: its caches and what wakes it up. */
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import type { Pod } from "../../../api/pod.ts";
import type { Change } from "../../../runtime/cache.ts";
import { Controller, watch } from "../../../runtime/controller.ts";
import { eventRecorder } from "../../../runtime/event-recorder.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import { ClaimKeeper } from "../claim-keeper.ts";
import type { ControlledKind } from "../../engine/controlled-kind.ts";
import { controlledKind } from "../../engine/controlled-kind.ts";
import { DeedReporter } from "../../engine/action-events.ts";
import type { GroveOptions } from "../caches.ts";
import { baseGangIndex, parentIndex } from "../caches.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { isCloselyAlike, isOnlyPlacing, laterMs, watchPods } from "../../engine/pod-watch.ts";
import { isStatusEcho } from "../../engine/status-echo.ts";
import { hasFlipped } from "./base-gang.ts";
import type { PodCliqueCaches } from "./observe.ts";
import type { CliqueReporter } from "./reconcile.ts";
import { cliqueReporter, podCliqueReconcile } from "./reconcile.ts";

export function podCliqueController(
  options: GroveOptions<keyof PodCliqueCaches | "claims">,
): ControlledKind {
  const { client, clock, observer, onProblem } = options;
  const { sets, cliques, pods, gangs, revisions } = options.caches;
  const caches = { sets, cliques, pods, gangs, revisions };
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const deeds = new DeedReporter(clock, events);
  const claims = new ClaimKeeper({ clock, events, claims: options.caches.claims });
  const reporter = cliqueReporter(clock);
  const controller = new Controller({
    name: "podclique",
    client,
    clock,
    watches: [
      watch(caches.cliques, undefined, (change) => cliqueDue(reporter, change)),
      watchPods(caches.pods, (pod) => concernedByPod(caches, pod), podAttention),
      watch(
        caches.gangs,
        (gang) => listedBy(caches, gang),
        (change) => (isStatusEcho(change) ? undefined : 0),
      ),
      watch(
        caches.gangs,
        (gang) => cliques.byIndex(baseGangIndex, keyOf(gang)).map(keyOf),
        (change) => (isStatusEcho(change) && !hasFlipped(change) ? undefined : 0),
      ),
      claims.watch,
      watch(caches.sets, () => []),
      watch(caches.revisions, () => []),
    ],
    reconcile: podCliqueReconcile({ caches, clock, events, deeds, claims, reporter }),
    workers: 10,
    observer,
  });
  return controlledKind(controller, caches, { events: deeds, claims });
}

/** A clique has nothing to do for pods that are placed but to tell of them. */
const podAttention = { isAlike: isCloselyAlike, mayWait: isOnlyPlacing };

/** Its own clique, or the one that may take it over; those that start after it, and one that waits for it to go. */
function concernedByPod({ cliques }: PodCliqueCaches, pod: Pod): readonly string[] {
  const { kind = "PodClique", name = pod.metadata.labels?.[labelKeys.podClique] } =
    controllerOf(pod) ?? {};
  if (kind !== "PodClique" || name === undefined) return [];
  const key = `${pod.metadata.namespace}/${name}`;
  return [key, ...cliques.byIndex(parentIndex, key).map(keyOf)];
}

/** The cliques whose pods it lists, as far as they are there. How it stands is nothing to them. */
const listedBy = ({ cliques }: PodCliqueCaches, { metadata, spec }: PodGang): readonly string[] =>
  spec.podgroups
    .map(({ name }) => `${metadata.namespace}/${name}`)
    .filter((key) => cliques.get(key) !== undefined);

/** A status that was just written says no more than the look that wrote it knew, unless it began an update. */
function cliqueDue(reporter: CliqueReporter, change: Change<PodClique>): number | undefined {
  if (!isStatusEcho(change)) return 0;
  const { object } = change;
  const isIdle = object.status?.updateProgress === undefined;
  return isIdle && reporter.isEcho(object) ? undefined : laterMs;
}
