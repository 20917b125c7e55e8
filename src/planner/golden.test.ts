/** Whole rollouts, step by step, as people were promised them. */
import { describe, expect, test } from "vitest";
import { snapshot } from "../../test/builders/fleet.ts";
import { drawActions, drawSteps } from "../../test/builders/foreseen-steps.ts";
import { decide } from "./decide.ts";
import { foresee } from "./foresee.ts";
import { performAll, setHealth, vanish } from "./model.ts";
import {
  cliquePolicy,
  replicaRecreatePolicy,
  scalingGroupPolicy,
  statefulSetPolicy,
  type Pacing,
  type Policy,
} from "./policy.ts";
import type { Snapshot } from "./rollout.ts";

const surgeOne = { maxUnavailable: 0, maxSurge: 1 };
const sequence = (given: string, policy: Policy): string[] =>
  drawSteps(foresee(snapshot(given), policy).steps);

describe("SU1 surge over three units keeps all three serving", () => {
  // Nine lines of deletions and creations, counting the beginning; a recreation is two of them.
  test("pods of a clique: the oldest is deleted, its index filled, the surge pod deleted last", () => {
    const writes = sequence("v1 v1 v1", cliquePolicy(surgeOne)).filter(
      (line) => !line.endsWith("p"),
    );
    const withoutEnds = writes.filter((line) => !line.endsWith("gone"));
    expect(["initial", ...withoutEnds]).toEqual([
      "initial",
      "+3",
      "↻0",
      "+0",
      "↻1",
      "+1",
      "↻2",
      "+2",
      "-3",
    ]);
  });

  const tenSteps = ["initial", "+3", "3 up", "↻0", "0 up", "↻1", "1 up", "↻2", "2 up", "-3"];
  const variants: [string, Policy, number][] = [
    ["scaling-group replicas that all belong to the base gang", scalingGroupPolicy(surgeOne), 3],
    ["scaling-group replicas with one in a gang of its own", scalingGroupPolicy(surgeOne), 2],
    ["whole clique-set replicas", replicaRecreatePolicy(surgeOne), 3],
  ];
  test.each(variants)("%s", (_name, policy, minAvailable) => {
    const lines = sequence("v1 v1 v1", policy);
    const recreation = /^(\+[012]|\d gone)$/;
    expect(["initial", ...lines.filter((line) => !recreation.test(line))]).toEqual(tenSteps);
    // Replicas at or above minAvailable have gangs of their own: surge never joins the base gang.
    expect(Number(lines[0]!.slice(1))).toBeGreaterThanOrEqual(minAvailable);
    const { steps } = foresee(snapshot("v1 v1 v1"), policy);
    expect(Math.min(...steps.map(({ counts }) => counts.available))).toBe(3);
  });
});

describe("RO1 without surge", () => {
  test("two of two may be down: both go at once", () => {
    const policy = replicaRecreatePolicy({ maxUnavailable: 2, maxSurge: 0 });
    expect(sequence("v1 v1", policy)).toEqual(["↻0 ↻1", "0 gone, 1 gone", "+0 +1", "0 up, 1 up"]);
  });

  test("one of two may be down: one after the other", () => {
    const policy = replicaRecreatePolicy({ maxUnavailable: 1, maxSurge: 0 });
    expect(sequence("v1 v1", policy)).toEqual([
      "↻0",
      "0 gone",
      "+0",
      "0 up",
      "↻1",
      "1 gone",
      "+1",
      "1 up",
    ]);
  });

  test("SU1 with both budgets, two units of four are always on their way", () => {
    const policy = scalingGroupPolicy({ maxUnavailable: 1, maxSurge: 1 });
    expect(sequence("v1 v1 v1 v1", policy)).toEqual([
      "↻0 +4",
      "0 gone",
      "+0",
      "4 up",
      "↻1",
      "1 gone, 0 up",
      "+1 ↻2",
      "2 gone",
      "+2",
      "1 up",
      "↻3",
      "3 gone, 2 up",
      "+3",
      "3 up",
      "-4",
      "4 gone",
    ]);
  });
});

/** Runs a script of `4 gone` and `4 up`, letting the planner act after each line. */
function play(given: Snapshot, policy: Policy, script: readonly string[]): string[] {
  let world = given;
  const lines: string[] = [];
  for (const line of ["start", ...script]) {
    const [ordinal, event] = line.split(" ");
    const unit = world.units.find((candidate) => candidate.ordinal === Number(ordinal));
    if (event === "gone") world = vanish(world, unit!.id);
    if (event === "up") world = setHealth(world, unit!.id, "available");
    const { actions } = decide(world, policy);
    world = performAll({ ...world, nowMs: world.nowMs + 1 }, actions);
    lines.push(`${line}: ${drawActions(actions)}`.trimEnd());
  }
  return lines;
}

describe("five replicas, partition 2, maxUnavailable 2", () => {
  const policy = (pacing: Pacing): Policy =>
    statefulSetPolicy({ maxUnavailable: 2, maxSurge: 0 }, 2, pacing);
  const five = snapshot("v1 v1 v1 v1 v1");

  test("ST2 OrderedReady waits for the whole round", () => {
    const script = ["4 gone", "3 gone", "3 up", "4 up", "2 gone", "2 up"];
    expect(play(five, policy("rounds"), script)).toEqual([
      "start: ↻4 ↻3",
      "4 gone:",
      "3 gone: +3",
      "3 up: +4",
      "4 up: ↻2",
      "2 gone: +2",
      "2 up:",
    ]);
  });

  test("ST3 Strict goes on when the highest is back", () => {
    expect(play(five, policy("strict"), ["4 gone", "4 up", "3 gone", "3 up"])).toEqual([
      "start: ↻4 ↻3",
      "4 gone: +4",
      "4 up: ↻2",
      "3 gone: +3",
      "3 up:",
    ]);
  });

  test("ST3 Strict waits when a lower one is back first", () => {
    expect(play(five, policy("strict"), ["3 gone", "3 up", "4 gone", "4 up"])).toEqual([
      "start: ↻4 ↻3",
      "3 gone: +3",
      "3 up:",
      "4 gone: +4",
      "4 up: ↻2",
    ]);
  });

  test("ST4 Parallel goes on when any is back", () => {
    expect(play(five, policy("parallel"), ["3 gone", "3 up", "4 gone", "4 up"])).toEqual([
      "start: ↻4 ↻3",
      "3 gone: +3",
      "3 up: ↻2",
      "4 gone: +4",
      "4 up:",
    ]);
  });
});

describe("five replicas, maxUnavailable 2, to the end", () => {
  const policy = (pacing: Pacing, partition = 0): Policy =>
    statefulSetPolicy({ maxUnavailable: 2, maxSurge: 0 }, partition, pacing);
  const writes = (lines: readonly string[]): string =>
    lines.filter((line) => /^[+↻-]/.test(line)).join(" | ");

  test("ST2 OrderedReady deletes together and starts one by one", () => {
    const lines = sequence("v1 v1 v1 v1 v1", policy("rounds"));
    expect(writes(lines)).toBe("↻4 ↻3 | +3 | +4 | ↻2 ↻1 | +1 | +2 | ↻0 | +0");
  });

  test("ST4 Parallel keeps two down until the tail", () => {
    const lines = sequence("v1 v1 v1 v1 v1", policy("parallel"));
    expect(writes(lines)).toBe("↻4 ↻3 | +3 +4 | ↻2 ↻1 | +1 +2 | ↻0 | +0");
  });

  test("ST2 a partition of 2 leaves 0 and 1", () => {
    const foresight = foresee(snapshot("v1 v1 v1 v1 v1"), policy("rounds", 2));
    expect(writes(drawSteps(foresight.steps))).toBe("↻4 ↻3 | +3 | +4 | ↻2 | +2");
    expect(foresight.end.reason.code).toBe("PartitionReached");
  });

  test("ST7 six replicas, partition 3: OrderedReady creates 4 only, Parallel both", () => {
    const six = snapshot("v1 v1 v1 v1 v1 v1");
    expect(play(six, policy("rounds", 3), ["5 gone", "4 gone"]).at(-1)).toBe("4 gone: +4");
    expect(play(six, policy("parallel", 3), ["5 gone", "4 gone", "4 up", "3 gone"])).toEqual([
      "start: ↻5 ↻4",
      "5 gone: +5",
      "4 gone: +4",
      "4 up: ↻3",
      "3 gone: +3",
    ]);
  });

  test("ST8 moving the first ordinal from 0 to 2 starts 2 and 3, then takes 1 and 0", () => {
    const moved = { firstOrdinal: 2, desired: 2, targetRevision: "v1" };
    const given = snapshot("v1 v1", moved);
    const lines = drawSteps(foresee(given, policy("rounds")).steps);
    expect(writes(lines)).toBe("+2 | +3 | -1 | -0");
  });
});
