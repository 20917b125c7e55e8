/** The benchmark at its smallest: it runs, and its numbers mean something. No speed is asserted. */
import { expect, test } from "vitest";
import { measureCliqueSets } from "../../bench/podcliqueset-rollout.ts";
import { atLeastOne } from "../builders/must.ts";

test("the PodCliqueSet benchmark measures every strategy", { timeout: 180_000 }, async () => {
  const all = await measureCliqueSets({ created: 3, rolled: 2 });
  const created = all.map(({ work, writes }) => [work, writes["create pods"] ?? 0]);
  expect(created).toEqual([
    ["create", 6],
    ["delete", 0],
    ["RollingRecreate, pod by pod", 4],
    ["ReplicaRecreate, maxUnavailable 1", 4],
    // The surge replica is created and deleted in addition.
    ["ReplicaRecreate, maxSurge 1", 6],
    ["OnDelete, replica by replica", 4],
    ["OnDelete, all deleted at once", 4],
  ]);
  for (const { wallSeconds, limitSeconds, cpuSeconds } of atLeastOne(all)) {
    expect(wallSeconds).toBeGreaterThan(limitSeconds * 0.8);
    expect(cpuSeconds).toBeGreaterThan(0);
  }
});
