/** Single decisions of coordination: who moves, who waits, and the sentence that says why. */
import { expect, test } from "vitest";
import {
  drawnRole,
  drawnUnits,
  coordinationPolicy,
  roleOf,
  coordinationSnapshot,
} from "../../../test/builders/coordinated-roles.ts";
import { decideCoordination } from "./decide-coordination.ts";
import type { RoleDecision } from "./coordination-decision.ts";
import type { CoordinatedRole, CoordinationSnapshot } from "./coordinated-roles.ts";
import type { CoordinationAmounts } from "./resolve-coordination.ts";

const decide = (
  roles: readonly CoordinatedRole[],
  amounts: CoordinationAmounts,
  change: Partial<CoordinationSnapshot> = {},
) => decideCoordination(coordinationSnapshot(roles, change), coordinationPolicy(amounts, roles));

/** `advance: decode@2 prefill@3+0 | sentence`: roles with cursor and what goes ahead of it, then the reason. */
const draw = ({ kind, roles, reason }: ReturnType<typeof decide>): string =>
  `${kind}: ${roles.map(drawCursor).join(" ")} | ${reason.code}: ${reason.message}`;

const drawCursor = ({ role, cursor }: RoleDecision): string =>
  `${role}@${[cursor.ordinal, ...(cursor.ahead ?? [])].join("+")}`;

interface Case {
  readonly roles: CoordinatedRole[];
  readonly amounts?: CoordinationAmounts;
  readonly change?: Partial<CoordinationSnapshot>;
  readonly want: string;
}

const ofRevision = (role: CoordinatedRole, revision: string, ordinal = 0): CoordinatedRole => ({
  ...role,
  cursor: { revision, ordinal },
  observedRevision: revision,
});

const ahead = (role: CoordinatedRole, ...ordinals: number[]): CoordinatedRole => ({
  ...role,
  cursor: { ...role.cursor!, ahead: ordinals },
});

const cases: Record<string, Case> = {
  "CO4 all roles move in the same decision": {
    roles: [roleOf("prefill", 4), roleOf("decode", 2)],
    amounts: { maxUnavailable: "50%", maxSkew: "50%" },
    want:
      "advance: decode@1 prefill@2 | Advancing: decode moves decode-1: 1 of 2 updated or updating; " +
      "prefill moves prefill-2 to prefill-3: 2 of 4 updated or updating",
  },
  "CO1 a role that leads waits, the other catches up": {
    roles: [roleOf("prefill", 40, 10), roleOf("decode", 20, 3)],
    amounts: { maxUnavailable: "10%", maxSkew: "10%" },
    want:
      "advance: decode@15 prefill@30 | Advancing: decode moves decode-15 to decode-16: " +
      "5 of 20 updated or updating; prefill waits for decode: decode has 3 of 20 " +
      "updated and available, prefill has 10 of 40 updated or updating (maxSkew 10%)",
  },
  "CO6 a failing role halts its partner, and is named as the cause": {
    roles: [drawnRole("decode", "v1 v1 v1 v2!", 3), drawnRole("prefill", "v1 v1 v1 v2", 3)],
    amounts: { maxSkew: "10%" },
    want:
      "hold: decode@3 prefill@3 | BudgetSpent: decode waits for decode-3 (new): " +
      "1 unit is down, at most 1 may be; prefill waits for decode: decode has 0 of 4 updated and " +
      "available, prefill has 1 of 4 updated or updating (maxSkew 10%)",
  },
  "CO6 with budget left a failing role still ends at its bound": {
    roles: [drawnRole("decode", "v1 v1 v2! v2!", 2), drawnRole("prefill", "v1 v1 v1 v2", 3)],
    amounts: { maxUnavailable: 4, maxSkew: "10%" },
    want:
      "hold: decode@2 prefill@3 | UnitNotAvailable: decode waits for decode-3 (new), decode-2 (new) " +
      "to become available; prefill waits for decode: decode has 0 of 4 updated and available, " +
      "prefill has 1 of 4 updated or updating (maxSkew 10%)",
  },
  "CO6 whoever goes is waited for until it is replaced": {
    roles: [drawnRole("decode", "v1~ v1 v2?", 0)],
    want:
      "hold: decode@0 | UnitNotAvailable: decode waits for decode-2 (new) to become available and " +
      "decode-1 (old), decode-0 (old) to be replaced",
  },
  "CO3 a unit that was asked to go counts as down, however well it looks": {
    roles: [drawnRole("decode", "v1 v1 v1", 2)],
    want: "hold: decode@2 | BudgetSpent: decode waits for decode-2 (old): 1 unit is down, at most 1 may be",
  },
  "CO3 outdated units that are down cost no budget": {
    roles: [drawnRole("decode", "v1 v1! v1! v1!", 4)],
    want: "advance: decode@1 | Advancing: decode moves decode-1 to decode-3: 3 of 4 updated or updating",
  },
  "CO3 a broken unit below healthy ones goes ahead of them": {
    roles: [drawnRole("decode", "v1! v1 v1", 3)],
    want:
      "advance: decode@3+0 | Advancing: decode moves decode-0 ahead of its turn since it is down: " +
      "1 of 3 updated or updating",
  },
  "CO3 several go ahead, in the same decision as the cursor moves": {
    roles: [drawnRole("decode", "v1! v1! v1 v1 v1!", 5)],
    amounts: { maxUnavailable: 3 },
    want:
      "advance: decode@4+0+1 | Advancing: decode moves decode-4, and decode-0 to decode-1 ahead of " +
      "their turn since they are down: 3 of 5 updated or updating",
  },
  "CO3 whoever went ahead is waited for like any other": {
    roles: [ahead(drawnRole("decode", "v2? v1 v1", 3), 0)],
    want: "hold: decode@3+0 | BudgetSpent: decode waits for decode-0 (new): 1 unit is down, at most 1 may be",
  },
  "CO3 whoever was to go ahead and recovers counts as down until it is replaced": {
    roles: [ahead(drawnRole("decode", "v1 v1 v1", 3), 0)],
    want: "hold: decode@3+0 | BudgetSpent: decode waits for decode-0 (old): 1 unit is down, at most 1 may be",
  },
  "CO3 the cursor passes whoever went ahead without taking it again": {
    roles: [ahead(drawnRole("decode", "v2 v2 v1 v2", 3), 0, 1)],
    want: "advance: decode@0 | Advancing: decode moves decode-2: 4 of 4 updated or updating",
  },
  "CO3 a unit that only waits out its minReadySeconds does not go ahead": {
    roles: [drawnRole("decode", "v1' v1 v1", 3)],
    want: "hold: decode@3 | BudgetSpent: decode waits for decode-0 (old): 1 unit is down, at most 1 may be",
  },
  "CO1 nobody goes ahead beyond the skew": {
    roles: [drawnRole("decode", "v1! v1! v1 v1", 4), drawnRole("prefill", "v1 v1 v1 v2?", 3)],
    amounts: { maxSkew: "10%" },
    want:
      "advance: decode@4+1 prefill@3 | Advancing: decode moves decode-1 ahead of its turn since it is down: " +
      "1 of 4 updated or updating; prefill waits for prefill-3 (new) to become available",
  },
  "CO3 within the skew a broken unit goes before one that starts, which may serve before it is replaced":
    {
      roles: [drawnRole("decode", "v1! v1?", 2), drawnRole("prefill", "v1 v1 v1 v1 v2", 4)],
      amounts: { maxSkew: "0%" },
      want:
        "advance: decode@2+0 prefill@4 | Advancing: decode moves decode-0 ahead of its turn since it is down: " +
        "1 of 2 updated or updating; prefill waits for decode: decode has 0 of 2 updated and available, " +
        "prefill has 1 of 5 updated or updating (maxSkew 0%)",
    },
  "CO3 within the skew a broken unit goes before a healthy one, even where there is budget for it":
    {
      roles: [drawnRole("decode", "v1! v1 v1 v1", 4), drawnRole("prefill", "v1 v1 v1 v1", 4)],
      amounts: { maxSkew: "1%", maxUnavailable: 3 },
      want:
        "advance: decode@4+0 prefill@3 | Advancing: decode moves decode-0 ahead of its turn since it is down: " +
        "1 of 4 updated or updating; prefill moves prefill-3: 1 of 4 updated or updating",
    },
  "CO3 where the skew reaches for both the one that starts goes in its turn": {
    roles: [drawnRole("decode", "v1! v1?", 2), drawnRole("prefill", "v1 v1 v1 v1", 4)],
    amounts: { maxSkew: "100%" },
    want:
      "advance: decode@0 prefill@3 | Advancing: decode moves decode-0 to decode-1: 2 of 2 updated or updating; " +
      "prefill moves prefill-3: 1 of 4 updated or updating",
  },
  "CO2 nobody goes ahead of the partition, and what it keeps is said to block the way": {
    roles: [drawnRole("decode", "v1! v1 v1", 3)],
    amounts: { partition: "30%" },
    want:
      "hold: decode@3 | KeptUnitDown: decode waits for decode-0 (old): 1 unit is down, at most 1 may be, and the " +
      "partition keeps it; repair it, lower the partition, or raise maxUnavailable above 1",
  },
  "CO3 under a controller that knows only the cursor a broken unit below blocks the way, and why": {
    roles: [{ ...drawnRole("decode", "v1! v1! v1", 3), isTopDownOnly: true }],
    amounts: { maxUnavailable: 2 },
    want:
      "hold: decode@3 | KeptUnitDown: decode waits for decode-0 (old), decode-1 (old): 2 units are down, at most 2 " +
      "may be, and units above them are replaced first; repair them, or raise maxUnavailable above 2",
  },
  "CO3 under such a controller what went ahead earlier counts for nothing": {
    roles: [{ ...ahead(drawnRole("decode", "v1 v1 v1", 3), 0), isTopDownOnly: true }],
    want: "advance: decode@2 | Advancing: decode moves decode-2: 1 of 3 updated or updating",
  },
  "CO7 whoever went ahead stays so while paused": {
    roles: [ahead(drawnRole("decode", "v1! v1 v1", 3), 0)],
    change: { paused: true },
    want: "hold: decode@3+0 | Paused: the rollout is paused",
  },
  "CO5 a new target lets nobody go ahead": {
    roles: [ahead(drawnRole("decode", "v2! v1 v1", 3), 0)],
    change: { targetRevision: "v3" },
    want: "begin: decode@3 | Starting: starting to move decode to revision v3; no unit changes yet",
  },
  "CO5 a new target is written with closed cursors": {
    roles: [ofRevision(roleOf("decode", 2), "v1"), ofRevision(roleOf("prefill", 4), "v1")],
    want:
      "begin: decode@2 prefill@4 | Starting: starting to move decode, prefill to revision v2; " +
      "no unit changes yet",
  },
  "CO5 a status of the revision before moves nobody": {
    roles: [{ ...roleOf("decode", 2), observedRevision: "v1" }, roleOf("prefill", 4)],
    want:
      "hold: decode@2 prefill@4 | StatusNotCurrent: waiting for the status of decode to report " +
      "revision v2",
  },
  "CO5 a role that is new itself starts open": {
    roles: [
      { role: "decode", desired: 2, units: [], cursor: undefined, observedRevision: undefined },
    ],
    want: "begin: decode@0 | Starting: starting to move decode to revision v2; no unit changes yet",
  },
  "CO7 paused holds every cursor": {
    roles: [roleOf("decode", 2), roleOf("prefill", 4)],
    change: { paused: true },
    want: "hold: decode@2 prefill@4 | Paused: the rollout is paused",
  },
  "CO7 a new target is taken over while paused, and moves nobody": {
    roles: [roleOf("decode", 2, 1)],
    change: { paused: true, targetRevision: "v3" },
    want: "begin: decode@2 | Starting: starting to move decode to revision v3; no unit changes yet",
  },
  "CO8 going back keeps every unit that never left and replaces the failed ones for free": {
    roles: [
      ofRevision(drawnRole("decode", "v1 v1 v1 v2!", 4), "v1", 4),
      ofRevision(drawnRole("prefill", "v1 v1 v1 v2", 4), "v1", 4),
    ],
    amounts: { maxSkew: "10%" },
    change: { targetRevision: "v1" },
    want:
      "advance: decode@0 prefill@0 | Advancing: " +
      "decode moves decode-3: 4 of 4 updated or updating; " +
      "prefill moves prefill-3: 4 of 4 updated or updating",
  },
  "CO8 on the way back nobody waits for what was abandoned and is not reached yet": {
    roles: [
      ofRevision(drawnRole("decode", "v1 v2! v2! v1?", 3), "v1", 3),
      ofRevision(drawnRole("prefill", "v1 v2 v2 v1?", 3), "v1", 3),
    ],
    amounts: { maxUnavailable: 4, maxSkew: "1%" },
    change: { targetRevision: "v1" },
    want:
      "hold: decode@3 prefill@3 | UnitNotAvailable: decode waits for decode-3 (new) to become available; " +
      "prefill waits for prefill-3 (new) to become available",
  },
  "CO8 a third revision first replaces what the second broke": {
    roles: [ofRevision(drawnRole("decode", "v1 v1 v2! v2!", 4), "v3", 4)],
    amounts: { maxUnavailable: 2 },
    change: { targetRevision: "v3" },
    want: "advance: decode@2 | Advancing: decode moves decode-2 to decode-3: 2 of 4 updated or updating",
  },
  "CO10 scale-in of the updated units lets the cursor go on from the new top": {
    roles: [{ ...drawnRole("decode", "v1 v1 v1", 8) }],
    want: "advance: decode@2 | Advancing: decode moves decode-2: 1 of 3 updated or updating",
  },
  "CO10 units beyond the desired number count for nothing": {
    roles: [{ ...roleOf("decode", 5, 3), desired: 2 }],
    want: "advance: decode@1 | Advancing: decode moves decode-1: 1 of 2 updated or updating",
  },
  "CO10 scale-out under a percent partition does not raise the cursor": {
    roles: [{ ...roleOf("decode", 4, 2), desired: 8 }],
    amounts: { partition: "50%" },
    want:
      "hold: decode@2 | UnitNotAvailable: decode waits for decode-7 (missing), decode-6 (missing), " +
      "decode-5 (missing) and others to become available",
  },
  "CO2 at the partition the rollout rests": {
    roles: [roleOf("decode", 10, 2), roleOf("prefill", 20, 4)],
    amounts: { partition: "80%", maxSkew: "10%" },
    want:
      "done: decode@8 prefill@16 | PartitionReached: decode is at its partition: " +
      "8 of 10 keep their revision; prefill is at its partition: 16 of 20 keep their revision",
  },
  "CO2 a raised partition takes nothing back": {
    roles: [roleOf("decode", 10, 6)],
    amounts: { partition: "80%" },
    want: "done: decode@4 | PartitionReached: decode is at its partition: 8 of 10 keep their revision",
  },
  "CO2 with all updated there is nothing to keep, but what starts is still waited for": {
    roles: [drawnRole("decode", "v2? v2", 0)],
    amounts: { partition: "50%" },
    want: "hold: decode@0 | UnitNotAvailable: decode waits for decode-0 (new) to become available",
  },
  "CO2 what the partition keeps is not waited for": {
    roles: [drawnRole("decode", "v1! v2?", 1)],
    amounts: { partition: "50%", maxUnavailable: 2 },
    want: "hold: decode@1 | UnitNotAvailable: decode waits for decode-1 (new) to become available",
  },
  "CO2 all updated is rolled out": {
    roles: [roleOf("decode", 2, 2), roleOf("prefill", 4, 4)],
    want: "done: decode@0 prefill@0 | RolledOut: decode: all 2 updated; prefill: all 4 updated",
  },
};

test.each(Object.entries(cases))("%s", (_rule, { roles, amounts = {}, change, want }) => {
  expect(draw(decide(roles, amounts, change))).toBe(want);
});

test.each(Object.entries(cases))("CO13 shuffled: %s", (_rule, { roles, amounts = {}, change }) => {
  expect(decide(shuffled(roles), amounts, change)).toEqual(decide(roles, amounts, change));
});

const shuffled = (roles: readonly CoordinatedRole[]): CoordinatedRole[] =>
  roles.map((role) => ({ ...role, units: role.units.toReversed() })).toReversed();

test("CO6 a halted role names who holds it and which units would free it", () => {
  const roles = [drawnRole("decode", "v1 v1 v2!", 2), drawnRole("prefill", "v1 v1 v2", 2)];
  const [decode, prefill] = decide(roles, { maxSkew: "1%" }).roles;
  expect(prefill).toMatchObject({ waitsForRole: "decode", waits: [], updatedTarget: 1 });
  expect(decode!.waits).toEqual([
    {
      unit: "decode-2 (new)",
      ordinal: 2,
      code: "Broken",
      sinceMs: 0,
      freedBy: "repair it, set another revision, or roll back",
    },
  ]);
});

test("CO3 a successor beside its terminating predecessor shows how the place is", () => {
  const units = [
    ...drawnUnits("decode", "v1 v1 v1~"),
    { ...drawnUnits("decode", "_ _ v2")[0]!, createdAtMs: 5 },
  ];
  const role = { ...drawnRole("decode", "v1 v1 v1", 2), units };
  expect(draw(decide([role], {}))).toBe(
    "advance: decode@1 | Advancing: decode moves decode-1: 2 of 3 updated or updating",
  );
});

test("CO7 a unit in its minReadySeconds says when to look again", () => {
  const [low, high] = drawnUnits("decode", "v1 v2");
  const units = [low!, { ...high!, health: "ready" as const, availableAtMs: 30_000 }];
  const role = { ...drawnRole("decode", "v1 v2", 1), units };
  const early = decide([role], {}, { nowMs: 20_000 });
  expect([early.kind, early.recheckAfterMs]).toEqual(["hold", 10_000]);
  const late = decide([role], {}, { nowMs: 30_000 });
  expect([late.kind, late.recheckAfterMs]).toEqual(["advance", undefined]);
});

const frontend = (updated: number): CoordinatedRole => roleOf("frontend", 4, updated);
const backend = (updated: number): CoordinatedRole => roleOf("backend", 2, updated);
const canary: CoordinationAmounts = {
  maxUnavailable: 4,
  steps: [
    { roles: { frontend: "50%" }, pause: { seconds: 60 } },
    { roles: { backend: "100%" }, pause: {} },
  ],
};

const stepCases: Record<string, Omit<Case, "amounts"> & { passed: number; recheck?: number }> = {
  "CO9 the first step moves only the roles it names": {
    roles: [frontend(0), backend(0)],
    want:
      "advance: backend@2 frontend@2 | Advancing: backend has reached this step: 0 of 2 updated; " +
      "frontend moves frontend-2 to frontend-3: 2 of 4 updated or updating",
    passed: 0,
  },
  "CO9 a reached step with a pause asks to be looked at when it is over": {
    roles: [frontend(2), backend(0)],
    change: { nowMs: 90_000, steps: { revision: "v2", passed: 0, reachedAtMs: 50_000 } },
    want: "hold: backend@2 frontend@2 | StepPause: step 1 of 2 is reached: pausing for 60 s",
    passed: 0,
    recheck: 20_000,
  },
  "CO9 the pause over, the next step begins": {
    roles: [frontend(2), backend(0)],
    change: { nowMs: 110_000, steps: { revision: "v2", passed: 0, reachedAtMs: 50_000 } },
    want:
      "advance: backend@0 frontend@2 | Advancing: backend moves backend-0 to backend-1: " +
      "2 of 2 updated or updating; frontend has reached this step: 2 of 4 updated",
    passed: 1,
  },
  "CO9 a pause without seconds waits for a promotion": {
    roles: [frontend(2), backend(2)],
    change: { steps: { revision: "v2", passed: 1 } },
    want: "hold: backend@0 frontend@2 | AwaitsPromotion: step 2 of 2 is reached: waiting to be promoted",
    passed: 1,
  },
  "CO9 promoted beyond the last step, the rest follows": {
    roles: [frontend(2), backend(2)],
    change: { steps: { revision: "v2", passed: 2 } },
    want:
      "advance: backend@0 frontend@0 | Advancing: frontend moves frontend-0 to frontend-1: " +
      "4 of 4 updated or updating",
    passed: 2,
  },
  "CO9 what was recorded of another revision counts for nothing": {
    roles: [frontend(2), backend(0)],
    change: { steps: { revision: "v1", passed: 2 } },
    want: "hold: backend@2 frontend@2 | StepPause: step 1 of 2 is reached: pausing for 60 s",
    passed: 0,
    recheck: 60_000,
  },
  "CO9 a unit that fails holds its step": {
    roles: [drawnRole("frontend", "v1 v1 v2! v2", 2), backend(0)],
    want:
      "hold: backend@2 frontend@2 | UnitNotAvailable: backend has reached this step: 0 of 2 updated; " +
      "frontend waits for frontend-2 (new) to become available",
    passed: 0,
  },
};

test.each(Object.entries(stepCases))("%s", (_rule, { roles, change, want, passed, recheck }) => {
  const decision = decide(roles, canary, change);
  expect(draw(decision)).toBe(want);
  expect([decision.steps?.passed, decision.recheckAfterMs]).toEqual([passed, recheck]);
});
