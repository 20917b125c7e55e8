/** Add-ons roll out at the pace of their strategy: so many at once, after so long, with so many failures. */
import { expect, test } from "vitest";
import { managedClusterResource } from "../../src/api/ocm/managed-cluster.ts";
import { addOnScenario } from "../builders/addon-scenario.ts";
import { clusters } from "../builders/placement.ts";
import { createClusters, namespaceResource } from "../builders/placement-objects.ts";

const three = ["a", "b", "c"];

test("AD5 Progressive installs some, and goes on as they become available", async () => {
  const rolloutStrategy = { type: "Progressive", progressive: { maxConcurrency: 2 } } as const;
  const world = await addOnScenario({ clusters: clusters(1, 5), rolloutStrategy });
  await world.select(...clusters(1, 5));
  expect(await world.installed()).toBe("c00001 c00002");
  await world.clock.runFor(5_000);
  expect(await world.condition("Progressing")).toBe(
    "True WaitingForClusters: Placement default/web: waiting for c00001 (progressing), c00002 (progressing), " +
      "3 clusters to follow, 2 at once; c00001, c00002: its agent has not reported Available yet",
  );
  await world.report("c00002", "Available", "True");
  expect(await world.installed()).toBe("c00001 c00002 c00003");
  await world.report("c00001", "Degraded", "True", "image not found");
  await world.clock.runFor(5_000);
  expect(await world.installed()).toBe("c00001 c00002 c00003");
  expect(await world.condition("Stalled")).toContain(
    "True TooManyFailures: Placement default/web: stopped: 1 cluster failed: c00001 (failed), none may; " +
      "1 of 5 clusters done, 2 under way; c00001: Degraded is True: image not found",
  );
});

test("AD5 two at once, then four, then six, each after its predecessors have been available for 5 s", async () => {
  const progressive = { maxConcurrency: 2, minSuccessTime: "5s" };
  const rolloutStrategy = { type: "Progressive", progressive } as const;
  const world = await addOnScenario({ clusters: clusters(1, 6), rolloutStrategy });
  await world.select(...clusters(1, 6));
  for (const count of [2, 4]) {
    expect((await world.installed()).split(" ")).toEqual(clusters(1, count));
    for (const name of clusters(count - 1, count)) await world.report(name, "Available", "True");
    await world.clock.runFor(2_000);
    expect((await world.installed()).split(" ")).toEqual(clusters(1, count));
    await world.clock.runFor(4_000);
  }
  expect((await world.installed()).split(" ")).toEqual(clusters(1, 6));
});

test("AD5 CR6 CR7 the mandatory group first, then group after group", async () => {
  const progressivePerGroup = {
    mandatoryDecisionGroups: [{ groupName: "canary" }],
    maxFailures: 1,
  };
  const rolloutStrategy = { type: "ProgressivePerGroup", progressivePerGroup } as const;
  const world = await addOnScenario({ clusters: [...three, "d"], rolloutStrategy });
  await world.selectGroups([
    { name: "early", clusters: ["a", "b"] },
    { name: "canary", clusters: ["c"] },
    { name: "", clusters: ["d"] },
  ]);
  expect(await world.installed()).toBe("c");
  await world.report("c", "Degraded", "True", "no such image");
  await world.clock.runFor(5_000);
  expect(await world.installed()).toBe("c");
  expect(await world.condition("Stalled")).toContain(
    "stopped in group canary (1): 1 cluster failed: c (failed), none may",
  );
  await world.report("c", "Available", "True");
  expect(await world.installed()).toBe("a b c");
  await world.report("a", "Degraded", "True", "no such image");
  expect(await world.installed()).toBe("a b c");
  await world.report("b", "Available", "True");
  expect(await world.installed()).toBe("a b c d");
});

test("AD5 a rollout that nobody helps ends with the deadline, and the slot is free again", async () => {
  const progressive = { maxConcurrency: 1, maxFailures: 1, progressDeadline: "60s" };
  const rolloutStrategy = { type: "Progressive", progressive } as const;
  const world = await addOnScenario({ clusters: three, rolloutStrategy });
  await world.select(...three);
  expect(await world.installed()).toBe("a");
  await world.clock.runFor(60_000);
  expect(await world.installed()).toBe("a b");
  await world.clock.runFor(120_000);
  expect(await world.installed()).toBe("a b");
  expect(await world.condition("Stalled")).toContain(
    "2 clusters failed: a (timed out), b (timed out), at most 1 may",
  );
});

test("AD5 AD6 a cluster that refuses the add-on has a slot until its deadline, and is still tried again", async () => {
  const progressive = { maxConcurrency: 1, maxFailures: 1, progressDeadline: "60s" };
  const rolloutStrategy = { type: "Progressive", progressive } as const;
  const world = await addOnScenario({ clusters: ["b", "c"], rolloutStrategy });
  const a = { apiVersion: "cluster.open-cluster-management.io/v1", kind: "ManagedCluster" };
  await world.client.create(managedClusterResource, { ...a, metadata: { name: "a" }, spec: {} });
  await world.select("a", "b", "c");
  await world.clock.runFor(50_000);
  expect(await world.installed()).toBe("");
  expect(await world.condition("Progressing")).toContain(
    'waiting for a (progressing), 2 clusters to follow, 1 at once; a: namespaces "a" not found',
  );
  await world.clock.runFor(15_000);
  expect(await world.installed()).toBe("b");
  await world.report("b", "Available", "True");
  expect(await world.installed()).toBe("b c");
  const metadata = { name: "a" };
  await world.client.create(namespaceResource, { apiVersion: "v1", kind: "Namespace", metadata });
  await world.clock.runFor(11_000);
  expect(await world.installed()).toBe("a b c");
});

test("AD6 a listed cluster without a ManagedCluster has no slot", async () => {
  const rolloutStrategy = { type: "Progressive", progressive: { maxConcurrency: 1 } } as const;
  const world = await addOnScenario({ clusters: ["b", "c"], rolloutStrategy });
  await world.select("a", "b", "c");
  expect(await world.installed()).toBe("b");
  await world.clock.runFor(5_000);
  expect(await world.condition("Progressing")).toContain("waiting for ManagedCluster a");
  await createClusters(world.client, ["a"]);
  await world.report("b", "Available", "True");
  expect(await world.installed()).toBe("a b");
});

test("AD5 a strategy that cannot be read is named with its path, and installs nothing", async () => {
  const rolloutStrategy = { type: "Progressive", progressive: { minSuccessTime: "soon" } } as const;
  const world = await addOnScenario({ clusters: three, rolloutStrategy });
  await world.select("a");
  expect(await world.installed()).toBe("");
  expect(await world.condition("Stalled")).toBe(
    "True InvalidRolloutStrategy: spec.installStrategy.placements[0].rolloutStrategy.progressive.minSuccessTime: " +
      '"soon" cannot be read; write a length of time such as 5m',
  );
});
