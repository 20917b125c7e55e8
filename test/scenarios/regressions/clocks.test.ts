/** Clocks that are set back: pods that have served for long seem to have become ready just now, or not yet. */
import { expect, test } from "vitest";
import type { Pod } from "../../../src/api/pod.ts";
import { podCondition } from "../../../src/api/pod.ts";
import { parseTime } from "../../../src/api/time-text.ts";
import type { VirtualClock } from "../../../src/runtime/virtual-clock.ts";
import { groupScenario } from "../../builders/role-based-group-scenario.ts";
import { rolling, statefulSetScenario } from "../../builders/stateful-set-scenario.ts";

const minReadySeconds = 5;

const lastReadyMs = (pods: readonly Pod[]): number =>
  Math.max(
    ...pods.map((pod) => parseTime(podCondition(pod, "Ready")?.lastTransitionTime ?? "") ?? 0),
  );

const setBack: Record<string, (clock: VirtualClock, pods: readonly Pod[]) => number> = {
  "by an hour": () => 3_600_000,
  "to when the last pod had just become ready": (clock, pods) =>
    clock.now() - lastReadyMs(pods) - 1_000,
};

test.each(Object.entries(setBack))(
  "RO16 a clock that is set back %s makes no pod of a set free to go",
  async (_text, byMs) => {
    const spec = { ...rolling(2), podManagementPolicy: "Parallel", minReadySeconds } as const;
    const world = await statefulSetScenario({ replicas: 5, spec });
    await world.settled();
    await world.clock.runFor(60_000);
    const guarded = world.guard();
    world.clock.stepWallClock(-byMs(world.clock, await world.pods()));
    await world.setImage("web:v2");
    await world.clock.runFor(120_000);
    expect(guarded.fewest).toBe(3);
    expect(world.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
  },
);

test.each(Object.entries(setBack))(
  "RO16 a clock that is set back %s makes no pod of a role free to go",
  async (_text, byMs) => {
    const workload = { apiVersion: "v1", kind: "Pod" };
    const rolloutStrategy = {
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: 2 },
    } as const;
    const world = await groupScenario({
      sizes: { prefill: 5 },
      roles: { prefill: { workload, rolloutStrategy, minReadySeconds } },
    });
    await world.settled();
    await world.clock.runFor(60_000);
    const guarded = world.guard();
    world.clock.stepWallClock(-byMs(world.clock, await world.pods()));
    await world.setImage("web:v2");
    await world.clock.runFor(120_000);
    expect(guarded.fewest).toBe(3);
    expect(world.counts("web:v2")).toBe("prefill 5/5");
  },
);
