/** Decisions move and no cluster disappears: the scenarios of the specification, on the embedded server. */
import { expect, test } from "vitest";
import { clusters } from "../builders/placement.ts";
import { inGroupsOf, placementScenario, rollingDecisions } from "../builders/placement-scenario.ts";

test("PL1 scenario 1: a cluster in front moves the hundredth", async () => {
  const world = await placementScenario({ clusters: 150 });
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c00001..c00100 (100) 0", "d2 c00101..c00150 (50) 0"]);
  const before = await world.decisions();
  await world.addCluster("c00000");
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c00000..c00099 (100) 0", "d2 c00100..c00150 (51) 0"]);
  const uids = (await world.decisions()).map(({ metadata }) => metadata.uid);
  expect(uids).toEqual(before.map(({ metadata }) => metadata.uid));
  expect((await world.placement()).status).toMatchObject({
    numberOfSelectedClusters: 151,
    decisionGroups: [
      {
        decisionGroupIndex: 0,
        decisionGroupName: "",
        decisions: ["web-decision-1", "web-decision-2"],
        clusterCount: 151,
      },
    ],
  });
  await world.atRest();
});

test("PL1 scenario 2: without the first cluster the hundredth moves back", async () => {
  const world = await placementScenario({ clusters: clusters(0, 150) });
  await world.settle();
  await world.removeCluster("c00000");
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c00001..c00100 (100) 0", "d2 c00101..c00150 (50) 0"]);
  await world.atRest();
});

test("PL1 scenario 3: groups of 50 instead of one, and back", async () => {
  const world = await placementScenario({ clusters: 250 });
  await world.settle();
  await world.patchPlacement({ spec: inGroupsOf(50) });
  await world.settle();
  expect(await world.drawn()).toEqual([
    "d1 c00001..c00050 (50) 0",
    "d2 c00051..c00100 (50) 1",
    "d3 c00101..c00150 (50) 2",
    "d4 c00151..c00200 (50) 3",
    "d5 c00201..c00250 (50) 4",
  ]);
  await world.atRest();
  await world.patchPlacement({ spec: inGroupsOf("100%") });
  await world.settle();
  expect(await world.drawn()).toEqual([
    "d1 c00001..c00100 (100) 0",
    "d2 c00101..c00200 (100) 0",
    "d3 c00201..c00250 (50) 0",
  ]);
  await world.atRest();
});

test("PL8 the same change under All does lose clusters", async () => {
  const world = await placementScenario({
    clusters: 250,
    spec: {},
    isNegativeControl: true,
    expected: [/web lists c00100 no more/, /web lists c00200 no more/],
  });
  await world.settle();
  await world.addCluster("c00000");
  await world.settle();
  expect(await world.drawn()).toEqual([
    "d1 c00000..c00099 (100) 0",
    "d2 c00100..c00199 (100) 0",
    "d3 c00200..c00250 (51) 0",
  ]);
  await world.atRest();
});

test("PL9 turning RollingUpdate on writes nothing but that", async () => {
  const world = await placementScenario({ clusters: 150, spec: {} });
  await world.settle();
  const before = await world.decisions();
  await world.patchPlacement({ spec: rollingDecisions });
  await world.settle();
  expect(await world.decisions()).toEqual(before);
});
