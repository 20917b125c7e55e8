/** Measures the planner: `npx tsx bench/planner.ts`. Fails when a number is worse than promised. */
import { clusters, groupsOf, settled } from "../test/builders/placement.ts";
import {
  coordinationPolicy,
  roleOf,
  coordinationSnapshot,
} from "../test/builders/coordinated-roles.ts";
import { foreseeCoordination } from "../src/planner/coordination/foresee-coordination.ts";
import { planPlacement } from "../src/planner/placement/plan-placement.ts";
import { decide } from "../src/planner/decide.ts";
import { foresee } from "../src/planner/foresee.ts";
import {
  cliquePolicy,
  replicaRecreatePolicy,
  scalingGroupPolicy,
  statefulSetPolicy,
  type Policy,
} from "../src/planner/policy.ts";
import { nothingRequested, type Snapshot } from "../src/planner/rollout.ts";
import type { Unit } from "../src/planner/unit.ts";

const small = 5_000;
const large = 100_000;
const decisionLimitMs = { small: 5, large: 150 };
const foresightLimitMs = 1_000;

function fleet(size: number): Snapshot {
  const units = Array.from({ length: size }, (_, index): Unit => {
    // Neither in ordinal order nor in age order, as a cache gives them.
    const ordinal = (index * 7_919) % size;
    return {
      name: `decode-${ordinal}`,
      id: `uid-${ordinal}`,
      ordinal,
      revision: ordinal % 3 === 0 ? "v2" : "v1",
      health: ordinal % 303 === 1 ? "unavailable" : "available",
      scheduled: true,
      createdAtMs: 1_700_000_000_000 + ((index * 104_729) % 86_400) * 1_000,
    };
  });
  const rollout = { name: "decode", targetRevision: "v2", desired: size, paused: false };
  return { nowMs: 1_700_100_000_000, units, rollout, requested: nothingRequested };
}

const policies = (size: number): Record<string, Policy> => ({
  "clique, a quarter down": cliquePolicy({ maxUnavailable: size / 4, maxSurge: 0 }),
  "scaling group, surge": scalingGroupPolicy({ maxUnavailable: 0, maxSurge: size / 4 }),
  "replica recreate, one": replicaRecreatePolicy({ maxUnavailable: 1, maxSurge: 0 }),
  "StatefulSet, rounds": statefulSetPolicy({ maxUnavailable: size / 4, maxSurge: 0 }, 0, "rounds"),
  "StatefulSet, strict": statefulSetPolicy({ maxUnavailable: 10, maxSurge: 0 }, 0, "strict"),
});

function bestMs(times: number, work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < times; round += 1) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

let failures = 0;
function report(what: string, tookMs: number, limitMs: number): void {
  const isSlow = tookMs > limitMs;
  failures += Number(isSlow);
  console.log(
    `${what.padEnd(62)} ${tookMs.toFixed(1).padStart(8)} ms${isSlow ? "  TOO SLOW" : ""}`,
  );
}

/** How the cost of one unit grows with the fleet: 1 is linear, caches and sorting make it a few times that. */
function reportGrowth(what: string, smallMs: number, largeMs: number): void {
  const growth = (largeMs / smallMs / (large / small)).toFixed(1);
  console.log(`${what.padEnd(62)} ${growth.padStart(8)} times per unit`);
}

const fleets = { small: fleet(small), large: fleet(large) };
const largePolicies = policies(large);
for (const [name, policy] of Object.entries(policies(small))) {
  // Both sizes in turns, so that a busy machine slows both.
  const turns = Array.from({ length: 10 }, () => ({
    small: bestMs(20, () => decide(fleets.small, policy)),
    large: bestMs(2, () => decide(fleets.large, largePolicies[name] ?? policy)),
  }));
  const smallMs = Math.min(...turns.map((turn) => turn.small));
  const largeMs = Math.min(...turns.map((turn) => turn.large));
  report(`one decision, ${small} units, ${name}`, smallMs, decisionLimitMs.small);
  report(`one decision, ${large} units, ${name}`, largeMs, decisionLimitMs.large);
  reportGrowth(`one decision, ${large} against ${small}, ${name}`, smallMs, largeMs);
}

for (const [name, policy] of Object.entries({
  "clique, one down": cliquePolicy({ maxUnavailable: 1, maxSurge: 0 }),
  "StatefulSet, one": statefulSetPolicy({ maxUnavailable: 1, maxSurge: 0 }, 0, "rounds"),
})) {
  const smallMs = bestMs(5, () => foresee(fleets.small, policy));
  const largeMs = bestMs(1, () => foresee(fleets.large, policy));
  report(`foresee ${small} units, ${name}`, smallMs, foresightLimitMs);
  report(`foresee ${large} units, ${name}`, largeMs, 20 * foresightLimitMs);
  reportGrowth(`foresee ${large} against ${small}, ${name}`, smallMs, largeMs);
}

const many = fleet(10_000);
const whole: Record<string, Policy> = {
  ...policies(10_000),
  "clique, one down": cliquePolicy({ maxUnavailable: 1, maxSurge: 0 }),
  "scaling group, surge one": scalingGroupPolicy({ maxUnavailable: 0, maxSurge: 1 }),
  "StatefulSet, one": statefulSetPolicy({ maxUnavailable: 1, maxSurge: 0 }, 0, "rounds"),
};
for (const [name, policy] of Object.entries(whole)) {
  const { steps } = foresee(many, policy);
  report(
    `foresee 10000 units, ${name} (${steps.length} steps)`,
    bestMs(3, () => foresee(many, policy)),
    foresightLimitMs,
  );
}
const shrink: Snapshot = {
  ...many,
  rollout: { ...many.rollout, desired: 1, targetRevision: "v1" },
};
const ordered = statefulSetPolicy({ maxUnavailable: 1, maxSurge: 0 }, 0, "rounds");
report(
  "foresee 10000 units scaled in one by one",
  bestMs(3, () => foresee(shrink, ordered)),
  foresightLimitMs,
);

const roles = [4000, 2000, 2000, 1000, 600, 400].map((size, at) => roleOf(`role${at}`, size));
const coordination = coordinationPolicy({ maxUnavailable: "1%", maxSkew: "5%" }, roles);
report(
  "foresee 10000 units in six coordinated roles",
  bestMs(3, () => foreseeCoordination(coordinationSnapshot(roles), coordination)),
  foresightLimitMs,
);

/** PL13: pairs of clusters in groups that take turns in their name; a cluster in front moves every one. */
const pairs = (names: readonly string[]) =>
  groupsOf(names, 2).map((group, at) => ({ ...group, name: at % 2 === 0 ? "" : "odd" }));
const all = clusters(1, 7000);
const moved = pairs([...clusters(0, 0), ...all]);
const observed = settled(pairs(all));
report(
  "plan 7000 clusters in 3500 relabelled decisions",
  bestMs(3, () =>
    planPlacement(
      { placement: "web", observed, selection: { kind: "selected", groups: moved } },
      { strategy: "RollingUpdate", maxClustersPerDecision: 3 },
    ),
  ),
  foresightLimitMs,
);
process.exitCode = failures === 0 ? 0 : 1;
