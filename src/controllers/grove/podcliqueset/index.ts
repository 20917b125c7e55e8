/** The PodCliqueSet controller: its caches and what wakes it up. */
import { Controller, watch } from "../../../runtime/controller.ts";
import { eventRecorder } from "../../../runtime/event-recorder.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import { ClaimKeeper } from "../claim-keeper.ts";
import type { ControlledKind } from "../../engine/controlled-kind.ts";
import { controlledKind } from "../../engine/controlled-kind.ts";
import { DeedReporter } from "../../engine/action-events.ts";
import type { GroveCaches, GroveOptions } from "../caches.ts";
import { isOnlyPlacing, watchPods } from "../../engine/pod-watch.ts";
import { setIndex, setKeys } from "../set-members.ts";
import type { ReconcileOptions } from "./reconcile.ts";
import { podCliqueSetReconcile } from "./reconcile.ts";

export function podCliqueSetController(options: GroveOptions<keyof GroveCaches>): ControlledKind {
  const { client, clock, onProblem } = options;
  const { claims: shared, ...caches } = options.caches;
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const deeds = new DeedReporter(clock, events);
  const claims = new ClaimKeeper({ clock, events, claims: shared });
  const controller = setsController(options, { events, deeds, claims });
  return controlledKind(controller, caches, { events: deeds, claims });
}

function setsController(
  { client, clock, caches, observer }: GroveOptions<keyof GroveCaches>,
  companions: Pick<ReconcileOptions, "events" | "deeds" | "claims">,
): Controller {
  return new Controller({
    name: "podcliqueset",
    client,
    clock,
    watches: [
      watch(caches.sets),
      watch(caches.groups, setKeys),
      watch(caches.cliques, setKeys),
      // Nothing moves because a node was found: what is said of it may come with the rest.
      watchPods(caches.pods, setKeys, { mayWait: isOnlyPlacing }),
      watch(caches.gangs, setKeys),
      watch(caches.services, setKeys),
      watch(caches.autoscalers, setKeys),
      watch(caches.revisions, setKeys),
      companions.claims.watch,
      watch(caches.topologies, () => caches.sets.list().map((set) => keyOf(set))),
    ],
    reconcile: podCliqueSetReconcile({ caches, clock, ...companions }),
    workers: 5,
    spacingMs: (key) => restMs(caches.pods.byIndex(setIndex, key).length),
    observer,
  });
}

const podsPerMs = 10;
const longestRestMs = 200;

/** A look at a large set costs more and finds more to do at once; a small one is looked at without delay. */
const restMs = (pods: number): number => Math.min(longestRestMs, Math.floor(pods / podsPerMs));
