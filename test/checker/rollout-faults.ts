/** Deliberate faults of the planner, as data: the checker must catch every one of them. */
import { decide } from "../../src/planner/decide.ts";
import type { Action, Decision } from "../../src/planner/decision.ts";
import type { Policy, RollingPolicy } from "../../src/planner/policy.ts";
import type { Snapshot } from "../../src/planner/rollout.ts";
import type { Unit } from "../../src/planner/unit.ts";
import type { Trial } from "./rollout-cases.ts";
import type { Decide } from "./rollout-model.ts";

export interface Fault<Planner, Where> {
  readonly fault: string;
  /** How the broken promise begins. */
  readonly caughtBy: string;
  readonly where: Where;
  readonly planner: Planner;
}

type RolloutFault = Fault<Decide, Trial>;

/** It decides correctly, but on a wrong view. */
const sees =
  (change: (unit: Unit, snapshot: Snapshot) => Partial<Unit> | undefined): Decide =>
  (snapshot, policy) =>
    decide(
      {
        ...snapshot,
        units: snapshot.units.flatMap((unit) => {
          const changed = change(unit, snapshot);
          return changed === undefined ? [] : [{ ...unit, ...changed }];
        }),
      },
      policy,
    );

/** It follows another policy than the given one. */
const follows =
  (change: (policy: RollingPolicy) => Policy): Decide =>
  (snapshot, policy) =>
    decide(snapshot, policy.kind === "rolling" ? change(policy) : policy);

const withBudget = (change: (policy: RollingPolicy) => Partial<RollingPolicy["budget"]>): Decide =>
  follows((policy) => ({ ...policy, budget: { ...policy.budget, ...change(policy) } }));

/** It follows another rollout than the given one. */
const wants =
  (change: (snapshot: Snapshot) => Partial<Snapshot["rollout"]>): Decide =>
  (snapshot, policy) =>
    decide({ ...snapshot, rollout: { ...snapshot.rollout, ...change(snapshot) } }, policy);

/** It decides correctly and then does something else. */
const does =
  (
    change: (actions: readonly Action[], snapshot: Snapshot, policy: Policy) => readonly Action[],
  ): Decide =>
  (snapshot, policy) => {
    const decision = decide(snapshot, policy);
    const actions = change(decision.actions, snapshot, policy);
    if (actions === decision.actions || actions.length + decision.actions.length === 0) {
      return decision;
    }
    const kind = actions[0]?.kind ?? "hold";
    // Its reason stays plausible, so that only its actions reveal the fault.
    const waits = [...decision.waits, excuse];
    return { ...decision, kind, actions, waits } as Decision;
  };

const excuse = {
  unit: "web-0",
  ordinal: 0,
  code: "Starting",
  sinceMs: 0,
  freedBy: "patience",
} as const;

const drops = (isDropped: (action: Action) => boolean): Decide =>
  does((actions) => (actions.some(isDropped) ? actions.filter((one) => !isDropped(one)) : actions));

const claimsDone =
  (isClaimed: (snapshot: Snapshot, policy: Policy) => boolean): Decide =>
  (snapshot, policy) => {
    const decision = decide(snapshot, policy);
    if (decision.kind !== "hold" || !isClaimed(snapshot, policy)) return decision;
    return { ...decision, kind: "done" };
  };

const isOutdated = (unit: Unit, { rollout }: Snapshot): boolean =>
  unit.revision !== rollout.targetRevision;
const isSurge = ({ code }: Action): boolean => code === "Surge";

const group: Trial = { family: "scaling-group", units: 2, maxFaults: 1 };
const set: Trial = { family: "statefulset", units: 2, maxFaults: 1 };
const larger: Trial = { family: "statefulset", units: 3, maxFaults: 1 };
const detailed: Trial = { family: "scaling-group", units: 2, maxFaults: 1, isDetailed: true };
const stale: Trial = { family: "scaling-group", units: 2, maxFaults: 0, maxLag: 2 };

export const rolloutFaults: readonly RolloutFault[] = [
  {
    fault: "one more may be down than was said",
    caughtBy: "P1",
    where: group,
    planner: withBudget(({ budget }) => ({ maxUnavailable: budget.maxUnavailable + 1 })),
  },
  {
    fault: "surge that was only asked for counts as serving",
    caughtBy: "P1",
    where: group,
    planner: sees((unit, { rollout }) =>
      unit.ordinal >= rollout.desired && unit.health === "pending" ? { health: "available" } : {},
    ),
  },
  {
    fault: "ready counts as available, minReadySeconds is ignored (kubernetes#112307)",
    caughtBy: "P1",
    where: detailed,
    planner: sees((unit) => (unit.health === "ready" ? { health: "available" } : {})),
  },
  {
    fault: "a unit that waits out minReadySeconds is as good as broken, whatever the clock did",
    caughtBy: "P1",
    where: detailed,
    planner: sees((unit) => (unit.health === "ready" ? { health: "pending" } : {})),
  },
  {
    fault: "only units above the partition are counted as down",
    caughtBy: "P1",
    where: set,
    planner: (snapshot, policy) => {
      const kept = policy.kind === "rolling" ? policy.partition : 0;
      const isUpdating = snapshot.units.some(
        (unit) => unit.ordinal >= kept && unit.health === "available" && isOutdated(unit, snapshot),
      );
      const isOverlooked = ({ ordinal }: Unit): boolean => isUpdating && ordinal < kept;
      return sees((unit) => (isOverlooked(unit) ? { health: "available" } : {}))(snapshot, policy);
    },
  },
  {
    fault: "a serving unit with an old crash goes for free, all at once (grove#697)",
    caughtBy: "P1",
    where: group,
    planner: sees((unit, snapshot) =>
      unit.health === "available" && isOutdated(unit, snapshot) ? { health: "unavailable" } : {},
    ),
  },
  {
    fault: "terminating units are taken for serving ones (grove#759)",
    caughtBy: "P11",
    where: set,
    planner: sees(({ health }) => (health === "terminating" ? { health: "available" } : {})),
  },
  {
    fault: "terminating units are overlooked, their names are used again",
    caughtBy: "P11",
    where: group,
    planner: sees(({ health }) => (health === "terminating" ? undefined : {})),
  },
  {
    fault: "its own deletions are forgotten while the view lags (grove#121)",
    caughtBy: "P11",
    where: stale,
    planner: (snapshot, policy) =>
      decide({ ...snapshot, requested: { ...snapshot.requested, deletions: [] } }, policy),
  },
  {
    fault: "its own creations are forgotten while the view lags",
    caughtBy: "P11",
    where: stale,
    planner: (snapshot, policy) =>
      decide({ ...snapshot, requested: { ...snapshot.requested, creations: [] } }, policy),
  },
  {
    fault: "a deletion names the unit and not the incarnation",
    caughtBy: "P11",
    where: group,
    planner: does((actions) =>
      actions.map((action) => (action.kind === "create" ? action : { ...action, id: action.unit })),
    ),
  },
  {
    fault: "the same action twice in one decision",
    caughtBy: "P11",
    where: group,
    planner: does((actions) => [...actions, ...actions]),
  },
  {
    fault: "surge above what is allowed",
    caughtBy: "P4",
    where: { ...group, maxFaults: 0 },
    planner: withBudget(({ budget }) => ({ maxSurge: budget.maxSurge + 1 })),
  },
  {
    fault: "surge that stands in for nobody",
    caughtBy: "P2",
    where: group,
    planner: does((actions, { rollout, units }, { budget, kind }) => {
      const isFree = units.every(({ ordinal }) => ordinal < rollout.desired);
      const isWanted = kind === "rolling" && budget.maxSurge > 0 && rollout.desired > 0;
      if (actions.some(isSurge) || !isFree || !isWanted) return actions;
      const revision = rollout.targetRevision;
      return [...actions, { kind: "create", ordinal: rollout.desired, revision, code: "Surge" }];
    }),
  },
  {
    fault: "surge on the revision that is being replaced",
    caughtBy: "P2",
    where: group,
    planner: does((actions) =>
      actions.map((action) => (isSurge(action) ? { ...action, revision: "v1" } : action)),
    ),
  },
  {
    fault: "surge one ordinal too high",
    caughtBy: "P4",
    where: group,
    planner: does((actions) =>
      actions.map((action) =>
        isSurge(action) ? { ...action, ordinal: action.ordinal + 1 } : action,
      ),
    ),
  },
  {
    fault: "surge comes too late: never before a unit is down",
    caughtBy: "P7",
    where: group,
    planner: drops(isSurge),
  },
  {
    fault: "surge leaves as soon as it serves",
    caughtBy: "P5",
    where: group,
    planner: does((actions, { units, rollout }) => {
      const extra = units.filter(
        ({ ordinal, health }) => ordinal >= rollout.desired && health === "available",
      );
      const isTerminating = (id: string): boolean =>
        actions.some((one) => "id" in one && one.id === id);
      const more = extra.filter(({ id }) => !isTerminating(id));
      if (more.length === 0) return actions;
      return more.map(({ name, id, ordinal }) => ({
        kind: "delete",
        unit: name,
        id,
        ordinal,
        code: "SurgeDone",
      }));
    }),
  },
  {
    fault: "surge is kept when everybody is back",
    caughtBy: "P4",
    where: group,
    planner: (snapshot, policy) => {
      const decision = decide(snapshot, policy);
      const isLast = decision.actions.some(({ code }) => code === "SurgeDone");
      return isLast ? { ...decision, kind: "done", actions: [] } : decision;
    },
  },
  {
    fault: "broken units wait for budget (kubernetes#67250, kubernetes#137409, grove#840)",
    caughtBy: "P3",
    where: set,
    planner: follows((policy) => ({ ...policy, brokenUnits: "wait" })),
  },
  {
    fault: "broken units block the rollback: they are never replaced",
    caughtBy: "P3",
    where: group,
    planner: drops(({ code }) => code === "OutdatedAndBroken"),
  },
  {
    fault: "units still starting fall into no bucket and are never updated (grove#435)",
    caughtBy: "P3",
    where: group,
    planner: sees((unit, snapshot) =>
      unit.health === "pending" ? { revision: snapshot.rollout.targetRevision } : {},
    ),
  },
  {
    fault: "a unit that failed for good is waited for",
    caughtBy: "P3",
    where: detailed,
    planner: sees(() => ({ failed: false })),
  },
  {
    fault: "a hole is left at ordinal 0",
    caughtBy: "P7",
    where: group,
    planner: drops(({ kind, ordinal }) => kind === "create" && ordinal === 0),
  },
  {
    fault: "a lost unit comes back above the others instead of in its place (grove#137)",
    caughtBy: "P4",
    where: group,
    planner: does((actions, { rollout }) =>
      actions.map((action) =>
        action.code === "UnitMissing" && action.ordinal === 0
          ? { ...action, ordinal: rollout.desired }
          : action,
      ),
    ),
  },
  {
    fault: "what is above desired is never removed",
    caughtBy: "P7",
    where: set,
    planner: drops(({ kind }) => kind === "delete"),
  },
  {
    fault: "units on the target are replaced again (grove#757)",
    caughtBy: "P5",
    where: set,
    planner: sees(({ revision, health }) =>
      revision === "v2" && health === "available" ? { revision: "v1" } : {},
    ),
  },
  {
    fault: "going back replaces what is still on the previous revision",
    caughtBy: "P7",
    where: group,
    planner: wants(({ rollout }) => ({ targetRevision: rollout.previousRevision! })),
  },
  {
    fault: "units of an abandoned revision are lost track of (grove#400)",
    caughtBy: "P7",
    where: { ...group, maxFaults: 2 },
    planner: sees(({ revision }) => (revision === "v0" ? { revision: "v2" } : {})),
  },
  {
    fault: "the partition is ignored",
    caughtBy: "P5",
    where: set,
    planner: follows((policy) => ({ ...policy, partition: 0 })),
  },
  {
    fault: "the partition keeps one unit less",
    caughtBy: "P5",
    where: set,
    planner: follows((policy) => ({ ...policy, partition: Math.max(0, policy.partition - 1) })),
  },
  {
    fault: "the partition keeps one unit more",
    caughtBy: "P3",
    where: set,
    planner: follows((policy) => ({ ...policy, partition: policy.partition + 1 })),
  },
  {
    fault: "below the partition a lost unit comes back on the target",
    caughtBy: "P6",
    where: set,
    planner: does((actions) =>
      actions.map((action) => (action.kind === "create" ? { ...action, revision: "v2" } : action)),
    ),
  },
  {
    fault: "a pause is ignored",
    caughtBy: "P5",
    where: group,
    planner: wants(() => ({ paused: false })),
  },
  {
    fault: "OnDelete replaces what is outdated",
    caughtBy: "P5",
    where: { family: "on-delete", units: 2, maxFaults: 0 },
    planner: (snapshot, policy) =>
      decide(snapshot, {
        kind: "rolling",
        ordering: "ascendingOrdinal",
        brokenUnits: "replace",
        partition: 0,
        pacing: policy.pacing,
        budget: policy.budget,
      }),
  },
  {
    fault: "OnDelete scale-in prefers units that do not serve to outdated ones",
    caughtBy: "P5",
    where: { family: "on-delete", units: 2, maxFaults: 2 },
    planner: (snapshot, policy) =>
      decide(
        snapshot,
        policy.kind === "onDelete" ? { ...policy, scaleIn: "highestOrdinal" } : policy,
      ),
  },
  {
    fault: "the wrong end goes first",
    caughtBy: "P10",
    where: set,
    planner: follows((policy) => ({ ...policy, ordering: "ascendingOrdinal" })),
  },
  {
    fault: "the order in which units arrive decides",
    caughtBy: "P10",
    where: { ...group, maxFaults: 0 },
    planner: (snapshot, policy) =>
      decide(
        { ...snapshot, units: snapshot.units.map((unit, at) => ({ ...unit, createdAtMs: at })) },
        policy.kind === "rolling" ? { ...policy, ordering: "oldestFirst" } : policy,
      ),
  },
  {
    fault: "only one unit at a time, whatever the budget (kubernetes#124408)",
    caughtBy: "P7",
    where: group,
    planner: does((actions) => {
      const first = actions.find(({ code }) => code === "Outdated");
      return actions.filter((action) => action.code !== "Outdated" || action === first);
    }),
  },
  {
    fault: "a round starts inside another",
    caughtBy: "ordered",
    where: larger,
    planner: follows((policy) => ({ ...policy, pacing: "parallel" })),
  },
  {
    fault: "under a strict order whoever is back lets the next go",
    caughtBy: "ordered",
    where: larger,
    planner: follows((policy) =>
      policy.pacing === "strict" ? { ...policy, pacing: "parallel" } : policy,
    ),
  },
  {
    fault: "an ordered fleet shrinks from below",
    caughtBy: "ordered",
    where: { ...set, maxFaults: 2 },
    planner: does((actions, { units, rollout }) => {
      const lowest = units.find(
        ({ ordinal, health }) => ordinal >= rollout.desired && health !== "terminating",
      );
      const isOne = actions.filter(({ kind }) => kind === "delete").length === 1;
      return actions.map((action) =>
        isOne && action.kind === "delete" && lowest !== undefined
          ? { ...action, unit: lowest.name, id: lowest.id, ordinal: lowest.ordinal }
          : action,
      );
    }),
  },
  {
    fault: "it ends before the replacements are ready (grove#785)",
    caughtBy: "P7",
    where: group,
    planner: claimsDone(({ units, rollout }) =>
      units.every(({ revision }) => revision === rollout.targetRevision),
    ),
  },
  {
    fault: "it ends when minAvailable units are updated",
    caughtBy: "P4",
    where: group,
    planner: claimsDone(({ units, rollout }, { budget }) => {
      const updated = units.filter(
        ({ revision, health }) => revision === rollout.targetRevision && health === "available",
      );
      return updated.length >= rollout.desired - budget.maxUnavailable;
    }),
  },
  {
    fault: "the surge waits for the base and the base for the surge",
    caughtBy: "P7",
    where: group,
    planner: does((actions, { units, rollout }) => {
      const isWhole = units.filter(({ ordinal }) => ordinal >= rollout.desired).length > 0;
      return isWhole ? actions.filter(({ kind }) => kind === "create") : actions;
    }),
  },
  {
    fault: "it holds and does not say what it waits for",
    caughtBy: "P7",
    where: group,
    planner: (snapshot, policy) => ({ ...decide(snapshot, policy), waits: [] }),
  },
  {
    fault: "scaling out waits until the rollout is over",
    caughtBy: "P7",
    where: { ...group, maxFaults: 2 },
    planner: does((actions, snapshot) =>
      snapshot.units.some((unit) => isOutdated(unit, snapshot))
        ? actions.filter(({ code }) => code !== "UnitMissing")
        : actions,
    ),
  },
];
