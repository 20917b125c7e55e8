/** Deliberate faults of coordination and of placement; the checker must catch every one of them. */
import type { CoordinationDecision } from "../../src/planner/coordination/coordination-decision.ts";
import type {
  CoordinatedRole,
  CoordinationSnapshot,
  Cursor,
} from "../../src/planner/coordination/coordinated-roles.ts";
import { decideCoordination } from "../../src/planner/coordination/decide-coordination.ts";
import { planPlacement } from "../../src/planner/placement/plan-placement.ts";
import type { PhaseName } from "../../src/planner/placement/decisions.ts";
import type { Unit } from "../../src/planner/unit.ts";
import type { CoordinationTrial, DecideCoordination } from "./coordination-model.ts";
import type { PlacementScope, PlanPlacement } from "./placement-model.ts";
import type { Fault } from "./rollout-faults.ts";

const two: CoordinationTrial = { units: 2, maxFaults: 1, maxLag: 0 };
const single: CoordinationTrial = { units: 1, maxFaults: 0, maxLag: 0 };

const seesUnits =
  (change: (unit: Unit, snapshot: CoordinationSnapshot) => Partial<Unit>): DecideCoordination =>
  (snapshot, policy) =>
    decideCoordination(
      {
        ...snapshot,
        roles: snapshot.roles.map((role) => ({
          ...role,
          units: role.units.map((unit) => ({ ...unit, ...change(unit, snapshot) })),
        })),
      },
      policy,
    );

const withLimits =
  (change: (limits: { maxUnavailable: number; partition: number }) => object): DecideCoordination =>
  (snapshot, policy) => {
    const limits = Object.entries(policy.limits).map(([role, own]) => [
      role,
      { ...own, ...change(own) },
    ]);
    return decideCoordination(snapshot, { ...policy, limits: Object.fromEntries(limits) });
  };

type Cursors = (role: CoordinatedRole, ordinal: number, snapshot: CoordinationSnapshot) => number;

const movesCursors =
  (change: Cursors): DecideCoordination =>
  (snapshot, policy) => {
    const decision = decideCoordination(snapshot, policy);
    const roleOf = (name: string): CoordinatedRole =>
      snapshot.roles.find(({ role }) => role === name)!;
    const roles = decision.roles.map((role) => {
      const ordinal = change(roleOf(role.role), role.cursor.ordinal, snapshot);
      return { ...role, cursor: { ...role.cursor, ordinal } };
    });
    const isStill = roles.every(({ role, cursor }) => {
      const held = roleOf(role).cursor;
      return held?.ordinal === cursor.ordinal && held.revision === cursor.revision;
    });
    const kind = decision.kind === "advance" && isStill ? "hold" : decision.kind;
    return { ...decision, kind, roles } satisfies CoordinationDecision;
  };

type Ahead = (
  role: CoordinatedRole,
  ahead: readonly number[],
  snapshot: CoordinationSnapshot,
) => readonly number[];

const changesAhead =
  (change: Ahead): DecideCoordination =>
  (snapshot, policy) => {
    const decision = decideCoordination(snapshot, policy);
    const heldBy = (name: string) => snapshot.roles.find(({ role }) => role === name)!;
    const roles = decision.roles.map((each) => {
      const { revision, ordinal, ahead = [] } = each.cursor;
      const held = heldBy(each.role);
      const cursor = { revision, ordinal, ahead: change(held, ahead, snapshot) };
      const isAdvancing = each.reason.code === "Advancing" && !isHeld(held, cursor);
      const code = isAdvancing || ahead.length === 0 ? each.reason.code : "BudgetSpent";
      return { ...each, cursor, reason: { ...each.reason, code } };
    });
    const isStill = roles.every(({ role, cursor }) => isHeld(heldBy(role), cursor));
    const kind = decision.kind === "advance" && isStill ? "hold" : decision.kind;
    return { ...decision, kind, roles } satisfies CoordinationDecision;
  };

const isHeld = (role: CoordinatedRole, { revision, ordinal, ahead = [] }: Cursor): boolean =>
  role.cursor?.revision === revision &&
  role.cursor.ordinal === ordinal &&
  String(role.cursor.ahead ?? []) === String(ahead);

const serving = ({ units }: CoordinatedRole, revision: string): number =>
  units.filter((unit) => unit.revision === revision && unit.health === "available").length;
const partnerOf = (role: CoordinatedRole, { roles }: CoordinationSnapshot): CoordinatedRole =>
  roles.find((other) => other.role !== role.role)!;

export const coordinationFaults: readonly Fault<DecideCoordination, CoordinationTrial>[] = [
  {
    fault: "a raised partition takes the cursor up again (rbg#269)",
    caughtBy: "P5",
    where: two,
    planner: (snapshot, policy) =>
      movesCursors(({ role, desired, cursor }, ordinal) =>
        cursor?.revision === snapshot.targetRevision
          ? Math.max(ordinal, Math.min(desired, policy.limits[role]!.partition))
          : ordinal,
      )(snapshot, policy),
  },
  {
    fault: "the first write lets units through before any bound holds",
    caughtBy: "P8",
    where: single,
    planner: movesCursors(({ cursor }, ordinal, { targetRevision }) =>
      cursor?.revision === targetRevision ? ordinal : 0,
    ),
  },
  {
    fault: "a status of the rollout before opens the gate",
    caughtBy: "P8",
    where: single,
    planner: (snapshot, policy) => {
      const observedRevision = snapshot.targetRevision;
      const roles = snapshot.roles.map((role) => ({ ...role, observedRevision }));
      return decideCoordination({ ...snapshot, roles }, policy);
    },
  },
  {
    fault: "a strict skew stalls roles of one unit (rbg#307)",
    caughtBy: "P7",
    where: single,
    planner: (snapshot, policy) =>
      movesCursors((role, ordinal) => {
        const { pace } = policy;
        const skew = pace.kind === "skew" ? (pace.maxSkewPercent ?? 100) / 100 : 1;
        const partner = partnerOf(role, snapshot);
        const level = serving(partner, snapshot.targetRevision) / partner.desired;
        const isBeyond = (role.desired - ordinal) / role.desired > level + skew;
        return isBeyond ? Math.max(ordinal, role.cursor!.ordinal) : ordinal;
      })(snapshot, policy),
  },
  {
    fault: "each role waits until the other is finished",
    caughtBy: "P7",
    where: single,
    planner: movesCursors((role, ordinal, snapshot) => {
      const partner = partnerOf(role, snapshot);
      const isFinished = serving(partner, snapshot.targetRevision) === partner.desired;
      const isCurrent = role.cursor?.revision === snapshot.targetRevision;
      return isCurrent && !isFinished ? role.cursor.ordinal : ordinal;
    }),
  },
  {
    fault: "the role whose name comes first goes one by one, the other in leaps",
    caughtBy: "P10",
    where: { ...two, maxFaults: 0 },
    planner: movesCursors(({ role, cursor }, ordinal, { targetRevision }) =>
      role === "decode" && cursor?.revision === targetRevision
        ? Math.max(ordinal, cursor.ordinal - 1)
        : ordinal,
    ),
  },
  {
    fault: "a role leans on units of its partner that do not serve",
    caughtBy: "P7",
    where: two,
    planner: seesUnits(({ health }) => (health === "pending" ? { health: "available" } : {})),
  },
  {
    fault: "roles may be further apart than was said",
    caughtBy: "P8",
    where: two,
    planner: (snapshot, policy) => {
      const isSkew = policy.pace.kind === "skew" && policy.pace.maxSkewPercent !== undefined;
      const pace = { kind: "skew", maxSkewPercent: 100 } as const;
      return decideCoordination(snapshot, isSkew ? { ...policy, pace } : policy);
    },
  },
  {
    fault: "one more unit of a role may be down than was said",
    caughtBy: "P1",
    where: two,
    planner: withLimits(({ maxUnavailable }) => ({ maxUnavailable: maxUnavailable + 1 })),
  },
  {
    fault: "the partition of the roles is ignored",
    caughtBy: "P5",
    where: two,
    planner: withLimits(() => ({ partition: 0 })),
  },
  {
    fault: "a pause of the group is ignored",
    caughtBy: "P8",
    where: two,
    planner: (snapshot, policy) => decideCoordination({ ...snapshot, paused: false }, policy),
  },
  {
    fault: "a broken unit on top needs budget to be repaired",
    caughtBy: "P3",
    where: { ...two, maxFaults: 2 },
    planner: (snapshot, policy) => {
      const decision = decideCoordination(snapshot, policy);
      const isFree = (role: CoordinatedRole): boolean =>
        role.units.some(({ ordinal, health, revision }) => {
          const isNext = ordinal === role.cursor!.ordinal - 1;
          return isNext && health === "unavailable" && revision !== snapshot.targetRevision;
        });
      if (decision.kind !== "advance" || !snapshot.roles.some(isFree)) return decision;
      const roles = decision.roles.map((role) => ({
        ...role,
        cursor: snapshot.roles.find((each) => each.role === role.role)!.cursor!,
        reason: { ...role.reason, code: "BudgetSpent" as const },
      }));
      return { ...decision, kind: "hold", roles };
    },
  },
  {
    fault: "a broken unit below healthy ones waits for them",
    caughtBy: "P3",
    where: { ...two, maxFaults: 2 },
    planner: changesAhead(() => []),
  },
  {
    fault: "a unit goes ahead although it serves",
    caughtBy: "P1",
    where: two,
    planner: changesAhead(({ desired, cursor }, _, { targetRevision }) =>
      cursor?.revision === targetRevision && desired > 1 && cursor.ordinal === desired ? [0] : [],
    ),
  },
  {
    fault: "a unit that went ahead is kept back again",
    caughtBy: "P5",
    where: { ...two, maxFaults: 2 },
    planner: changesAhead(({ cursor }, ahead) => ((cursor?.ahead ?? []).length === 0 ? ahead : [])),
  },
  {
    fault: "a group is done while units are on their way",
    caughtBy: "P7",
    where: single,
    planner: (snapshot, policy) => {
      const decision = decideCoordination(snapshot, policy);
      return decision.kind === "hold" ? { ...decision, kind: "done" } : decision;
    },
  },
  {
    fault: "roles are said to wait and nobody is named",
    caughtBy: "P7",
    where: single,
    planner: (snapshot, policy) => {
      const decision = decideCoordination(snapshot, policy);
      return { ...decision, roles: decision.roles.map((role) => ({ ...role, waits: [] })) };
    },
  },
];

const small: PlacementScope = { clusters: 3, groups: 2, perDecision: 1, maxFaults: 1 };

const withPhases =
  (change: (names: readonly PhaseName[]) => readonly PhaseName[]): PlanPlacement =>
  (snapshot, policy) => {
    const plan = planPlacement(snapshot, policy);
    if (plan.kind !== "write") return plan;
    const wanted = change(plan.phases.map(({ phase }) => phase));
    const phases = wanted.map((name) => plan.phases.find(({ phase }) => phase === name)!);
    return { ...plan, phases };
  };

export const placementFaults: readonly Fault<PlanPlacement, PlacementScope>[] = [
  {
    fault: "decisions are written in place (ocm#1346)",
    caughtBy: "P9",
    where: small,
    planner: (snapshot, policy) => planPlacement(snapshot, { ...policy, strategy: "All" }),
  },
  {
    fault: "lists shrink before others grow",
    caughtBy: "P9",
    where: small,
    planner: withPhases((names) => names.toReversed()),
  },
  {
    fault: "the surge is left out",
    caughtBy: "P4",
    where: small,
    planner: withPhases((names) => names.filter((name) => name !== "surge")),
  },
  {
    fault: "obsolete decisions stay",
    caughtBy: "P4",
    where: small,
    planner: withPhases((names) => names.filter((name) => name !== "delete")),
  },
  {
    fault: "an empty selection leaves no decision at all (argo-cd#11939)",
    caughtBy: "P9",
    where: small,
    planner: (snapshot, policy) => {
      const plan = planPlacement(snapshot, policy);
      const { selection, observed } = snapshot;
      const isEmpty =
        selection.kind === "selected" &&
        selection.groups.every(({ clusters }) => clusters.length === 0);
      if (!isEmpty || plan.kind !== "write") return plan;
      const writes = observed.map(({ name }) => ({ kind: "delete", name }) as const);
      return { ...plan, phases: [{ phase: "delete", writes }] };
    },
  },
];
