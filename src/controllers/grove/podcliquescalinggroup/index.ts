/** The PodCliqueScalingGroup controller: its caches and what wakes it up. */
import { labelKeys } from "../../../api/grove/labels.ts";
import type { KubeObject } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import { watch } from "../../../runtime/controller.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { claimAccess, ClaimWatch } from "../claim-watch.ts";
import type { ControlledKind } from "../../engine/controlled-kind.ts";
import { controlledKind, kindTools } from "../../engine/controlled-kind.ts";
import { actionReasons } from "../orphans.ts";
import type { GroveCaches, GroveOptions } from "../caches.ts";
import { groveCacheDefinitions } from "../caches.ts";
import { watchPods } from "../../engine/pod-watch.ts";
import {
  podCliqueSetIndex,
  podCliqueSetKeys,
  podCliqueSetReplicaIndex,
  podCliqueSetReplicaKeys,
} from "../set-members.ts";
import type { ScalingGroupCaches } from "./observe.ts";
import { isUrgent, scalingGroupReconciler } from "./reconcile.ts";
import { groveKinds } from "../../../api/grove/definitions.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { podResource } from "../../../api/pod.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import type { Change } from "../../../runtime/cache.ts";
import { isStatusEcho } from "../../engine/status-writer.ts";
import { isUnderWay } from "../update-condition.ts";
import { defineKind, ownerAccess, statusAccess } from "../../engine/kind-definition.ts";

function scalingGroupController(
  options: GroveOptions<keyof ScalingGroupCaches | "claims">,
): ControlledKind {
  const { sets, groups, cliques, pods, revisions, claims: sharedClaims } = options.caches;
  const caches = { sets, groups, cliques, pods, revisions };
  const resource = scalingGroupResource;
  const tools = kindTools(options, { resource, reasons: actionReasons, isUrgent });
  const { answers } = tools;
  const claims = new ClaimWatch({ ownerKind: resource.kind, claims: sharedClaims, answers });
  return controlledKind(options, {
    name: "podcliquescalinggroup",
    caches,
    tools,
    kind: scalingGroupReconciler(caches, tools, claims),
    watches: [
      watch(caches.groups),
      watch(
        caches.sets,
        (set) => groupsOf(caches, keyOf(set)),
        (change) => (isStatusEcho(change) && isNothingToGroups(change) ? undefined : 0),
      ),
      watch(caches.cliques, (clique) => concerned(caches, clique, true)),
      watchPods(caches.pods, (pod) => concerned(caches, pod, isTerminating(pod))),
      claims.watch,
      watch(caches.revisions, (revision) =>
        podCliqueSetKeys(revision).flatMap((set) => groupsOf(caches, set)),
      ),
    ],
    workers: 10,
    onStop: claims.stop,
  });
}

/** Every status of a set would otherwise wake all its groups: of it they read whether an update is under way. */
function isNothingToGroups(change: Change<PodCliqueSet>): boolean {
  if (change.type !== "updated") return false;
  const [old, now] = [change.old.status, change.object.status];
  return (
    isUnderWay(old?.updateProgress) === isUnderWay(now?.updateProgress) &&
    old?.replicas === now?.replicas
  );
}

const groupsOf = (caches: ScalingGroupCaches, set: string): readonly string[] =>
  caches.groups.byIndex(podCliqueSetIndex, set).map((group) => keyOf(group));

/** A member concerns its own group; others, once they go, concern the groups that may wait for that. */
function concerned(
  caches: ScalingGroupCaches,
  object: KubeObject,
  mayBeWaitedFor: boolean,
): readonly string[] {
  const own = object.metadata.labels?.[labelKeys.scalingGroup];
  if (own !== undefined && !mayBeWaitedFor) return [`${object.metadata.namespace}/${own}`];
  if (!mayBeWaitedFor) return [];
  return podCliqueSetReplicaKeys(object).flatMap((replica) =>
    caches.groups.byIndex(podCliqueSetReplicaIndex, replica).map((group) => keyOf(group)),
  );
}

const { sets, groups, cliques, pods, revisions, claims } = groveCacheDefinitions;

export const scalingGroupKind = defineKind<ScalingGroupCaches & Pick<GroveCaches, "claims">>({
  name: "podcliquescalinggroup",
  resource: scalingGroupResource,
  customKinds: groveKinds,
  caches: { sets, groups, cliques, pods, revisions, claims },
  onDemand: ["claims"],
  access: [
    statusAccess(scalingGroupResource),
    ownerAccess(scalingGroupResource),
    { resource: podCliqueResource, verbs: ["create", "update", "patch", "delete"] },
    { resource: podResource, verbs: ["delete"] },
    ...claimAccess,
  ],
  controller: scalingGroupController,
});
