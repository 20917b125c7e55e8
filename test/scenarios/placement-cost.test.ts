/** What many Placements over many clusters cost: reconciles per Placement do not grow with their number. */
import { expect, test } from "vitest";
import { placementResource } from "../../src/api/ocm/placement.ts";
import { placementObject, placementScenario } from "../builders/placement-scenario.ts";

/** Few of many choose the same clusters at the same moment; many of few have to share them. */
const sizes = [
  { placements: 3, fleet: 100 },
  { placements: 30, fleet: 100 },
  { placements: 1000, fleet: 1000 },
];

test.each(sizes)(
  "PL23 $placements Placements over $fleet clusters converge, and heartbeats reconcile none of them",
  async ({ placements, fleet }) => {
    const world = await placementScenario({ clusters: fleet, spec: null });
    const names = Array.from({ length: placements }, (_, at) => `p${at}`);
    for (const name of names) {
      await world.client.create(placementResource, placementObject(name, { numberOfClusters: 10 }));
    }
    await world.settle();
    const { items } = await world.client.list(placementResource, { namespace: "default" });
    const selected = items.map(
      ({ status }) => (status as { numberOfSelectedClusters?: number }).numberOfSelectedClusters,
    );
    expect(selected).toEqual(names.map(() => 10));
    const most = Math.max(...Object.values(world.reconciles));
    expect(most).toBeLessThanOrEqual(5);
    for (const key of Object.keys(world.reconciles)) delete world.reconciles[key];
    const capacity = { cpu: "4" };
    await world.patchCluster("c00001", { status: { capacity, allocatable: capacity } }, "status");
    await world.settle();
    expect(world.reconciles).toEqual({});
  },
);

test("PL17 Placements that are scheduled in the same moment share the fleet evenly", async () => {
  const world = await placementScenario({ clusters: 12, spec: null });
  for (const name of ["a", "b", "c"]) {
    await world.client.create(placementResource, placementObject(name, { numberOfClusters: 4 }));
  }
  await world.settle();
  const listed = await Promise.all(["a", "b", "c"].map((name) => world.listed(name)));
  expect(new Set(listed.flat()).size).toBe(12);
});
