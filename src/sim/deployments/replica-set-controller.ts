/** Plays the ReplicaSet controller: keeps as many pods as a set asks for. */
import type { ReplicaSet } from "../../api/apps.ts";
import { replicaSetResource } from "../../api/apps.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import { isConflict, isNotFound } from "../../api/status.ts";
import { isSameJson } from "../../api/same-json.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import type { Reconcile } from "../../runtime/controller.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { keyText } from "../../runtime/object-store.ts";
import { claim, controllerOf, namespaceIndex } from "./claim.ts";
import type { Failure, ReplicaSetPlan } from "./replica-set-plan.ts";
import { planReplicaSet, podOf, reportReplicaSet } from "./replica-set-plan.ts";

export interface WorkloadControllerOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Both need the index `owner`, ReplicaSets `namespace` too. */
  readonly pods: Cache<Pod>;
  readonly replicaSets: Cache<ReplicaSet>;
  readonly events: EventRecorder;
  readonly onProblem?: (problem: unknown) => void;
}

export function replicaSetController(options: WorkloadControllerOptions): Controller {
  const { client, clock, pods, replicaSets, onProblem } = options;
  return new Controller({
    name: "replicaset",
    client,
    clock,
    watches: [watch(replicaSets), watch(pods, concernedSets(replicaSets))],
    reconcile: reconcileWith(options),
    observer: { reconciled: (_key, { error }) => error !== undefined && onProblem?.(error) },
  });
}

/** The set that controls the pod; an orphan concerns every set that may adopt it. */
function concernedSets(sets: Cache<ReplicaSet>): (pod: Pod) => readonly string[] {
  return (pod) => {
    const owner = controllerOf(pod);
    const { namespace } = pod.metadata;
    if (owner !== undefined) {
      return owner.kind === "ReplicaSet" ? [keyText({ namespace, name: owner.name })] : [];
    }
    return sets
      .byIndex(namespaceIndex, namespace ?? "")
      .filter(({ spec }) => selectorMatches(spec.selector, pod.metadata.labels))
      .map(({ metadata }) => keyText({ namespace, name: metadata.name ?? "" }));
  };
}

function reconcileWith(options: WorkloadControllerOptions): Reconcile {
  const { clock, pods, replicaSets, events } = options;
  return async (key, client) => {
    const set = replicaSets.get(key);
    if (set === undefined) return {};
    const owned = await claim<Pod>({
      client,
      resource: replicaSetResource,
      owner: set,
      selector: set.spec.selector,
      claimed: { resource: podResource, reader: pods },
    });
    const failure = await act(client, events, set, planReplicaSet(set, owned));
    const { status, recheckAfterMs } = reportReplicaSet(set, owned, {
      nowMs: clock.now(),
      ...(failure === undefined ? {} : { failure: failure.condition }),
    });
    // Zero counters are not stored, so they may not count as a change.
    if (!isSameJson({ ...emptyStatus, ...set.status }, { ...emptyStatus, ...status })) {
      await client.update(replicaSetResource, { ...set, status }, { subresource: "status" });
    }
    if (failure?.cause !== undefined) throw failure.cause;
    return recheckAfterMs === undefined ? {} : { recheckAfterMs };
  };
}

const emptyStatus = {
  replicas: 0,
  fullyLabeledReplicas: 0,
  readyReplicas: 0,
  availableReplicas: 0,
  terminatingReplicas: 0,
};

interface Failed {
  readonly condition: Failure;
  /** Nothing where trying again is of no use. */
  readonly cause?: unknown;
}

/** Returns the first refusal; what comes after it would be refused for the same reason. */
async function act(
  client: Client,
  events: EventRecorder,
  set: ReplicaSet,
  { create, remove, refusal }: ReplicaSetPlan,
): Promise<Failed | undefined> {
  if (refusal !== undefined) return refused(events, set, refusal);
  const failed = (reason: Failure["reason"], cause: unknown): Failed => {
    const message = cause instanceof Error ? cause.message : String(cause);
    const verb = reason === "FailedCreate" ? "creating" : "deleting";
    events.record(set, { type: "Warning", reason, message: `Error ${verb}: ${message}` });
    return { condition: { reason, message }, cause };
  };
  for (let count = 0; count < create; count++) {
    try {
      const { metadata } = await client.create(podResource, podOf(set));
      const message = `Created pod: ${metadata.name}`;
      events.record(set, { type: "Normal", reason: "SuccessfulCreate", message });
    } catch (cause) {
      return failed("FailedCreate", cause);
    }
  }
  for (const { metadata } of remove) {
    const { namespace, name = "", uid } = metadata;
    try {
      await client.delete(podResource, { namespace, name }, { uid });
      const message = `Deleted pod: ${name}`;
      events.record(set, { type: "Normal", reason: "SuccessfulDelete", message });
    } catch (cause) {
      if (!isNotFound(cause) && !isConflict(cause)) return failed("FailedDelete", cause);
    }
  }
  return undefined;
}

function refused(events: EventRecorder, set: ReplicaSet, message: string): Failed {
  const reason = "FailedCreate";
  const isKnown = set.status?.conditions?.some((each) => each.message === message) === true;
  if (!isKnown) events.record(set, { type: "Warning", reason, message });
  return { condition: { reason, message } };
}
