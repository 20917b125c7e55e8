/** What many Placements over many clusters cost: reconciles per Placement do not grow with their number. */
import { expect, test } from "vitest";
import { placementResource } from "../../src/api/ocm/placement.ts";
import { placementObject, placementScenario } from "../builders/placement-scenario.ts";

const fleet = 100;
const count = 30;

test("PL23 30 Placements over 100 clusters converge, and heartbeats reconcile none of them", async () => {
  const world = await placementScenario({ clusters: fleet, spec: null });
  const names = Array.from({ length: count }, (_, at) => `p${at}`);
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
});
