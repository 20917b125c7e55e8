/** What the owner of a set should know and no status field says, each emitted once while the set exists. */
import type { StatefulSet } from "../../api/apps.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import type { OwnerMemory } from "../engine/per-owner.ts";
import { annotationNames } from "./annotations.ts";
import type { Observed } from "./observe.ts";
import { unknownStrategy } from "./policy.ts";

export interface Warning {
  readonly reason: string;
  readonly message: string;
}

type WarnOnce = (set: StatefulSet, warning: Warning) => void;

/** A reminder at every reconcile would drown everything else. */
export function warnOnce(events: EventRecorder, memory: OwnerMemory): WarnOnce {
  const emitted = memory.perOwner(() => new Set<string>());
  return (set, { reason, message }) => {
    const known = emitted.of(set);
    const text = `${reason}: ${message}`;
    if (known.has(text)) return;
    known.add(text);
    events.record(set, { type: "Warning", reason, message });
  };
}

export const annotationWarnings = ({ overrides }: Observed): Warning[] =>
  overrides.problems.map((message) => ({ reason: "AnnotationIgnored", message }));

export function specWarnings({ set }: Observed): Warning[] {
  const unknown = unknownStrategy(set);
  const dropped = droppedField(set);
  return [
    ...(unknown === undefined ? [] : [unknownStrategyWarning(unknown)]),
    ...(dropped === undefined ? [] : [{ reason: "FieldDropped", message: dropped }]),
  ];
}

const unknownStrategyWarning = (type: string): Warning => ({
  reason: "UnknownStrategy",
  message:
    `spec.updateStrategy.type ${type} is not known to Lockstep: no pod is replaced for an update. ` +
    "Use RollingUpdate or OnDelete",
});

export const foreignClaimsWarning = (claims: readonly string[]): Warning => ({
  reason: "ConflictingController",
  message: `claims ${claims.join(", ")} belong to another controller: the retention policy does not reach them`,
});

export const bothModesWarning: Warning = {
  reason: "AnotherController",
  message:
    "another Lockstep writes the conditions of this set, and the two would not stop: assist mode stands back until " +
    "it has been silent for five minutes. Run one of them for a set: --statefulset-mode full where the cluster's own " +
    "controller is off, assist beside it",
};

export const competingWarning: Warning = {
  reason: "AnotherController",
  message:
    "another controller writes the status of this set, and two would undo each other's work: Lockstep stands " +
    "back until it has been silent for five minutes. Turn the cluster's own controller off " +
    "(kube-controller-manager --controllers=*,-statefulset-controller), or run Lockstep with " +
    "--statefulset-mode assist",
};

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** A maxUnavailable that a user wrote and the API server dropped because its feature gate is off. */
function droppedField(set: StatefulSet): string | undefined {
  const rolling = set.spec.updateStrategy?.rollingUpdate;
  if (rolling?.maxUnavailable !== undefined) return undefined;
  if (set.metadata.annotations?.[annotationNames.maxUnavailable] !== undefined) return undefined;
  const wanted = appliedMaxUnavailable(set.metadata.annotations?.[lastApplied]);
  if (wanted === undefined) return undefined;
  return (
    `spec.updateStrategy.rollingUpdate.maxUnavailable: ${wanted} was dropped by the API server, whose feature gate ` +
    `MaxUnavailableStatefulSet is off; one pod at a time is replaced. ` +
    `Set the annotation ${annotationNames.maxUnavailable}: "${wanted}" instead`
  );
}

function appliedMaxUnavailable(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const applied = JSON.parse(text) as Partial<StatefulSet>;
    const amount = applied.spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
    return amount === undefined ? undefined : String(amount);
  } catch {
    return undefined;
  }
}
