/** The rules of docs/rules/rollout.md, drawn. */
import { expect, test } from "vitest";
import { snapshot, type Drawn } from "../../test/builders/fleet.ts";
import { decide } from "./decide.ts";
import type { Action, Decision } from "./decision.ts";
import {
  cliquePolicy,
  scalingGroupPolicy,
  statefulSetPolicy,
  type Policy,
  type RollingPolicy,
} from "./policy.ts";

const budget = (maxUnavailable: number, maxSurge = 0): RollingPolicy =>
  scalingGroupPolicy({ maxUnavailable, maxSurge });

const draw = (action: Action): string => {
  if (action.kind === "create") return `+${action.ordinal}:${action.revision}`;
  return `${action.kind === "replace" ? "↻" : "-"}${action.ordinal}`;
};

const short = ({ kind, actions, reason }: Decision): string =>
  actions.length > 0 ? actions.map(draw).join(" ") : `${kind} ${reason.code}`;

interface Case {
  readonly given: string;
  readonly policy?: Policy;
  readonly rollout?: Drawn;
  readonly want: string;
}

const cases: Record<string, Case> = {
  "RO1 a unit goes only while the budget has room": { given: "v1 v1 v1", want: "↻0" },
  "RO1 two may go where two may be down": {
    given: "v1 v1 v1",
    policy: budget(2),
    want: "↻0 ↻1",
  },
  "RO1 a new unit that is not available holds the rest": {
    given: "v2. v1 v1",
    want: "hold BudgetSpent",
  },
  "RO1 a terminating unit is down": { given: "v1~ v1 v1", want: "hold BudgetSpent" },
  "RO1 a unit waiting out minReadySeconds is down": {
    given: "v2' v1 v1",
    want: "hold BudgetSpent",
  },
  "RO3 a broken outdated unit needs no budget": { given: "v1! v1! v2.", want: "↻0 ↻1" },
  "RO3 an unscheduled outdated unit needs no budget": { given: "v1 v1? v2!", want: "↻1" },
  "RO3 a broken unit takes room from the serving ones": {
    given: "v1! v1 v1",
    policy: budget(2),
    want: "↻0 ↻1",
  },
  "RO16 a unit that waits out minReadySeconds goes without budget": {
    given: "v0' v1 v1",
    want: "↻0",
  },
  "RO16 where more are down than may be, units that wait out minReadySeconds count as serving": {
    given: "v1' v1' v1' v1'",
    policy: budget(2),
    want: "↻0 ↻1",
  },
  "RO16 they wait for what is really down": {
    given: "v1' v2. v1' v1'",
    want: "hold BudgetSpent",
  },
  "RO16 broken ones go whatever they do": {
    given: "v1' v1! v1' v1'",
    want: "↻1",
  },
  "RO4 a missing unit is created at its own ordinal": { given: "v2 - v2", want: "+1:v2" },
  "RO4 ordinals above desired go": { given: "v2 v2 v2 v2", rollout: { desired: 2 }, want: "-3 -2" },
  "RO4 below the partition a lost unit comes back as it was": {
    given: "- v1 v2",
    policy: { ...budget(1), partition: 2 },
    want: "+0:v1",
  },
  "RO5 a new unit that broke is waited for": { given: "v2! v2", want: "hold UnitNotAvailable" },
  "RO5 a unit that failed for good is recreated, whatever its revision": {
    given: "v2# v1 v1",
    want: "↻0",
  },
  "RO6 units of an abandoned revision are outdated": {
    given: "v3 v2 v1",
    rollout: { targetRevision: "v3" },
    want: "↻1",
  },
  "RO6 going back keeps what is still there": {
    given: "v2. v2 v1",
    rollout: { targetRevision: "v1", previousRevision: "v2" },
    want: "↻0",
  },
  "RO7 all on target and available is done": { given: "v2 v2", want: "done RolledOut" },
  "RO7 with nothing desired it is done": { given: "", want: "done RolledOut" },
  "RO9 scale-out starts on the target while the update goes on": {
    given: "v1 v1 - -",
    policy: budget(3),
    want: "+2:v2 +3:v2 ↻0",
  },
  "RO9 scale-in never takes a serving unit below the budget": {
    given: "v2! v2! v2 v2 v2",
    rollout: { desired: 3 },
    want: "-4",
  },
  "RO9 scale-in takes broken units whatever the budget": {
    given: "v2! v2! v2 v2! v2",
    rollout: { desired: 3 },
    want: "-3",
  },
  "RO12 a pause keeps outdated units": {
    given: "v2 v1 v1!",
    rollout: { paused: true },
    want: "hold Paused",
  },
  "RO12 a pause still fills empty places": {
    given: "v2 - v1",
    rollout: { paused: true },
    want: "+1:v2",
  },
  "RO13 the partition keeps the lowest places": {
    given: "v1 v1 v1",
    policy: { ...budget(1), partition: 2 },
    want: "↻2",
  },
  "RO13 with the rest updated a partition is reached": {
    given: "v1 v1 v2",
    policy: { ...budget(1), partition: 2 },
    want: "done PartitionReached",
  },
  "RO13 a partition above desired freezes": {
    given: "v1 v1",
    policy: { ...budget(1), partition: 9 },
    want: "done PartitionReached",
  },
  "RO14 one at a time means one, broken or not": {
    given: "v1! v1? v1",
    policy: { ...budget(1), maxInFlight: 1, ordering: "unscheduledThenBrokenThenOrdinal" },
    want: "↻1",
  },
  "SU1 surge comes first": { given: "v1 v1 v1", policy: budget(0, 1), want: "+3:v2" },
  "SU1 both budgets are used": { given: "v1 v1 v1", policy: budget(1, 1), want: "↻0 +3:v2" },
  "SU2 an old unit waits for the surge": {
    given: "v1 v1 v1 v2.",
    policy: budget(0, 1),
    rollout: { desired: 3 },
    want: "hold SurgeNotAvailable",
  },
  "SU2 with the surge available the first may go": {
    given: "v1 v1 v1 v2",
    policy: budget(0, 1),
    rollout: { desired: 3 },
    want: "↻0",
  },
  "SU3 no more surge than outdated units": {
    given: "v2 v2 v1",
    policy: budget(0, 3),
    want: "+3:v2",
  },
  "SU3 the partition shrinks the surge": {
    given: "v1 v1 v1",
    policy: { ...budget(0, 3), partition: 2 },
    want: "+3:v2",
  },
  "SU4 surge goes last": {
    given: "v2 v2 v2. v2",
    policy: budget(0, 1),
    rollout: { desired: 3 },
    want: "hold UnitNotAvailable",
  },
  "SU4 surge goes when every place is back": {
    given: "v2 v2 v2 v2",
    policy: budget(0, 1),
    rollout: { desired: 3 },
    want: "-3",
  },
  "SU5 surge of an abandoned revision makes way": {
    given: "v1 v1 v1 v2",
    policy: budget(0, 1),
    rollout: { desired: 3, targetRevision: "v3" },
    want: "-3",
  },
  "SU5 broken surge of an abandoned revision makes way": {
    given: "v1 v1 v1 v2!",
    policy: budget(0, 1),
    rollout: { desired: 3, targetRevision: "v3" },
    want: "-3",
  },
  "SU6 scaled out, a surge unit becomes one of the base": {
    given: "v2 v1 v1 v2 -",
    policy: budget(0, 1),
    want: "+4:v2 +5:v2",
  },
  "RO10 an age order takes the oldest": {
    given: "v2 v1 v1",
    policy: cliquePolicy({ maxUnavailable: 1, maxSurge: 0 }),
    want: "↻1",
  },
};

test.each(Object.entries(cases))("%s", (_rule, { given, policy, rollout, want }) => {
  expect(short(decide(snapshot(given, rollout), policy ?? budget(1)))).toBe(want);
});

test("RO7 more units than anybody could look after are an error, not the end of the process", () => {
  const given = snapshot("v1", { desired: 2_147_483_647, targetRevision: "v2" });
  expect(() => decide(given, cliquePolicy({ maxUnavailable: 1, maxSurge: 0 }))).toThrow(RangeError);
});

test("ST7 RO4 a partition counts places: with a first ordinal, lost units below it come back as they were", () => {
  const drawn = { desired: 3, firstOrdinal: 5, targetRevision: "v2", previousRevision: "v1" };
  const given = { ...snapshot("", drawn), units: [] };
  const policy = statefulSetPolicy({ maxUnavailable: 1, maxSurge: 0 }, 2, "parallel");
  const { actions } = decide(given, policy);
  expect(actions).toMatchObject([
    { kind: "create", ordinal: 5, revision: "v1" },
    { kind: "create", ordinal: 6, revision: "v1" },
    { kind: "create", ordinal: 7, revision: "v2" },
  ]);
});

const goesAhead: Record<string, { given: string; ahead: number[]; want: string }> = {
  "ST7 a broken unit that goes ahead of the partition is replaced": {
    given: "v1! v1 v2",
    ahead: [0],
    want: "↻0",
  },
  "ST7 only what is named goes ahead": { given: "v1! v1! v2", ahead: [1], want: "↻1" },
  "ST7 one that serves costs budget like any other": {
    given: "v1 v1 v2!",
    ahead: [0],
    want: "hold",
  },
  "ST7 a lost unit that goes ahead comes back on the target": {
    given: "- v1 v2",
    ahead: [0],
    want: "+0 v2",
  },
  "ST7 a lost unit beside it comes back as it was": { given: "v2 - v2", ahead: [0], want: "+1 v1" },
};

test.each(Object.entries(goesAhead))("%s", (_rule, { given, ahead, want }) => {
  const policy = statefulSetPolicy({ maxUnavailable: 1, maxSurge: 0 }, 2, "parallel");
  const drawn = snapshot(given, { targetRevision: "v2", previousRevision: "v1" });
  const { kind, actions } = decide(drawn, { ...policy, ahead: new Set(ahead) });
  const [action] = actions;
  const made = action?.kind === "create" ? ` ${action.revision}` : "";
  const mark = action?.kind === "create" ? "+" : "↻";
  expect(action === undefined ? kind : `${mark}${action.ordinal}${made}`).toBe(want);
  expect(actions.length).toBeLessThanOrEqual(1);
});

test("ST7 what goes ahead are ordinals, also where the first one is not 0", () => {
  const drawn = { desired: 3, firstOrdinal: 5, targetRevision: "v2", previousRevision: "v1" };
  const policy = statefulSetPolicy({ maxUnavailable: 1, maxSurge: 0 }, 2, "parallel");
  const given = { ...snapshot("", drawn), units: [] };
  const { actions } = decide(given, { ...policy, ahead: new Set([5]) });
  expect(actions).toMatchObject([
    { ordinal: 5, revision: "v2" },
    { ordinal: 6, revision: "v1" },
    { ordinal: 7, revision: "v2" },
  ]);
});
