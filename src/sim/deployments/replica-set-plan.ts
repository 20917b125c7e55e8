/** Decides which pods a ReplicaSet creates and deletes, and what its status says. Pure. */
import type { Condition, ReplicaSet, ReplicaSetStatus } from "../../api/apps.ts";
import { replicaSetResource } from "../../api/apps.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import { isTerminating } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { isFinished, isReady, podCondition } from "../../api/pod.ts";
import { mostParts } from "../../api/size-limit.ts";
import { parseTime, timeText } from "../../api/time-text.ts";
import { controllerReference } from "./claim.ts";

export interface ReplicaSetPlan {
  readonly create: number;
  readonly remove: readonly Pod[];
  /** Why nothing is done about a set that asks for more than one machine can play. */
  readonly refusal?: string;
}

/** What one reconcile creates, as in Kubernetes; the pods that are made bring the set back for the rest. */
const burst = 500;

const desiredOf = ({ spec }: ReplicaSet): number => spec.replicas ?? 1;
const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod);

export function planReplicaSet(set: ReplicaSet, pods: readonly Pod[]): ReplicaSetPlan {
  if (isTerminating(set)) return { create: 0, remove: [] };
  if (desiredOf(set) > mostParts) {
    const refusal = `spec.replicas asks for ${desiredOf(set)} pods, at most ${mostParts} are simulated: lower it`;
    return { create: 0, remove: [], refusal };
  }
  const active = pods.filter(isActive);
  const surplus = active.length - desiredOf(set);
  if (surplus <= 0) return { create: Math.min(-surplus, burst), remove: [] };
  const perNode = new Map<string | undefined, number>();
  for (const { spec } of active) perNode.set(spec.nodeName, (perNode.get(spec.nodeName) ?? 0) + 1);
  const rank = (pod: Pod): number => perNode.get(pod.spec.nodeName) ?? 0;
  return { create: 0, remove: active.toSorted(leastMissedFirst(rank)).slice(0, surplus) };
}

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The order in which Kubernetes takes pods away: without a node, pending, not ready, cheap, crowded on one node, ready
 * for a short time, often restarted, young. The name makes it a total order.
 */
function leastMissedFirst(rank: (pod: Pod) => number): (a: Pod, b: Pod) => number {
  const numbers = (pod: Pod): readonly number[] => [
    Number(pod.spec.nodeName !== undefined),
    phaseOrder[pod.status?.phase ?? ""] ?? 0,
    Number(isReady(pod)),
    Number(pod.metadata.annotations?.[deletionCost] ?? 0) || 0,
    -rank(pod),
    -readySinceMs(pod),
    -restarts(pod),
    -createdMs(pod),
  ];
  return (a, b) => {
    const left = numbers(a);
    const difference = numbers(b).findIndex((value, index) => value !== left[index]);
    if (difference < 0) return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
    return (left[difference] ?? 0) - (numbers(b)[difference] ?? 0);
  };
}

const readySinceMs = (pod: Pod): number =>
  isReady(pod) ? (parseTime(podCondition(pod, "Ready")?.lastTransitionTime ?? "") ?? 0) : 0;

const restarts = ({ status }: Pod): number =>
  Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));

const createdMs = ({ metadata }: Pod): number => parseTime(metadata.creationTimestamp ?? "") ?? 0;

/** A pod of the set; the server completes its name. */
export function podOf(set: ReplicaSet): Pod {
  const { labels, annotations, finalizers } = set.spec.template?.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [controllerReference(replicaSetResource, set)],
    },
    spec: { containers: [], ...set.spec.template?.spec },
  };
}

export interface ReplicaSetReport {
  readonly status: ReplicaSetStatus;
  /** When the next pod will have been ready for minReadySeconds. */
  readonly recheckAfterMs?: number;
}

/** `failure` is why pods could not be created or deleted. */
export function reportReplicaSet(
  set: ReplicaSet,
  pods: readonly Pod[],
  { nowMs, failure }: { readonly nowMs: number; readonly failure?: Failure },
): ReplicaSetReport {
  const active = pods.filter(isActive);
  const ready = active.filter(isReady);
  const minReadyMs = (set.spec.minReadySeconds ?? 0) * 1000;
  const waits = ready.map((pod) => Math.max(0, readySinceMs(pod) + minReadyMs - nowMs));
  const pending = waits.filter((wait) => wait > 0);
  const templateLabels = { matchLabels: set.spec.template?.metadata?.labels ?? {} };
  const status: ReplicaSetStatus = {
    replicas: active.length,
    fullyLabeledReplicas: active.filter(({ metadata }) =>
      selectorMatches(templateLabels, metadata.labels),
    ).length,
    readyReplicas: ready.length,
    availableReplicas: ready.length - pending.length,
    terminatingReplicas: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
    observedGeneration: set.metadata.generation ?? 0,
    ...conditionsField(set, failure, nowMs),
  };
  return pending.length === 0 ? { status } : { status, recheckAfterMs: Math.min(...pending) };
}

export interface Failure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

function conditionsField(
  { status }: ReplicaSet,
  failure: Failure | undefined,
  nowMs: number,
): { conditions?: readonly Condition[] } {
  const type = "ReplicaFailure";
  const others = (status?.conditions ?? []).filter((each) => each.type !== type);
  const before = status?.conditions?.find((each) => each.type === type);
  if (failure === undefined) return others.length === 0 ? {} : { conditions: others };
  // The message names a pod that differs each time: as news it would bring the set back at once, for ever.
  if (before?.reason === failure.reason) return { conditions: [...others, before] };
  const lastTransitionTime = timeText(nowMs);
  return { conditions: [...others, { type, status: "True", ...failure, lastTransitionTime }] };
}
