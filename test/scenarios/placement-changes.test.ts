/** How a selection follows what changes around it: numbers, sets, predicates, taints, groups, corrected mistakes. */
import { expect, test } from "vitest";
import type { ManagedCluster } from "../../src/api/ocm/managed-cluster.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
} from "../../src/api/ocm/managed-cluster.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import { timeText } from "../../src/api/time-text.ts";
import { clusters } from "../builders/placement.ts";
import type { PlacementScenario } from "../builders/placement-scenario.ts";
import {
  bindingOf,
  clusterOf,
  placementObject,
  placementScenario,
  rollingDecisions,
  setOf,
} from "../builders/placement-scenario.ts";
import { atLeastOne } from "../builders/must.ts";

const labelled = (name: string, labels: Record<string, string>): ManagedCluster =>
  clusterOf(name, { metadata: { name, labels } });
const byLabel = (matchLabels: Record<string, string>) => ({
  requiredClusterSelector: { labelSelector: { matchLabels } },
});

/** What the operator writes of decisions from now on, once everything is at rest. */
async function writesAfter(world: PlacementScenario, act: () => Promise<unknown>) {
  for (const key of Object.keys(world.writes)) delete world.writes[key];
  await act();
  await world.settle();
  return Object.entries(world.writes)
    .filter(([call]) => call.includes("placementdecisions"))
    .map(([call, times]) => `${times} ${call}`)
    .toSorted();
}

test("PL6 PL24 three clusters: one decision in two calls, one event, and a status that counts them", async () => {
  const world = await placementScenario({ clusters: 3, spec: null });
  const create = () => world.client.create(placementResource, placementObject("web", {}));
  expect(await writesAfter(world, create)).toEqual([
    "1 create placementdecisions",
    "1 patch placementdecisions/status",
  ]);
  expect((await world.placement()).status).toMatchObject({
    numberOfSelectedClusters: 3,
    decisionGroups: [
      {
        decisionGroupIndex: 0,
        decisionGroupName: "",
        decisions: ["web-decision-1"],
        clusterCount: 3,
      },
    ],
  });
  expect(await world.condition("PlacementSatisfied")).toMatchObject({
    status: "True",
    reason: "AllDecisionsScheduled",
    message: "All cluster decisions scheduled",
  });
  expect(await world.condition("PlacementMisconfigured")).toMatchObject({
    status: "False",
    reason: "Succeedconfigured",
    message: "Placement configurations check pass",
  });
  expect(await world.events("web")).toEqual(["DecisionUpdate: 3 clusters listed in 1 decision"]);
});

test("PL9 an operator that starts again, and a spec that selects the same, write nothing", async () => {
  const world = await placementScenario({ clusters: 128, spec: {} });
  await world.settle();
  const { resourceVersion } = (await world.placement()).metadata;
  expect(await writesAfter(world, () => world.restart())).toEqual([]);
  expect((await world.placement()).metadata.resourceVersion).toBe(resourceVersion);
  const same = () => world.patchPlacement({ spec: { numberOfClusters: 128 } });
  expect(await writesAfter(world, same)).toEqual([]);
});

test("PL24 every condition says which spec it is about, also where the answer stays the same", async () => {
  const world = await placementScenario({ clusters: 3, spec: {} });
  await world.settle();
  await world.patchPlacement({ spec: { numberOfClusters: 3 } });
  await world.settle();
  const { metadata, status } = await world.placement();
  const generations = status?.conditions?.map(({ observedGeneration }) => observedGeneration);
  expect(new Set(generations)).toEqual(new Set([metadata.generation]));
  expect(metadata.generation).toBe(2);
});

test("PL8 PL24 a decision whose labels alone change is patched once, and no event reports it", async () => {
  const ring = clusters(1, 10).map((name) => labelled(name, { ring: "canary" }));
  const world = await placementScenario({ clusters: ring, spec: {} });
  await world.settle();
  const decisionGroups = [
    {
      groupName: "canary",
      groupClusterSelector: { labelSelector: { matchLabels: { ring: "canary" } } },
    },
  ];
  const group = () =>
    world.patchPlacement({ spec: { decisionStrategy: { groupStrategy: { decisionGroups } } } });
  expect(await writesAfter(world, group)).toEqual(["1 patch placementdecisions"]);
  expect(await world.drawn()).toEqual(["d1 c00001..c00010 (10) canary/0"]);
  expect(Object.keys(world.writes).filter((call) => call.includes("events"))).toEqual([]);
  const join = () => world.addCluster("c00011");
  expect(await writesAfter(world, join)).toEqual([
    "1 create placementdecisions",
    "1 patch placementdecisions/status",
  ]);
  expect(await world.drawn()).toEqual([
    "d1 c00001..c00010 (10) canary/0",
    "d2 c00011..c00011 (1) 1",
  ]);
});

test("PL19 a quarter of three clusters makes three groups of one", async () => {
  const groupStrategy = { clustersPerDecisionGroup: "25%" };
  const world = await placementScenario({
    clusters: 3,
    spec: { decisionStrategy: { groupStrategy } },
  });
  await world.settle();
  expect(await world.drawn()).toEqual([
    "d1 c00001..c00001 (1) 0",
    "d2 c00002..c00002 (1) 1",
    "d3 c00003..c00003 (1) 2",
  ]);
});

test("PL18 the number of clusters goes down and up, and who is listed stays", async () => {
  const world = await placementScenario({
    clusters: 10,
    spec: { ...rollingDecisions, numberOfClusters: 10 },
  });
  const selects = async (numberOfClusters: number): Promise<string> => {
    await world.patchPlacement({ spec: { numberOfClusters } });
    await world.settle();
    return (await world.drawn()).join();
  };
  await world.settle();
  expect(await selects(4)).toBe("d1 c00001..c00004 (4) 0");
  expect(await selects(5)).toBe("d1 c00001..c00005 (5) 0");
  expect(await selects(8)).toBe("d1 c00001..c00008 (8) 0");
});

test("PL16 a binding to a set that does not exist binds nothing, until the set is there", async () => {
  const world = await placementScenario({ clusters: ["c1"], isUnbound: true, spec: {} });
  const reason = async () => (await world.condition("PlacementSatisfied"))?.reason;
  await world.client.create(clusterSetBindingResource, bindingOf("later"));
  await world.settle();
  expect(await reason()).toBe("NoManagedClusterSetBindings");
  const everything = { clusterSelector: { selectorType: "LabelSelector", labelSelector: {} } };
  await world.client.create(clusterSetResource, setOf("later", everything));
  await world.settle();
  expect([await reason(), await world.listed()]).toEqual(["AllDecisionsScheduled", ["c1"]]);
});

test("PL16 sets and bindings that go take their clusters along, and bring them back", async () => {
  const world = await placementScenario({ clusters: ["c1", "c2"], spec: {} });
  await world.settle();
  const binding = { namespace: "default", name: "fleet" };
  const steps: readonly (readonly [what: () => Promise<unknown>, listed: string])[] = [
    [() => world.client.delete(clusterSetBindingResource, binding), ""],
    [() => world.client.create(clusterSetBindingResource, bindingOf("fleet")), "c1 c2"],
    [() => world.client.delete(clusterSetResource, { name: "fleet" }), ""],
    [() => world.client.create(clusterSetResource, setOf("fleet")), "c1 c2"],
  ];
  for (const [act, listed] of atLeastOne(steps)) {
    await act();
    await world.settle();
    expect((await world.listed()).join(" ")).toBe(listed);
    expect((await world.placement()).status?.numberOfSelectedClusters).toBe(
      listed.split(" ").filter(Boolean).length,
    );
  }
});

test("PL14 a predicate by label, by claim and by expression, and clusters that begin and cease to match", async () => {
  const claims = { status: { clusterClaims: [{ name: "region", value: "eu" }] } };
  const world = await placementScenario({
    clusters: [labelled("c1", { env: "prod" }), clusterOf("c2", claims), "c3"],
    spec: { predicates: [byLabel({ env: "prod" })] },
  });
  const listed = async () => {
    await world.settle();
    return (await world.listed()).join(" ");
  };
  const select = (requiredClusterSelector: object) =>
    world.patchPlacement({ spec: { predicates: [{ requiredClusterSelector }] } });
  expect(await listed()).toBe("c1");
  await world.patchCluster("c3", { metadata: { labels: { env: "prod" } } });
  expect(await listed()).toBe("c1 c3");
  const inEurope = { key: "region", operator: "In", values: ["eu"] };
  await select({ claimSelector: { matchExpressions: [inEurope] } });
  expect(await listed()).toBe("c2");
  await world.patchCluster("c1", claims, "status");
  expect(await listed()).toBe("c1 c2");
  await select({ celSelector: { celExpressions: ['managedCluster.metadata.name > "c1"'] } });
  expect(await listed()).toBe("c2 c3");
  await world.removeCluster("c2");
  expect(await listed()).toBe("c3");
});

test("PL15 tolerations of two clusters end one after the other, each by itself", async () => {
  const world = await placementScenario({
    clusters: ["c0", "c1", "c2"],
    spec: { tolerations: [{ key: "gone", operator: "Exists", tolerationSeconds: 20 }] },
  });
  await world.settle();
  const taint = (name: string, timeAdded: string) =>
    world.patchCluster(name, {
      spec: { taints: [{ key: "gone", effect: "NoSelect", timeAdded }] },
    });
  await taint("c0", timeText(world.clock.now() - 10_000));
  await taint("c1", timeText(world.clock.now()));
  const after = async (ms: number): Promise<string> => {
    await world.clock.runFor(ms);
    return (await world.listed()).join(" ");
  };
  expect(await after(9_000)).toBe("c0 c1 c2");
  expect(await after(2_000)).toBe("c1 c2");
  expect(await after(8_000)).toBe("c1 c2");
  expect(await after(2_000)).toBe("c2");
});

test("PL7 a Placement with a mistake selects nothing until it is corrected", async () => {
  const mistaken = { tolerations: [{ operator: "Equal", value: "a" }] } as const;
  const world = await placementScenario({ clusters: ["c1"], spec: mistaken });
  await world.settle();
  expect(await world.drawn()).toEqual([]);
  expect(await world.condition("PlacementMisconfigured")).toMatchObject({ status: "True" });
  await world.patchPlacement({ spec: { tolerations: null } });
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c1..c1 (1) 0"]);
  expect(await world.condition("PlacementMisconfigured")).toMatchObject({ status: "False" });
  expect(await world.condition("Stalled")).toMatchObject({ status: "False" });
});
