/** How many units roles may have now that are in several coordinations: the rows of RBG's own tests. */
import { expect, test } from "vitest";
import type { ScalingCoordination } from "../../api/rbg/coordination.ts";
import type { DefaultedRole } from "../../api/rbg/defaults.ts";
import type { Unit } from "../../planner/index.ts";
import { nothingThere } from "./role-workload.ts";
import { scalingOf } from "./scaling.ts";

/** A role that was asked for so many units, all of them on nodes. */
const roleOf = (name: string, replicas: number, current: number) => ({
  role: { name, replicas } as DefaultedRole,
  seen: {
    ...nothingThere,
    size: current,
    units: Array.from({ length: current }, () => ({ scheduled: true, health: "ready" }) as Unit),
  },
});

const rule = (roles: string, maxSkewPercent: number): ScalingCoordination => ({
  name: roles,
  roles: roles.split(" "),
  maxSkewPercent,
  progression: "OrderScheduled",
});

interface Row {
  readonly rules: readonly ScalingCoordination[];
  readonly desired: readonly number[];
  readonly current?: readonly number[];
  readonly want: readonly number[];
}

const rows: Readonly<Record<string, Row>> = {
  "of different roles": {
    rules: [rule("a b", 5), rule("c d", 10)],
    desired: [300, 100, 50, 100],
    want: [15, 5, 5, 10],
  },
  "of one role that is in both": {
    rules: [rule("a b", 5), rule("a c", 10)],
    desired: [300, 100, 50],
    want: [15, 5, 5],
  },
  "in a chain": {
    rules: [rule("a b", 5), rule("b c", 8), rule("c d", 10)],
    desired: [200, 100, 50, 100],
    want: [10, 5, 4, 10],
  },
  "of which one has gone on": {
    rules: [rule("a b", 5), rule("b c", 10)],
    desired: [100, 100, 50],
    current: [5, 5, 0],
    want: [10, 10, 5],
  },
};

test.each(Object.entries(rows))(
  "CO14 two rules %s: the smallest size counts",
  (_name, { rules, desired, current = [], want }) => {
    const names = ["a", "b", "c", "d"].slice(0, desired.length);
    const roles = names.map((name, at) => roleOf(name, desired[at] ?? 0, current[at] ?? 0));
    const { sizes } = scalingOf(rules, roles);
    expect(names.map((name) => sizes.get(name))).toEqual(want);
  },
);
