/** The writes that carry out what was planned for each replica, in their order. Pure. */
import { autoscalerResource } from "../../../api/autoscaler.ts";
import { labelKeys, managedLabels } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { isTerminating } from "../../../api/object.ts";
import { podResource } from "../../../api/pod.ts";
import { memo } from "../../engine/memoize.ts";
import { allAtOnce } from "../../engine/slow-start.ts";
import type { LiveRead, PatchWrite, Write, WritePlan } from "../../engine/write.ts";
import { createOf, deletesOf, patchOf, timely, updateOf } from "../../engine/write.ts";
import { oldRevisionPodCheck, stillDownCheck } from "../replica-checks.ts";
import { isUnderWay } from "../update-condition.ts";
import type { SetRevision } from "../set-revisions.ts";
import { liveReplicasWrites } from "./components.ts";
import type { Observed } from "./observe.ts";
import { objectsOf } from "./observe.ts";
import type { Plan, ReplicaPlan } from "./plan.ts";
import type { PlannedReplica } from "./replica-changes.ts";
import {
  cliquesToFinalize,
  deletionWaves,
  groupChanges,
  hasOutdated,
  missingCliques,
  mustAskForOldPods,
  obsoleteToDelete,
  ownRevision,
  podsWithoutClique,
  updatedCliques,
} from "./replica-changes.ts";
import type { ReplicaObjects } from "./replica-objects.ts";
import type { ReplicaState } from "./replica-state.ts";
import { restartWrites } from "./gang-termination.ts";
import { supportingDeletes, supportingWrites } from "./supporting-writes.ts";

/** Few enough that the first replicas of a large set start while the last are still to be created. */
const replicasAtOnce = 6;

/** What one reconcile changes at most: a large set observes and reports before it continues. */
const replicasPerReconcile = 64;

/** Replicas side by side; one that is held back, or whose name is taken, holds up no other. */
export function writesOfReplicas(
  observed: Observed,
  plan: Pick<Plan, "target" | "replicas" | "replicaPlans">,
): WritePlan {
  const present = new Set(plan.replicaPlans.map(({ index }) => index));
  const gone = [...observed.replicas].filter(([index]) => !present.has(index));
  return {
    sideBySide: [
      ...plan.replicaPlans.map((planned) => replicaWrites(observed, plan.target, planned)),
      { inOrder: gone.flatMap(([, objects]) => supportingDeletes(objects)) },
    ],
    pace: {
      // A set that has replicas has shown that its objects are accepted.
      firstBatch: plan.replicas.length > 0 ? allAtOnce : 1,
      atOnce: replicasAtOnce,
      atMost: replicasPerReconcile,
    },
  };
}

const known = memo<ReplicaObjects, WritePlan>();

/** The last answer of each replica is kept until something that it depends on changes: most have nothing to write. */
export function replicaWrites(
  observed: Observed,
  target: SetRevision,
  planned: ReplicaPlan,
): WritePlan {
  const objects = observed.replicas.get(planned.index);
  const compute = (): WritePlan => computeWrites(observed, target, planned);
  // The writes of a restart contain the time.
  if (objects === undefined || planned.action === "restart") return compute();
  return known(objects, inputsOf(observed, target, planned), compute);
}

/** All that the writes of a replica depend on, besides its own objects. */
const inputsOf = (
  { set, spec, revisions, topologies }: Observed,
  target: SetRevision,
  { action, startsFrom }: ReplicaPlan,
): readonly unknown[] => [
  action,
  startsFrom,
  spec,
  target,
  revisions,
  topologies,
  isUnderWay(set.status?.updateProgress),
  set.status?.currentGenerationHash,
];

function computeWrites(observed: Observed, target: SetRevision, planned: ReplicaPlan): WritePlan {
  const { action, index, replica } = planned;
  if (action === "remove") return { inOrder: removalWrites(observed, replica) };
  const first: readonly WritePlan[] = [
    ...supportingWrites(observed, target, planned),
    ...obsoleteToDelete(observed, planned).flatMap(({ resource, object }) =>
      deletesOf(resource, [object]),
    ),
  ];
  if (action === "restart" && replica !== undefined) {
    return { inOrder: [...first, ...restartWrites(observed, replica)] };
  }
  const revision = action === "keep" ? ownRevision(observed, planned, target) : target;
  const next: PlannedReplica = { index, replica, revision, action };
  const isTornDown = action === "recreate" && replica !== undefined && hasOutdated(replica, target);
  const groups = groupChanges(observed, next).map(({ verb, object }): Write =>
    verb === "create"
      ? createOf(scalingGroupResource, object)
      : updateOf(scalingGroupResource, object),
  );
  const teardown = isTornDown ? teardownWrites(observed, replica, target) : [];
  const checks = isTornDown ? downChecks(observed, replica) : [];
  const standalone = standaloneWrites(observed, next);
  return { inOrder: [...first, ...checks, ...groups, ...teardown, ...standalone] };
}

/** A replica that looks down is taken without budget, so it must be down. */
function downChecks(observed: Observed, replica: ReplicaState): readonly LiveRead[] {
  const { name, namespace } = observed;
  const { index, pods, cliques, isAvailable } = replica;
  if (isAvailable || cliques.every(isTerminating)) return [];
  const labels = { ...managedLabels(name), [labelKeys.setReplicaIndex]: String(index) };
  return [stillDownCheck({ name: `${name}-${index}`, namespace, labels, seen: pods })];
}

/**
 * Groups take their members with them, and autoscalers have nothing to scale then. Gangs and services follow once
 * nothing of the replica is left: until then a clique may create a pod that trusts a gang which is only seen.
 */
function removalWrites(observed: Observed, replica: ReplicaState | undefined): readonly Write[] {
  if (replica === undefined) return [];
  const { autoscalers, groups } = objectsOf(observed, replica.index);
  return [
    ...deletesOf(autoscalerResource, autoscalers),
    ...deletesOf(scalingGroupResource, groups),
    ...deletesOf(
      podCliqueResource,
      replica.standalone.flatMap(({ object }) => object ?? []),
    ),
  ];
}

/**
 * Whole or not at all. Scaling groups have learnt of the target before, so that they do not recreate old members; then
 * every clique of the replica is deleted. Its gangs stay: once all their pods are gone, their scheduling starts over.
 */
function teardownWrites(
  observed: Observed,
  replica: ReplicaState,
  target: SetRevision,
): readonly WritePlan[] {
  return [
    ...cliquesToFinalize(replica).map(finalizersWrite),
    ...liveReplicasWrites(observed, replica),
    ...deletionWaves(replica, target).map((wave) => ({
      sideBySide: timely(deletesOf(podCliqueResource, wave)),
    })),
    { sideBySide: deletesOf(podResource, podsWithoutClique(replica)) },
  ];
}

/** A group deletes members by itself, such as its surge: one that is gone needs none. */
function finalizersWrite(clique: PodClique): PatchWrite {
  const { resourceVersion, finalizers } = clique.metadata;
  const body = { metadata: { resourceVersion, finalizers } };
  return patchOf(podCliqueResource, clique, { patch: { type: "merge", body }, ifGone: "skip" });
}

const standaloneWrites = (observed: Observed, planned: PlannedReplica): readonly WritePlan[] => [
  ...updatedCliques(observed, planned).map((next) => updateOf(podCliqueResource, next)),
  ...oldPodChecks(observed, planned),
  ...missingCliques(observed, planned).map((wanted) => createOf(podCliqueResource, wanted)),
];

/**
 * The server is asked while the last pods are still terminating, so that cliques can be created as soon as the caches
 * show that these are gone.
 */
function oldPodChecks(observed: Observed, planned: PlannedReplica): readonly LiveRead[] {
  if (!mustAskForOldPods(observed, planned)) return [];
  const { name: set, namespace, spec } = observed;
  const { index, revision } = planned;
  const seen = new Set(objectsOf(observed, index).pods.map(({ metadata }) => metadata.uid));
  const hasGroups = spec.template.podCliqueScalingGroups.length > 0;
  return [
    oldRevisionPodCheck({
      place: { namespace, set, index, hasGroups },
      revision,
      mayStartBeside: (left) => left.every(({ metadata }) => seen.has(metadata.uid)),
      isLasting: true,
    }),
  ];
}
