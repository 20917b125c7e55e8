/** Assist mode: the cluster's own controller creates the pods; Lockstep deletes them, in order and within a budget. */
import type { StatefulSet } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import type { DeleteAction, ReplaceAction } from "../../planner/index.ts";
import { mergeConditions } from "../engine/conditions.ts";
import type { Planned } from "../engine/reconcile.ts";
import { podActions } from "../engine/reconcile.ts";
import { annotationNames } from "./annotations.ts";
import { CompetingConditions } from "./competing-controller.ts";
import type { StatefulSetGauges } from "./gauges.ts";
import type { Observed, StatefulSetReaders } from "./observe.ts";
import { observe } from "./observe.ts";
import type { RolloutPlan } from "./plan.ts";
import { planRollout } from "./plan.ts";
import { assistPolicy, isOnDelete } from "./policy.ts";
import type { StatefulSetReconciler, StatefulSetTools } from "./reconcile.ts";
import { emitPhase, noCompetingController } from "./reconcile.ts";
import { conditionsOf, figuresOf } from "./status.ts";
import { refusedConditions } from "../engine/size-limits.ts";
import { tooLarge } from "./size.ts";
import type { Warning } from "./warnings.ts";
import { annotationWarnings, bothModesWarning, warnOnce } from "./warnings.ts";
import { podDeletes } from "./writes.ts";

interface AssistPlan extends Planned {
  /** Undefined where there is nothing to pace. */
  readonly rollout?: RolloutPlan;
}

export function assistReconciler(
  readers: StatefulSetReaders,
  tools: StatefulSetTools,
  gauges: StatefulSetGauges,
): StatefulSetReconciler<AssistPlan> {
  const { clock, memory, events } = tools;
  const warn = warnOnce(events, memory);
  const competing = new CompetingConditions(memory);
  return {
    resource: statefulSetResource,
    reports: "afterActing",
    observe: (key) => observe(readers, key, clock.now()),
    objectOf: ({ set }) => set,
    refusal: ({ set, nowMs }) => {
      const problem = isOurs(set) ? tooLarge(set) : undefined;
      if (problem === undefined) return undefined;
      const conditions = refusedConditions(set.status?.conditions, problem, nowMs);
      return { replicas: 0, ...set.status, conditions };
    },
    plan: (observed) => (isOurs(observed.set) ? plan(observed) : { phases: [] }),
    guards: ({ set }, { rollout }) =>
      rollout === undefined
        ? []
        : [
            noCompetingController(() => {
              const holdsForMs = competing.standBackFor(set, clock.monotonic());
              if (holdsForMs !== undefined) warn(set, bothModesWarning);
              return holdsForMs;
            }),
          ],
    status: (observed, { rollout }) => {
      if (rollout === undefined) return undefined;
      const { set, nowMs } = observed;
      const ours = conditionsOf(observed, rollout);
      const conditions = mergeConditions(set.status?.conditions, ours, nowMs);
      return { replicas: 0, ...set.status, conditions };
    },
    onWritten: (set, status) => competing.written(set, status),
    figures: figuresOf,
    performedActions: ({ set }, _planned, writes) => podActions(set, writes),
    emit: (observed, { rollout }, status) => {
      for (const warning of warningsOf(observed)) warn(observed.set, warning);
      if (rollout !== undefined) gauges.show(observed, rollout);
      emitPhase(tools, observed.set, status);
    },
  };
}

function plan(observed: Observed): AssistPlan {
  const { set, overrides } = observed;
  const { updateRevision: update = "", currentRevision: current = update } = set.status ?? {};
  const rollout = planRollout(observed, { update, current }, assistPolicy(set, overrides));
  return {
    rollout,
    phases: [{ sideBySide: podDeletes(rollout, isUpdate) }],
    requeueAfterMs: rollout.decision.recheckAfterMs,
  };
}

/** Until the cluster's controller has seen the template, nobody knows what is outdated. */
const isOurs = (set: StatefulSet): boolean => isAsked(set) && isOnDelete(set) && !isBehind(set);

const isAsked = ({ metadata }: StatefulSet): boolean =>
  metadata.annotations?.[annotationNames.maxUnavailable] !== undefined;

const isBehind = ({ metadata, status }: StatefulSet): boolean =>
  (status?.observedGeneration ?? 0) < (metadata.generation ?? 0) ||
  (status?.updateRevision ?? "") === "";

function warningsOf(observed: Observed): Warning[] {
  if (!isAsked(observed.set)) return [];
  return isOnDelete(observed.set) ? annotationWarnings(observed) : [notAssisted];
}

const notAssisted: Warning = {
  reason: "NotAssisted",
  message:
    `annotation ${annotationNames.maxUnavailable} has no effect: the cluster's own controller rolls this set ` +
    `out. Set spec.updateStrategy.type to OnDelete to have Lockstep pace the update`,
};

/** Creating, scaling and restarting failed pods is the work of the cluster's own controller. */
const isUpdate = (action: DeleteAction | ReplaceAction): boolean =>
  action.kind === "replace" && action.code !== "UnitFailed";
