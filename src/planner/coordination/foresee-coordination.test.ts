/** Whole coordinated rollouts, one line of updated units per step. */
import { expect, test } from "vitest";
import {
  drawnRole,
  coordinationPolicy,
  roleOf,
  coordinationSnapshot,
  trace,
} from "../../../test/builders/coordinated-roles.ts";
import { foreseeCoordination } from "./foresee-coordination.ts";
import type { CoordinatedRole } from "./coordinated-roles.ts";
import type { CoordinationAmounts } from "./resolve-coordination.ts";

const pair = (prefill: number, decode: number, updated = [0, 0]): CoordinatedRole[] => [
  roleOf("prefill", prefill, updated[0]),
  roleOf("decode", decode, updated[1]),
];

interface Case {
  readonly roles: CoordinatedRole[];
  readonly amounts: CoordinationAmounts;
  readonly want: string;
}

const unbound = { maxUnavailable: "100%" };

const cases: Record<string, Case> = {
  "CO1 40 prefill and 20 decode keep their ratio of two to one": {
    roles: pair(40, 20),
    amounts: { maxUnavailable: "25%", maxSkew: "25%" },
    want: "10/5 20/10 30/15 40/20 done",
  },
  "CO1 a role that is too far ahead stops, the other catches up under its budget": {
    roles: pair(40, 20, [10, 3]),
    amounts: { maxUnavailable: "10%", maxSkew: "10%" },
    want: "10/5 14/7 18/9 22/11 26/13 30/15 34/17 38/19 40/20 done",
  },
  "CO1 from 10 and 5 updated the next step is 15 and 8": {
    roles: pair(40, 20, [10, 5]),
    amounts: { ...unbound, maxSkew: "12%" },
    want: "15/8 21/10 25/13 31/15 35/18 40/20 done",
  },
  "CO1 two units of one replica each never wait for each other": {
    roles: pair(1, 1),
    amounts: { maxSkew: "10%" },
    want: "1/1 done",
  },
  "CO1 a skew below one unit lets the roles take turns": {
    roles: pair(7, 5),
    amounts: { ...unbound, maxSkew: "1%" },
    want: "1/1 2/1 2/2 3/2 3/3 5/3 5/4 6/4 6/5 7/5 done",
  },
  "CO1 three of prefill and one of decode": {
    roles: pair(3, 1),
    amounts: { ...unbound, maxSkew: "1%" },
    want: "1/1 3/1 done",
  },
  "CO1 ten of prefill and two of decode": {
    roles: pair(10, 2),
    amounts: { ...unbound, maxSkew: "10%" },
    want: "1/1 6/1 6/2 10/2 done",
  },
  "CO1 no skew at all moves one unit of each at a time": {
    roles: pair(4, 4),
    amounts: { ...unbound, maxSkew: "0%" },
    want: "1/1 2/2 3/3 4/4 done",
  },
  "CO1 a skew of everything leaves only the budget": {
    roles: pair(10, 10),
    amounts: { maxUnavailable: "50%", maxSkew: "100%" },
    want: "5/5 10/10 done",
  },
  "CO1 without maxSkew each role goes at its own pace": {
    roles: pair(4, 2),
    amounts: { maxUnavailable: 1 },
    want: "1/1 2/2 3/2 4/2 done",
  },
  "CO1 three roles": {
    roles: [...pair(7, 5), roleOf("router", 3)],
    amounts: { ...unbound, maxSkew: "10%" },
    want: "1/1/1 3/2/1 4/3/2 5/4/3 7/5/3 done",
  },
  "CO2 a partition that rounds differently does not stall the larger role": {
    roles: pair(100, 3),
    amounts: { ...unbound, maxSkew: "1%", partition: "50%" },
    want: "1/1 50/1 done",
  },
  "CO2 a role without replicas holds nobody back": {
    roles: pair(4, 0),
    amounts: { maxUnavailable: 2, maxSkew: "1%" },
    want: "2/0 4/0 done",
  },
  "CO9 frontend partly, backend completely, then the rest of frontend": {
    roles: [roleOf("frontend", 4), roleOf("backend", 3)],
    amounts: {
      maxUnavailable: 2,
      steps: [
        { roles: { frontend: "50%" }, pause: {} },
        { roles: { backend: "100%" }, pause: { seconds: 60 } },
        { roles: { frontend: "100%" } },
      ],
    },
    want: "2/0 promote 2/2 2/3 60s 4/3 done",
  },
  "CO9 after the last step everything goes on to the end": {
    roles: [roleOf("frontend", 4), roleOf("backend", 2)],
    amounts: { maxUnavailable: 2, steps: [{ roles: { frontend: 1 } }] },
    want: "1/0 3/2 4/2 done",
  },
  "CO9 a partition holds against the steps": {
    roles: [roleOf("frontend", 4), roleOf("backend", 2)],
    amounts: { partition: "50%", steps: [{ roles: { frontend: "100%" } }] },
    want: "1/0 2/0 2/1 done",
  },
};

test.each(Object.entries(cases))("%s", (_rule, { roles, amounts, want }) => {
  expect(trace(roles, amounts).join(" ")).toBe(want);
  expect(trace(roles.toReversed(), amounts).length).toBe(want.split(" ").length);
});

test("CO1 200 and 100 at 1% go two and one at a time until the partition of 80%", () => {
  const amounts = { maxUnavailable: "5%", maxSkew: "1%", partition: "80%" };
  const steps = Array.from({ length: 20 }, (_, at) => `${2 * (at + 1)}/${at + 1}`);
  expect(trace(pair(200, 100), amounts)).toEqual([...steps, "done"]);
});

/** Rounds taken where only the slowest role moves, against all roles moving together. */
const rounds: [number, number, string, number, number][] = [
  [200, 100, "1%", 300, 100],
  [200, 100, "10%", 40, 10],
  [40, 20, "25%", 16, 4],
  [40, 20, "10%", 39, 10],
  [7, 5, "1%", 12, 10],
  [3, 1, "1%", 3, 2],
  [10, 2, "10%", 6, 4],
  [10, 10, "0%", 20, 10],
  [10, 10, "1%", 20, 10],
  [10, 10, "100%", 4, 1],
];

test.each(rounds)(
  "CO4 %i and %i at %s took %i rounds one role at a time, together %i",
  (prefill, decode, maxSkew, _alone, want) => {
    const steps = trace(pair(prefill, decode), { ...unbound, maxSkew });
    expect(steps.length - 1).toBe(want);
  },
);

test("CO5 a new target begins with cursors that let nothing through", () => {
  const old = pair(4, 2).map((role) => ({
    ...role,
    cursor: { revision: "v1", ordinal: 0 },
    observedRevision: "v1",
  }));
  const steps = trace(old, { maxUnavailable: "50%", maxSkew: "50%" });
  expect(steps.join(" ")).toBe("begin 0/0 2/1 4/2 done");
});

test("CO7 units on their way are waited for, broken ones end the preview with a hold", () => {
  const starting = [drawnRole("decode", "v1 v1 v2?", 2), drawnRole("prefill", "v1 v1 v2", 2)];
  expect(trace(starting, { maxSkew: "1%" }).join(" ")).toBe("wait 1/1 2/2 3/3 done");
  const broken = [drawnRole("decode", "v1 v1 v2!", 2), drawnRole("prefill", "v1 v1 v2", 2)];
  expect(trace(broken, { maxSkew: "1%" }).join(" ")).toBe("hold BudgetSpent");
});

test("CO12 10,000 units in six roles at 1% are foreseen in a hundred steps", () => {
  const roles = [4000, 2000, 2000, 1000, 600, 400].map((size, at) => roleOf(`role${at}`, size));
  const policy = coordinationPolicy({ maxUnavailable: "1%", maxSkew: "5%" }, roles);
  const foreseen = foreseeCoordination(coordinationSnapshot(roles), policy);
  expect([foreseen.end, foreseen.steps.length]).toEqual(["done", 100]);
});
