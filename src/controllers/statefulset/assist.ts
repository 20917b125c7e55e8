/** Assist mode: the cluster's own controller creates the pods; Lockstep deletes them, in order and within a budget. */
import type { StatefulSet } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import type { DeleteAction, ReplaceAction } from "../../planner/index.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { mergeConditions } from "../engine/conditions.ts";
import { controllerOf } from "../engine/ownership.ts";
import type { Planned } from "../engine/reconcile.ts";
import { podActions } from "../engine/reconcile.ts";
import type { DeleteWrite, LiveRead } from "../engine/write.ts";
import { annotationNames } from "./annotations.ts";
import { CompetingConditions } from "./competing-controller.ts";
import type { StatefulSetGauges } from "./gauges.ts";
import type { Observed, StatefulSetReaders } from "./observe.ts";
import { observe } from "./observe.ts";
import type { RolloutPlan } from "./plan.ts";
import { planRollout } from "./plan.ts";
import { assistPolicy, isOnDelete, tooLarge } from "./policy.ts";
import type { StatefulSetReconciler, StatefulSetTools } from "./reconcile.ts";
import { emitPhase, noCompetingController } from "./reconcile.ts";
import { conditionsOf, figuresOf, writtenStatus } from "./status.ts";
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
    tooLarge: ({ set }) => (isOurs(set) ? tooLarge(set) : undefined),
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
      const ours = conditionsOf(observed, createdByOthers(rollout));
      const conditions = mergeConditions(set.status?.conditions, ours, nowMs);
      return { ...writtenStatus(set), conditions };
    },
    onWritten: (set, status) => competing.written(set, status),
    figures: figuresOf,
    performedActions: ({ set }, writes) => podActions(set, writes),
    emit: (observed, { rollout }, status) => {
      for (const warning of warningsOf(observed)) warn(observed.set, warning);
      if (rollout !== undefined) gauges.show(observed, rollout);
      emitPhase(tools, observed.set, status);
    },
  };
}

/** Here the planner's creations are performed by somebody else, so they are waited for. */
export function createdByOthers(rollout: RolloutPlan): RolloutPlan {
  const { decision } = rollout;
  if (decision.kind !== "create") return rollout;
  const { code, message } = decision.reason;
  const awaited = message.replace(
    /^creating /,
    "waiting for the cluster's own controller to create ",
  );
  return { ...rollout, decision: { ...decision, reason: { code, message: awaited } } };
}

function plan(observed: Observed): AssistPlan {
  const { set, overrides } = observed;
  const { updateRevision: update = "", currentRevision: current = update } = set.status ?? {};
  const rollout = planRollout(observed, { update, current }, assistPolicy(set, overrides));
  const deletes = podDeletes(rollout, isUpdate);
  return {
    rollout,
    phases: [{ inOrder: [...doubts(observed, rollout, deletes), { sideBySide: deletes }] }],
    requeueAfterMs: rollout.decision.recheckAfterMs,
  };
}

/**
 * The cluster's controller may have made pods of a template that is not seen here yet: they look outdated, and new ones
 * would follow each that is deleted. So the server is asked, unless a revision is known to be older.
 */
function doubts(
  { set, revisions }: Observed,
  { pods, names: { update } }: RolloutPlan,
  deletes: readonly DeleteWrite[],
): readonly LiveRead[] {
  const known = revisions.map(({ metadata }) => metadata.name ?? "");
  const older = new Set(known.slice(0, Math.max(0, known.indexOf(update))));
  const uids = new Set(deletes.map(({ uid }) => uid));
  const isDoubtful = pods.some(
    ({ pod, revision }) => uids.has(pod.metadata.uid ?? "") && !older.has(revision),
  );
  if (!isDoubtful) return [];
  const { name = "", namespace, uid } = set.metadata;
  return [
    {
      question: `is ${update} still what ${name} is to become`,
      read: async (live) => {
        const now = await live.get<StatefulSet>(statefulSetResource, { namespace, name });
        const isSame = now.metadata.uid === uid && !isBehind(now);
        return { isOpen: isSame && now.status?.updateRevision === update };
      },
    },
  ];
}

/** Until the cluster's controller has seen the template, nobody knows what is outdated. */
const isOurs = (set: StatefulSet): boolean => isAsked(set) && isOnDelete(set) && !isBehind(set);

const isAsked = ({ metadata }: StatefulSet): boolean =>
  metadata.annotations?.[annotationNames.maxUnavailable] !== undefined;

const isBehind = ({ metadata, status }: StatefulSet): boolean =>
  (status?.observedGeneration ?? 0) < (metadata.generation ?? 0) ||
  (status?.updateRevision ?? "") === "";

function warningsOf(observed: Observed): Warning[] {
  if (!isAsked(observed.set) || isRolledOutByGroup(observed.set)) return [];
  return isOnDelete(observed.set) ? annotationWarnings(observed) : [notAssisted];
}

/** A group writes the annotation for full mode, and moves the partition itself. */
const isRolledOutByGroup = (set: StatefulSet): boolean =>
  controllerOf(set)?.kind === roleBasedGroupResource.kind;

const notAssisted: Warning = {
  reason: "NotAssisted",
  message:
    `annotation ${annotationNames.maxUnavailable} has no effect: the cluster's own controller rolls this set ` +
    `out. Set spec.updateStrategy.type to OnDelete to have Lockstep pace the update`,
};

/** Creating, scaling and restarting failed pods is the work of the cluster's own controller. */
const isUpdate = (action: DeleteAction | ReplaceAction): boolean =>
  action.kind === "replace" && action.code !== "UnitFailed";
