/** The PodCliqueScalingGroup controller: its caches and what wakes it up. */
import type { ControllerRevision } from "../../api/apps.ts";
import { controllerRevisionResource } from "../../api/apps.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { Resource } from "../../api/resource.ts";
import { Cache } from "../../runtime/cache.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import { eventRecorder } from "../../runtime/event-recorder.ts";
import type { Indexes } from "../../runtime/object-store.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { ControlledKind, KindOptions } from "../controlled-kind.ts";
import { controlledKind } from "../controlled-kind.ts";
import { isGoing } from "../judge-clique.ts";
import { watchPods } from "../pod-watch.ts";
import { setIndex, setKeys, setReplicaIndex, setReplicaKeys } from "../set-members.ts";
import type { ScalingGroupCaches } from "./observe.ts";
import { scalingGroupReconcile } from "./reconcile.ts";

export function scalingGroupController(options: KindOptions): ControlledKind {
  const { client, clock, observer, onProblem } = options;
  const caches = scalingGroupCaches(options);
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const controller = new Controller({
    name: "podcliquescalinggroup",
    client,
    clock,
    watches: [
      watch(caches.groups),
      watch(caches.sets, (set) => groupsOf(caches, keyOf(set))),
      watch(caches.cliques, (clique) => concerned(caches, clique, true)),
      watchPods(caches.pods, (pod) => concerned(caches, pod, isGoing(pod))),
      watch(caches.revisions, (revision) =>
        setKeys(revision).flatMap((set) => groupsOf(caches, set)),
      ),
    ],
    reconcile: scalingGroupReconcile({ caches, clock, events }),
    workers: 10,
    observer,
  });
  return controlledKind(controller, caches, events);
}

function scalingGroupCaches({ client, clock, onProblem }: KindOptions): ScalingGroupCaches {
  const cache = <T extends KubeObject>(resource: Resource, indexes: Indexes<T>): Cache<T> =>
    new Cache<T>({ client, clock, resource, indexes, onProblem });
  return {
    sets: cache<PodCliqueSet>(podCliqueSetResource, {}),
    groups: cache<PodCliqueScalingGroup>(scalingGroupResource, {
      [setIndex]: setKeys,
      [setReplicaIndex]: setReplicaKeys,
    }),
    cliques: cache<PodClique>(podCliqueResource, { [setReplicaIndex]: setReplicaKeys }),
    pods: cache<Pod>(podResource, { [setReplicaIndex]: setReplicaKeys }),
    revisions: cache<ControllerRevision>(controllerRevisionResource, {}),
  };
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
