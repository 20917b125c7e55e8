/**
 * The numeric tables of RBG's own unit tests, row by row: what holds here too, and what is different on purpose, and
 * why. docs/api/rolebasedgroup.md lists the same differences.
 */
import { expect, test } from "vitest";
import {
  coordinationPolicy,
  roleOf,
  coordinationSnapshot,
  trace,
} from "../../../test/builders/coordinated-roles.ts";
import { reachBeyond } from "./bound-roles.ts";
import { decideCoordination } from "./decide-coordination.ts";
import { resolveCoordination, resolvePartition } from "./resolve-coordination.ts";
import type { Amount } from "../percent.ts";

const rolesOf = (sizes: readonly number[], updated: readonly number[] = []) =>
  sizes.map((size, at) => roleOf(`r${at + 1}`, size, updated[at] ?? 0));

/** All units may be down at once: only the skew decides. */
const unbound = (maxSkew: number) => ({ maxSkew: `${maxSkew}%`, maxUnavailable: "100%" });

/** Every step to the end by the bound alone, each role as far as it may go. */
function stepsOf(
  sizes: readonly number[],
  updated: readonly number[],
  maxSkew: number,
): readonly (readonly number[])[] {
  const steps: (readonly number[])[] = [];
  let now = updated;
  while (now.some((count, at) => count < (sizes[at] ?? 0))) {
    const before = now;
    now = sizes.map((desired, at) => {
      const reaches = sizes.flatMap((size, other) => {
        const confirmed = before[other] ?? 0;
        const isHeldBy = other !== at && confirmed < size;
        return isHeldBy ? [reachBeyond({ confirmed, desired: size }, desired, maxSkew)] : [];
      });
      return Math.max(before[at] ?? 0, Math.min(desired, ...reaches));
    });
    if (now.every((count, at) => count === before[at]))
      throw new Error(`stuck at ${now.join("/")}`);
    steps.push(now);
  }
  return steps;
}

const basisPoints = 10_000;

/**
 * RBG's tolerance: maxSkew plus the largest unit of a role, in whole basis points. What starts further apart than that
 * may stay so for a step, and never grows.
 */
function tooFarApart(
  sizes: readonly number[],
  updated: readonly number[],
  maxSkew: number,
): readonly string[] {
  const skewOf = (counts: readonly number[]): number => {
    const shares = counts.map((count, at) => (basisPoints * count) / (sizes[at] ?? 1));
    return Math.max(...shares) - Math.min(...shares);
  };
  const slack = Math.max(...sizes.map((size) => Math.ceil(basisPoints / size)));
  const bound = Math.max(skewOf(updated), maxSkew * 100 + slack);
  return stepsOf(sizes, updated, maxSkew)
    .filter((counts) => skewOf(counts) > bound)
    .map((counts) => `${sizes.join("/")} from ${updated.join("/")}: ${counts.join("/")}`);
}

/** Sizes, updated, maxSkew. */
const starts: [number[], number[], number][] = [
  [[200, 100], [20, 0], 1],
  [[200, 100], [71, 53], 10],
  [[3, 1], [1, 1], 1],
  [[7, 5], [2, 1], 1],
  [[1, 1], [0, 0], 1],
  [[10, 10], [2, 0], 1],
  [[10, 10, 10], [1, 2, 3], 1],
  [[7, 5, 3], [3, 1, 1], 1],
  [[7, 5, 3], [1, 1, 1], 10],
  [[10, 2], [0, 0], 10],
];

test.each(starts)("CO1 %j from %j at %i%% stays within the skew and ends", (...row) => {
  const [sizes, updated, maxSkew] = row;
  expect(tooFarApart(...row)).toEqual([]);
  const steps = stepsOf(...row).map((counts) => counts.join("/"));
  expect(trace(rolesOf(sizes, updated), unbound(maxSkew))).toEqual([...steps, "done"]);
});

const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

test("CO1 every pair of roles from 1 to 99, from nothing, at 1%", () => {
  const pairs = upTo(99).flatMap((a) => upTo(99).map((b) => [a, b] as const));
  expect(pairs.flatMap((sizes) => tooFarApart(sizes, [0, 0], 1))).toEqual([]);
});

test("CO1 every pair of roles from 1 to 19, from every state with one of each updated, at 1%", () => {
  const states = upTo(19).flatMap((a) =>
    upTo(19).flatMap((b) => upTo(a).flatMap((x) => upTo(b).map((y) => [a, b, x, y] as const))),
  );
  expect(states.flatMap(([a, b, x, y]) => tooFarApart([a, b], [x, y], 1))).toEqual([]);
});

test("CO1 one unit each that is not even ready: some role moves (rbg#307)", () => {
  const roles = rolesOf([1, 1]).map((role) => ({
    ...role,
    units: role.units.map((unit) => ({ ...unit, health: "pending" as const })),
  }));
  const { kind, roles: decided } = decideCoordination(
    coordinationSnapshot(roles),
    coordinationPolicy({ maxSkew: "10%" }, roles),
  );
  expect([kind, ...decided.map(({ taken }) => taken)]).toEqual(["advance", 1, 1]);
});

/**
 * Who moves. RBG names a fastest and a slowest role and moves the slowest alone; here the slowest moves too, and so
 * does every role that the skew leaves room for. Sizes, updated, maxSkew, RBG's slowest, updated or updating after
 * one step.
 */
const movers: Record<string, [number[], number[], number, string, number[]]> = {
  "50 of 100 and 10 of 100: the second catches up": [[100, 100], [50, 10], 10, "r2", [50, 60]],
  "a tie of 100 of 200 and 50 of 100: RBG moves the larger, here both move": [
    [200, 100],
    [100, 50],
    10,
    "r1",
    [120, 60],
  ],
  "80, 50 and 20 of 100: the third, and nobody beyond it": [
    [100, 100, 100],
    [80, 50, 20],
    10,
    "r3",
    [80, 50, 60],
  ],
  "20 of 200 and 15 of 100: the first, and the second as far as the skew goes": [
    [200, 100],
    [20, 15],
    10,
    "r1",
    [50, 20],
  ],
  "a role on its own: RBG names none, here it goes as its budget allows": [[10], [2], 10, "", [10]],
};

test.each(Object.entries(movers))(
  "CO1 CO4 %s",
  (_name, [sizes, updated, maxSkew, slowest, want]) => {
    const roles = rolesOf(sizes, updated);
    const { roles: decided } = decideCoordination(
      coordinationSnapshot(roles),
      coordinationPolicy(unbound(maxSkew), roles),
    );
    expect(decided.map(({ updatedTarget }) => updatedTarget)).toEqual(want);
    const moved = decided.filter(({ taken }) => taken > 0).map(({ role }) => role);
    expect(moved).toContain(slowest === "" ? "r1" : slowest);
  },
);

test("CO1 no role at all: nothing moves, and nothing is wrong", () => {
  expect(
    decideCoordination(coordinationSnapshot([]), coordinationPolicy({ maxSkew: "10%" }, [])),
  ).toMatchObject({
    kind: "done",
    roles: [],
  });
});

/**
 * maxSkew, a and b of the faster role, d of the slower one: RBG's upper bound, and how far a role of d may go here
 * beside a partner at a of b. The lower bound is no rule here: whoever is behind is never held back, so it is always
 * reached in the end. The upper one is the same, cut at d.
 */
const bounds: [number, number, number, number, number, number][] = [
  [10, 50, 100, 100, 60, 60],
  [1, 20, 200, 100, 11, 11],
  [5, 50, 100, 200, 110, 110],
  [10, 1, 10, 10, 2, 2],
  [50, 50, 100, 100, 100, 100],
  [10, 100, 100, 100, 110, 100],
  [10, 0, 100, 100, 10, 10],
];

test.each(bounds)(
  "CO1 at %i%% beside %i of %i a role of %i may reach %i in RBG, here %i",
  (maxSkew, confirmed, desired, own, upper, want) => {
    expect(reachBeyond({ confirmed, desired }, own, maxSkew)).toBe(want);
    expect(want).toBe(Math.min(own, upper));
  },
);

test("CO1 beside a partner without replicas RBG gives the bounds 0 and 0; here it holds nobody back", () => {
  const roles = rolesOf([0, 100]);
  const { roles: decided } = decideCoordination(
    coordinationSnapshot(roles),
    coordinationPolicy(unbound(10), roles),
  );
  expect(decided.map(({ updatedTarget }) => updatedTarget)).toEqual([0, 100]);
});

/** partition, replicas (RBG counts absent replicas as 1), kept. */
const partitions: [Amount | undefined, number, number][] = [
  [undefined, 10, 0],
  [5, 10, 5],
  ["50%", 10, 5],
  ["10%", 10, 1],
  ["1%", 100, 1],
  ["99%", 10, 9],
  ["100%", 10, 10],
  ["50%", 2, 1],
  ["0%", 10, 0],
  [15, 10, 10],
  [-5, 10, 0],
  [5, 1, 1],
  ["50%", 1, 0],
  [5, 0, 0],
  ["30%", 3, 1],
  ["25%", 1000, 250],
  ["150%", 10, 10],
];

test.each(partitions)("CO2 a partition of %s keeps, of %i, %i", (partition, desired, want) => {
  expect(resolvePartition(partition, desired)).toBe(want);
});

test('CO2 a partition of "invalid" is an error', () => {
  expect(() => resolvePartition("invalid", 10)).toThrow('"invalid"');
});

/** maxSkew as RBG's constructors take it: a percentage from 0 to 100; here without fractions. */
const skews: [string, boolean, boolean][] = [
  ["5%", true, true],
  ["5", false, false],
  ["-5%", false, false],
  ["150%", false, false],
  ["abc%", false, false],
  ["5.5%", true, false],
];

test.each(skews)("CO1 a maxSkew of %s: RBG accepts it: %s, Lockstep: %s", (maxSkew, _rbg, want) => {
  const { kind } = resolveCoordination({ maxSkew }, { decode: 4 });
  expect(kind).toBe(want ? "policy" : "invalid");
});
