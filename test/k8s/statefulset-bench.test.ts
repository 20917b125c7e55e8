/** The benchmark at its smallest: it runs, and its numbers mean something. No speed is asserted. */
import { expect, test } from "vitest";
import { benchPlane, lockstep, measureRollout, upstream } from "../../bench/statefulset-rollout.ts";

test("the StatefulSet benchmark measures both controllers", { timeout: 120_000 }, async () => {
  const plane = await benchPlane();
  try {
    for (const contender of [upstream, lockstep]) {
      const { wallSeconds, writes, cpuSeconds } = await measureRollout(plane, contender, 4);
      expect(writes).toMatchObject({ "delete pods": 4, "create pods": 4 });
      expect(wallSeconds).toBeGreaterThan(1);
      expect(cpuSeconds).toBeGreaterThan(0);
    }
  } finally {
    await plane.stop();
  }
});
