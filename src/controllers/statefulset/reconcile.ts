/** What full mode brings to the engine: Lockstep is the StatefulSet controller. */
import type { StatefulSet, StatefulSetStatus } from "../../api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../api/apps.ts";
import { podResource } from "../../api/pod.ts";
import { isConflict } from "../../api/status.ts";
import { failedStep } from "../engine/rollout-conditions.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import type { Orphan } from "../engine/ownership.ts";
import { stillThere } from "../engine/live-reads.ts";
import { NameConflictError } from "../engine/perform.ts";
import type { Failure, Kind, KindTools, Planned } from "../engine/reconcile.ts";
import { podActions } from "../engine/reconcile.ts";
import type { LiveRead } from "../engine/write.ts";
import { CompetingControllers } from "./competing-controller.ts";
import type { StatefulSetGauges } from "./gauges.ts";
import type { Observed, StatefulSetReaders } from "./observe.ts";
import { observe } from "./observe.ts";
import type { RolloutPlan } from "./plan.ts";
import { planRollout } from "./plan.ts";
import { fullPolicy, tooLarge } from "./policy.ts";
import { chooseRevisions } from "./revisions.ts";
import { figuresOf, isPhaseChange, statefulSetStatus, terminatingStatus } from "./status.ts";
import {
  annotationWarnings,
  competingWarning,
  foreignClaimsWarning,
  specWarnings,
  warnOnce,
} from "./warnings.ts";
import { historyWrites, repairs, rolloutWrites } from "./writes.ts";

export type StatefulSetTools = KindTools<StatefulSet, StatefulSetStatus>;
export type StatefulSetReconciler<P extends Planned> = Kind<
  StatefulSet,
  StatefulSetStatus,
  Observed,
  P
>;

interface FullPlan extends RolloutPlan, Planned {
  readonly collisionCount: number;
  /** Claims of this set that another controller owns. */
  readonly foreignClaims: readonly string[];
}

export function fullReconciler(
  readers: StatefulSetReaders,
  tools: StatefulSetTools,
  gauges: StatefulSetGauges,
): StatefulSetReconciler<FullPlan> {
  const { clock, memory, events } = tools;
  const competing = new CompetingControllers(memory);
  const warn = warnOnce(events, memory);
  return {
    resource: statefulSetResource,
    reports: "afterActing",
    observe: (key) => observe(readers, key, clock.now()),
    objectOf: ({ set }) => set,
    release: (observed) => ({ status: terminatingStatus(observed) }),
    tooLarge: ({ set }) => tooLarge(set),
    plan,
    guards: ({ set, revisions }) => [
      ...(hasLostHistory(set, revisions) ? [stillThere(statefulSetResource, set)] : []),
      noCompetingController(() => {
        const holdsForMs = competing.standBackFor(set, clock.monotonic());
        if (holdsForMs !== undefined) warn(set, competingWarning);
        return holdsForMs;
      }),
    ],
    adoption: { orphansOf, goesOn: true },
    status: (observed, planned, failure) => {
      const { collisionCount } = planned;
      const refusal = failure === undefined ? undefined : refusalOf(observed, failure);
      return statefulSetStatus(observed, planned, { collisionCount, ...(refusal && { refusal }) });
    },
    onStatus: (set, status) => competing.computed(set, status),
    figures: figuresOf,
    failureEvent,
    performedActions: ({ set }, writes) => podActions(set, writes),
    emit: (observed, planned, status) => {
      gauges.show(observed, planned);
      const { foreignClaims } = planned;
      const warnings = [
        ...annotationWarnings(observed),
        ...specWarnings(observed),
        ...(foreignClaims.length === 0 ? [] : [foreignClaimsWarning(foreignClaims)]),
      ];
      for (const warning of warnings) warn(observed.set, warning);
      emitPhase(tools, observed.set, status);
    },
  };
}

function plan(observed: Observed): FullPlan {
  const { set, overrides } = observed;
  const { names, collisionCount, record, template } = chooseRevisions(observed);
  const rollout = planRollout(observed, names, fullPolicy(set, overrides));
  const { writes, foreignClaims } = repairs(observed, rollout.pods);
  const step = { inOrder: [...writes, rolloutWrites(observed, rollout, template)] };
  const history = { inOrder: historyWrites(observed, names) };
  return {
    ...rollout,
    collisionCount,
    foreignClaims,
    record,
    // History is kept short also where a step keeps failing.
    phases: [{ sideBySide: [step, history] }],
    requeueAfterMs: rollout.decision.recheckAfterMs,
  };
}

/** As of a set that is deleted, which is not seen yet: what is made of it now goes at once, and is missed again. */
const hasLostHistory = ({ status }: StatefulSet, revisions: Observed["revisions"]): boolean =>
  revisions.length === 0 && (status?.updateRevision ?? "") !== "";

/** Two controllers would undo each other's work. */
export const noCompetingController = (standBackFor: () => number | undefined): LiveRead => ({
  question: "is another controller at work",
  read: () => {
    const holdsForMs = standBackFor();
    return Promise.resolve({ isOpen: holdsForMs === undefined, holdsForMs });
  },
});

function orphansOf({ podOwnership, revisionOwnership }: Observed): {
  readonly adopt: readonly Orphan[];
  readonly release: readonly Orphan[];
} {
  const both = (which: "adopt" | "release"): Orphan[] => [
    // As upstream: what pods are compared with comes before the pods.
    ...revisionOwnership[which].map((object) => ({ resource: controllerRevisionResource, object })),
    ...podOwnership[which].map((object) => ({ resource: podResource, object })),
  ];
  return { adopt: both("adopt"), release: both("release") };
}

function failureEvent(
  observed: Observed,
  { decision }: FullPlan,
  failure: Failure,
): EventText | undefined {
  const why = refusalOf(observed, failure);
  if (why === undefined) return undefined;
  const message = failedStep(decision.reason.message, why);
  return { type: "Warning", reason: "FailedStep", message };
}

/** What the server answered; undefined where it is nobody's concern. */
function refusalOf(observed: Observed, { cause }: Failure): string | undefined {
  if (isLostRace(observed, cause)) return undefined;
  const refusal = cause instanceof NameConflictError ? cause.cause : cause;
  return refusal instanceof Error ? refusal.message : String(refusal);
}

/** Losing a race, also against our own write that the cache does not show yet, concerns nobody. */
const isLostRace = ({ hasPod }: Observed, cause: unknown): boolean =>
  isConflict(cause) || (cause instanceof NameConflictError && !hasPod(cause.key.name));

/** A new phase is announced after the pods that led to it. */
export function emitPhase(
  { actions }: StatefulSetTools,
  set: StatefulSet,
  status: StatefulSetStatus | undefined,
): void {
  if (status !== undefined && isPhaseChange(set, status)) actions.reportNow(set);
}
