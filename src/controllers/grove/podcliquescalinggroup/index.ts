/** The PodCliqueScalingGroup controller: its caches and what wakes it up. */
import { labelKeys } from "../../../api/grove/labels.ts";
import type { KubeObject } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import { Controller, watch } from "../../../runtime/controller.ts";
import { eventRecorder } from "../../../runtime/event-recorder.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import { ClaimKeeper } from "../claim-keeper.ts";
import type { ControlledKind } from "../../engine/controlled-kind.ts";
import { controlledKind } from "../../engine/controlled-kind.ts";
import type { GroveOptions } from "../caches.ts";
import { watchPods } from "../../engine/pod-watch.ts";
import { setIndex, setKeys, setReplicaIndex, setReplicaKeys } from "../set-members.ts";
import type { ScalingGroupCaches } from "./observe.ts";
import { scalingGroupReconcile } from "./reconcile.ts";

export function scalingGroupController(
  options: GroveOptions<keyof ScalingGroupCaches | "claims">,
): ControlledKind {
  const { client, clock, observer, onProblem } = options;
  const { sets, groups, cliques, pods, revisions } = options.caches;
  const caches = { sets, groups, cliques, pods, revisions };
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const claims = new ClaimKeeper({ clock, events, claims: options.caches.claims });
  const controller = new Controller({
    name: "podcliquescalinggroup",
    client,
    clock,
    watches: [
      watch(caches.groups),
      watch(caches.sets, (set) => groupsOf(caches, keyOf(set))),
      watch(caches.cliques, (clique) => concerned(caches, clique, true)),
      watchPods(caches.pods, (pod) => concerned(caches, pod, isTerminating(pod))),
      claims.watch,
      watch(caches.revisions, (revision) =>
        setKeys(revision).flatMap((set) => groupsOf(caches, set)),
      ),
    ],
    reconcile: scalingGroupReconcile({ caches, clock, events, claims }),
    workers: 10,
    observer,
  });
  return controlledKind(controller, caches, { events, claims });
}

const groupsOf = (caches: ScalingGroupCaches, set: string): readonly string[] =>
  caches.groups.byIndex(setIndex, set).map((group) => keyOf(group));

/** A member concerns its own group; others, once they go, concern the groups that may wait for that. */
function concerned(
  caches: ScalingGroupCaches,
  object: KubeObject,
  mayBeWaitedFor: boolean,
): readonly string[] {
  const own = object.metadata.labels?.[labelKeys.scalingGroup];
  if (own !== undefined && !mayBeWaitedFor) return [`${object.metadata.namespace}/${own}`];
  if (!mayBeWaitedFor) return [];
  return setReplicaKeys(object).flatMap((replica) =>
    caches.groups.byIndex(setReplicaIndex, replica).map((group) => keyOf(group)),
  );
}
