/** The PodClique controller: its caches and what wakes it up. */
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodGang } from "../../api/grove/podgang.ts";
import type { Pod } from "../../api/pod.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import { eventRecorder } from "../../runtime/event-recorder.ts";
import { keyOf } from "../../runtime/object-store.ts";
import { ClaimKeeper } from "../claim-keeper.ts";
import type { ControlledKind } from "../controlled-kind.ts";
import { controlledKind } from "../controlled-kind.ts";
import { DeedReporter } from "../deed-reporter.ts";
import type { GroveOptions } from "../grove-caches.ts";
import { baseGangIndex, parentIndex } from "../grove-caches.ts";
import { controllerOf } from "../ownership.ts";
import { closeStanding, watchPods } from "../pod-watch.ts";
import type { PodCliqueCaches } from "./observe.ts";
import { podCliqueReconcile } from "./reconcile.ts";

export function podCliqueController(options: GroveOptions): ControlledKind {
  const { client, clock, observer, onProblem } = options;
  const { sets, cliques, pods, gangs, revisions } = options.caches;
  const caches = { sets, cliques, pods, gangs, revisions };
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const deeds = new DeedReporter(clock, events);
  const claims = new ClaimKeeper({ clock, events, claims: options.caches.claims });
  const controller = new Controller({
    name: "podclique",
    client,
    clock,
    watches: [
      watch(caches.cliques),
      watchPods(caches.pods, (pod) => concernedByPod(caches, pod), closeStanding),
      watch(caches.gangs, (gang) => concernedByGang(caches, gang)),
      claims.watch,
      watch(caches.sets, () => []),
      watch(caches.revisions, () => []),
    ],
    reconcile: podCliqueReconcile({ caches, clock, events, deeds, claims }),
    workers: 10,
    observer,
  });
  return controlledKind(controller, caches, { events: deeds, claims });
}

/** Its own clique, or the one that may take it over; those that start after it, and one that waits for it to go. */
function concernedByPod({ cliques }: PodCliqueCaches, pod: Pod): readonly string[] {
  const { kind = "PodClique", name = pod.metadata.labels?.[labelKeys.podClique] } =
    controllerOf(pod) ?? {};
  if (kind !== "PodClique" || name === undefined) return [];
  const key = `${pod.metadata.namespace}/${name}`;
  return [key, ...cliques.byIndex(parentIndex, key).map(keyOf)];
}

/** The cliques whose pods it lists, and those of scaled gangs that wait for it. */
function concernedByGang({ cliques }: PodCliqueCaches, gang: PodGang): readonly string[] {
  const own = gang.spec.podgroups.map(({ name }) => `${gang.metadata.namespace}/${name}`);
  return [...own, ...cliques.byIndex(baseGangIndex, keyOf(gang)).map(keyOf)];
}
