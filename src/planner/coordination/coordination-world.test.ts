/** Coordination against a world that is slow, breaks units and shows old views: properties. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  coordinationPolicy,
  roleOf,
  coordinationSnapshot,
  unitOf,
} from "../../../test/builders/coordinated-roles.ts";
import { atLeastOne, must } from "../../../test/builders/must.ts";
import { decideCoordination } from "./decide-coordination.ts";
import { foreseeCoordination } from "./foresee-coordination.ts";
import type { CoordinatedRole, CoordinationPolicy } from "./coordinated-roles.ts";
import type { CoordinationAmounts } from "./resolve-coordination.ts";

const percent = (min: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((value) => `${value}%`);

const settings = (maxUnits: number) =>
  fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: maxUnits }), { minLength: 2, maxLength: 6 }),
    amounts: fc.record({
      maxSkew: percent(0, 60),
      maxUnavailable: percent(1, 60),
      partition: fc.oneof(fc.constant("0%"), percent(1, 99)),
    }),
    seed: fc.nat(),
  });

const rolesOf = (sizes: readonly number[], updated: readonly number[] = []): CoordinatedRole[] =>
  sizes.map((size, at) => roleOf(`role${at}`, size, updated[at] ?? 0));

/** Reproducible chance: a number in [0, 1) per call. */
function chance(seed: number): () => number {
  let state = seed % 2_147_483_647;
  return () => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** A workload at work: asked units go, come back starting, and serve or break some time later. */
function work(role: CoordinatedRole, random: () => number, breaks: number): CoordinatedRole {
  const { ordinal: lowest, ahead = [] } = role.cursor!;
  const units = role.units.map((unit) => {
    if (random() < 0.5) return unit;
    const isAsked = unit.ordinal >= lowest || ahead.includes(unit.ordinal);
    if (isAsked && unit.revision !== "v2") {
      return unitOf(role.role, unit.ordinal, "v2", "pending");
    }
    if (unit.health === "available") return unit;
    const health = random() < breaks ? "unavailable" : "available";
    return { ...unit, health } as const;
  });
  return { ...role, units };
}

const updatedShare = ({ units, desired }: CoordinatedRole): number =>
  units.filter(({ revision }) => revision === "v2").length / desired;

const availableUnits = ({ units }: CoordinatedRole): number =>
  units.filter(({ health }) => health === "available").length;

function checkPromises(
  roles: readonly CoordinatedRole[],
  policy: CoordinationPolicy,
  maxSkew: number,
): void {
  for (const role of roles) {
    const { maxUnavailable, partition } = policy.limits[role.role]!;
    must(availableUnits(role) >= role.desired - maxUnavailable, "budget", () => role);
    must(role.cursor!.ordinal >= partition, "the partition is kept", () => role);
  }
  const shares = roles.map((role) => updatedShare(role));
  for (const [at, a] of roles.entries()) {
    for (const [beside, b] of roles.entries()) {
      const oneUnit = 1 / Math.min(a.desired, b.desired);
      const skew = shares[at]! - shares[beside]!;
      must(skew <= maxSkew / 100 + oneUnit + 1e-9, "skew", () => [a, b]);
    }
  }
}

interface Run {
  readonly sizes: readonly number[];
  readonly amounts: CoordinationAmounts;
  readonly seed: number;
  /** How likely a starting unit breaks instead; it may recover later. */
  readonly breaks: number;
}

/** Plays until done; decisions may be taken on units as they were some moments ago. */
function play({ sizes, amounts, seed, breaks }: Run): number {
  const random = chance(seed);
  const policy = coordinationPolicy(amounts, rolesOf(sizes));
  const maxSkew = Number.parseInt(String(amounts.maxSkew), 10);
  let roles = rolesOf(sizes);
  let seen = roles;
  for (let tick = 1; tick < 20_000; tick += 1) {
    const view = roles.map((role, at) => ({ ...role, units: seen[at]!.units }));
    const decision = decideCoordination(coordinationSnapshot(view), policy);
    if (decision.kind === "done" && seen === roles) return tick;
    roles = roles.map((role, at) => {
      const { cursor } = decision.roles[at]!;
      must(cursor.ordinal <= role.cursor!.ordinal, "the cursor never rises", () => role);
      const back = (role.cursor!.ahead ?? []).filter(
        (ordinal) => ordinal < cursor.ordinal && !cursor.ahead?.includes(ordinal),
      );
      must(back.length === 0, "what goes ahead is not taken back", () => role);
      return { ...role, cursor };
    });
    roles = roles.map((role) => work(role, random, breaks));
    checkPromises(roles, policy, maxSkew);
    if (random() < 0.6) seen = roles;
  }
  throw new Error("the rollout never ended");
}

test("CO1 CO3 CO10 skew, budget and cursor hold after every event, and every rollout ends", () => {
  fc.assert(
    fc.property(settings(12), ({ sizes, amounts, seed }) => {
      expect(play({ sizes, amounts, seed, breaks: 0 })).toBeGreaterThan(0);
    }),
    { numRuns: 80 },
  );
});

test("CO6 CO7 with units that break and recover nothing is lost and every rollout ends", () => {
  fc.assert(
    fc.property(settings(8), ({ sizes, amounts, seed }) => {
      expect(play({ sizes, amounts, seed, breaks: 0.3 })).toBeGreaterThan(0);
    }),
    { numRuns: 60 },
  );
});

test("CO3 CO7 units of the old revision that are broken for ever never hold a rollout up", () => {
  const broken = fc.record({ settings: settings(8), share: fc.integer({ min: 1, max: 9 }) });
  fc.assert(
    fc.property(broken, ({ settings: { sizes, amounts, seed }, share }) => {
      const random = chance(seed);
      const all = rolesOf(sizes).map((role) => ({
        ...role,
        units: role.units.map((unit) =>
          random() * 10 < share ? ({ ...unit, health: "unavailable" } as const) : unit,
        ),
      }));
      const { maxSkew, maxUnavailable } = amounts;
      const policy = coordinationPolicy({ maxSkew, maxUnavailable }, all);
      const { end, steps } = foreseeCoordination(coordinationSnapshot(all), policy);
      expect(end).toBe("done");
      for (const step of atLeastOne(steps)) {
        const shares = step.roles.map(({ updated, desired }) => updated / desired);
        const oneUnit = 1 / Math.min(...sizes);
        const skew = Math.max(...shares) - Math.min(...shares);
        expect(skew).toBeLessThanOrEqual(Number.parseInt(maxSkew, 10) / 100 + oneUnit + 1e-9);
      }
    }),
    { numRuns: 200 },
  );
});

/** Six roles of 2,000 units in all, cut anywhere, and any amounts. */
const largeRuns = fc.record({
  cuts: fc.uniqueArray(fc.integer({ min: 1, max: 1_999 }), { minLength: 5, maxLength: 5 }),
  maxSkew: fc.integer({ min: 0, max: 40 }),
  maxUnavailable: percent(2, 40),
  partition: fc.oneof(fc.constant("0%"), percent(1, 60)),
  seed: fc.nat(),
});
const sizesBetween = (cuts: readonly number[]): number[] => {
  const ends = [0, ...cuts.toSorted((a, b) => a - b), 2_000];
  return ends.slice(1).map((end, at) => end - ends[at]!);
};

test.each([0, 0.3])(
  "CO1 CO3 the promises hold after every event for six roles and 2,000 units of which %d break",
  (breaks) => {
    fc.assert(
      fc.property(largeRuns, ({ cuts, maxSkew, maxUnavailable, partition, seed }) => {
        const amounts = { maxSkew: `${maxSkew}%`, maxUnavailable, partition };
        const took = play({ sizes: sizesBetween(cuts), amounts, seed, breaks });
        expect(took).toBeGreaterThan(0);
      }),
      { numRuns: 4 },
    );
  },
  60_000,
);

/** Nothing is on its way: asked units have changed, and each serves or is broken. */
const isAtRest = ({ units, cursor }: CoordinatedRole): boolean =>
  units.every(
    ({ health, ordinal, revision }) =>
      health !== "pending" && (ordinal < cursor!.ordinal || revision === "v2"),
  );

test("CO1 CO6 beside a partner whose new units never serve nobody goes further than maxSkew and one unit", () => {
  fc.assert(
    fc.property(largeRuns, fc.nat(5), ({ cuts, maxSkew, maxUnavailable, seed }, failing) => {
      const random = chance(seed);
      let roles = rolesOf(sizesBetween(cuts));
      const policy = coordinationPolicy({ maxSkew: `${maxSkew}%`, maxUnavailable }, roles);
      let decision = decideCoordination(coordinationSnapshot(roles), policy);
      for (let tick = 0; tick < 2_000; tick += 1) {
        decision = decideCoordination(coordinationSnapshot(roles), policy);
        if (decision.kind === "hold" && roles.every(isAtRest)) break;
        roles = roles.map((role, at) => {
          const moved = { ...role, cursor: decision.roles[at]!.cursor };
          return work(moved, random, at === failing ? 1 : 0);
        });
        checkPromises(roles, policy, maxSkew);
      }
      for (const role of atLeastOne(roles.filter((_, at) => at !== failing))) {
        expect(updatedShare(role)).toBeLessThanOrEqual(maxSkew / 100 + 1 / role.desired);
      }
      expect(decision.kind).toBe("hold");
      expect(decision.roles[failing]!.waits[0]?.code).toBe("Broken");
    }),
    { numRuns: 8 },
  );
}, 60_000);

test("CO11 the steps are within a tenth of the fewest that budgets and skew allow", () => {
  const large = fc.record({
    sizes: fc.array(fc.integer({ min: 100, max: 400 }), { minLength: 2, maxLength: 6 }),
    maxSkew: fc.integer({ min: 1, max: 50 }),
    maxUnavailable: percent(1, 40),
    partition: percent(0, 50),
  });
  fc.assert(
    fc.property(large, ({ sizes, maxSkew, maxUnavailable, partition }) => {
      const roles = rolesOf(sizes);
      const policy = coordinationPolicy(
        { maxSkew: `${maxSkew}%`, maxUnavailable, partition },
        roles,
      );
      const fewest = roles.map(({ role, desired }) => {
        const limits = policy.limits[role]!;
        const perStep = Math.min(limits.maxUnavailable, (maxSkew * desired) / 100);
        return Math.ceil((desired - limits.partition) / perStep - 1e-9);
      });
      const { steps, end } = foreseeCoordination(coordinationSnapshot(roles), policy);
      expect(end).toBe("done");
      expect(steps.length).toBeLessThanOrEqual(Math.ceil(Math.max(...fewest) * 1.1));
    }),
    { numRuns: 60 },
  );
});

test("CO11 for small roles no other order of legal moves is shorter", () => {
  const small = fc.record({
    sizes: fc.tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 7 })),
    maxSkew: fc.integer({ min: 0, max: 60 }),
    maxUnavailable: fc.integer({ min: 1, max: 7 }),
  });
  fc.assert(
    fc.property(small, ({ sizes, maxSkew, maxUnavailable }) => {
      const roles = rolesOf(sizes);
      const policy = coordinationPolicy({ maxSkew: `${maxSkew}%`, maxUnavailable }, roles);
      const { steps } = foreseeCoordination(coordinationSnapshot(roles), policy);
      expect(steps.length).toBe(fewestSteps(sizes, maxSkew, maxUnavailable));
    }),
    { numRuns: 150 },
  );
});

/** Breadth first over everything two roles could do per step within budget and skew. */
function fewestSteps(
  sizes: readonly [number, number],
  maxSkew: number,
  maxUnavailable: number,
): number {
  const [m, n] = sizes;
  const reach = (own: number, other: number, at: number): number => {
    const level = (own * at) / other;
    const withinSkew = Math.ceil(level + (maxSkew * own) / 100 - 1e-9);
    return at === other ? own : Math.min(own, Math.max(withinSkew, Math.floor(level + 1e-9) + 1));
  };
  const choices = (at: number, bound: number): number[] => {
    const last = Math.max(at, Math.min(bound, at + maxUnavailable));
    return Array.from({ length: last - at + 1 }, (_, more) => at + more);
  };
  const after = (state: string): string[] => {
    const [a = 0, b = 0] = state.split("/").map(Number);
    return choices(a, reach(m, n, b)).flatMap((x) =>
      choices(b, reach(n, m, a)).map((y) => `${x}/${y}`),
    );
  };
  let frontier = new Set(["0/0"]);
  let steps = 0;
  while (!frontier.has(`${m}/${n}`)) {
    frontier = new Set([...frontier].flatMap(after));
    steps += 1;
  }
  return steps;
}

test("CO1 every pair of roles up to 40 at 1% ends without growing apart", () => {
  const pairs = upTo(40).flatMap((a) => upTo(a).map((b) => [a, b]));
  expect(pairs.flatMap((sizes) => growsApart(sizes, [0, 0], 1))).toEqual([]);
});

test("CO1 every pair up to 8 ends without growing apart from every start", () => {
  const pairs = upTo(8).flatMap((a) => upTo(8).map((b) => [a, b] as const));
  const problems = pairs.flatMap(([a, b]) =>
    upTo(a).flatMap((x) => upTo(b).flatMap((y) => growsApart([a, b], [x, y], 1))),
  );
  expect(problems).toEqual([]);
});

const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

/** What went wrong on the way to the end, if anything did. */
function growsApart(
  sizes: readonly number[],
  updated: readonly number[],
  maxSkew: number,
): string[] {
  const roles = rolesOf(sizes, updated);
  const policy = coordinationPolicy({ maxSkew: `${maxSkew}%`, maxUnavailable: "100%" }, roles);
  const skewOf = (shares: readonly number[]): number => Math.max(...shares) - Math.min(...shares);
  const start = skewOf(sizes.map((size, at) => updated[at]! / size));
  const bound = Math.max(start, maxSkew / 100 + 1 / Math.min(...sizes)) + 1e-9;
  const { steps, end } = foreseeCoordination(coordinationSnapshot(roles), policy);
  const isTooFar = steps.some(
    (step) => skewOf(step.roles.map((role) => role.updated / role.desired)) > bound,
  );
  const name = `${sizes.join("/")} from ${updated.join("/")}`;
  return [
    ...(isTooFar ? [`${name} grew apart`] : []),
    ...(end === "done" ? [] : [`${name} stuck`]),
  ];
}
