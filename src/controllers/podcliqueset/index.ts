/** The PodCliqueSet controller: its caches and what wakes it up. */
import type { ControllerRevision } from "../../api/apps.ts";
import { controllerRevisionResource } from "../../api/apps.ts";
import type { ClusterTopologyBinding } from "../../api/grove/cluster-topology.ts";
import { clusterTopologyBindingResource } from "../../api/grove/cluster-topology.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import type { PodGang } from "../../api/grove/podgang.ts";
import { podGangResource } from "../../api/grove/podgang.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { Resource } from "../../api/resource.ts";
import { Cache } from "../../runtime/cache.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import { eventRecorder } from "../../runtime/event-recorder.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import type { Indexes } from "../../runtime/object-store.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { ControlledKind, KindOptions } from "../controlled-kind.ts";
import { controlledKind } from "../controlled-kind.ts";
import { watchPods } from "../pod-watch.ts";
import { setIndex, setKeys } from "../set-members.ts";
import type { PodCliqueSetCaches } from "./observe.ts";
import { podCliqueSetReconcile } from "./reconcile.ts";
import { autoscalerResource, serviceResource } from "./supporting-objects.ts";

export function podCliqueSetController(options: KindOptions): ControlledKind {
  const { client, clock, onProblem } = options;
  const caches = podCliqueSetCaches(options);
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const controller = setsController(options, caches, events);
  return controlledKind(controller, caches, events);
}

function setsController(
  { client, clock, observer }: KindOptions,
  caches: PodCliqueSetCaches,
  events: EventRecorder,
): Controller {
  return new Controller({
    name: "podcliqueset",
    client,
    clock,
    watches: [
      watch(caches.sets),
      watch(caches.groups, setKeys),
      watch(caches.cliques, setKeys),
      watchPods(caches.pods, setKeys),
      watch(caches.gangs, setKeys),
      watch(caches.services, setKeys),
      watch(caches.autoscalers, setKeys),
      watch(caches.revisions, setKeys),
      watch(caches.topologies, () => caches.sets.list().map((set) => keyOf(set))),
    ],
    reconcile: podCliqueSetReconcile({ caches, clock, events }),
    workers: 5,
    observer,
  });
}

function podCliqueSetCaches({ client, clock, onProblem }: KindOptions): PodCliqueSetCaches {
  const cache = <T extends KubeObject>(
    resource: Resource,
    indexes: Indexes<T> = { [setIndex]: setKeys },
  ): Cache<T> => new Cache<T>({ client, clock, resource, indexes, onProblem });
  return {
    sets: cache<PodCliqueSet>(podCliqueSetResource, {}),
    groups: cache<PodCliqueScalingGroup>(scalingGroupResource),
    cliques: cache<PodClique>(podCliqueResource),
    pods: cache<Pod>(podResource),
    gangs: cache<PodGang>(podGangResource),
    services: cache(serviceResource),
    autoscalers: cache(autoscalerResource),
    revisions: cache<ControllerRevision>(controllerRevisionResource),
    topologies: cache<ClusterTopologyBinding>(clusterTopologyBindingResource, {}),
  };
}
