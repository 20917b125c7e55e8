/** What users of Open Cluster Management rely on, beside the other scenarios: definitions, binding, groups, events. */
import { expect, test } from "vitest";
import { ocmLabels } from "../../src/api/ocm/labels.ts";
import type { ManagedCluster } from "../../src/api/ocm/managed-cluster.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
  placementScoreResource,
} from "../../src/api/ocm/managed-cluster.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import { clusters } from "../builders/placement.ts";
import { namespaceResource } from "../builders/placement-objects.ts";
import {
  bindingOf,
  clusterOf,
  placementObject,
  placementScenario,
  setOf,
} from "../builders/placement-scenario.ts";

const byLabel = (matchLabels: Record<string, string>) => ({
  requiredClusterSelector: { labelSelector: { matchLabels } },
});

const ring = (name: string): ManagedCluster =>
  clusterOf(name, { metadata: { name, labels: { ring: "canary" } } });

test("definitions accept what is known and refuse what is wrong, with the path", async () => {
  const { client } = await placementScenario({ spec: null });
  const specs = {
    empty: {},
    sets: { clusterSets: ["a", "b"] },
    number: { numberOfClusters: 3 },
    predicate: { predicates: [byLabel({ a: "b" })] },
    tolerations: { tolerations: [{ key: "gpu", operator: "Exists", tolerationSeconds: 10 }] },
  };
  for (const [name, spec] of Object.entries(specs)) {
    await client.create(placementResource, placementObject(name, spec));
  }
  const taint = { key: "not a key", effect: "NoSelect", timeAdded: null };
  const refused = [
    client.create(clusterSetResource, setOf("x", { clusterSelector: { selectorType: "Any" } })),
    client.create(managedClusterResource, clusterOf("x", { spec: { taints: [taint] } } as never)),
    client.create(
      placementResource,
      placementObject("x", { decisionStrategy: { updateStrategy: { type: "Some" } } } as never),
    ),
    client.create(
      placementResource,
      placementObject("x", { tolerations: [{ key: "a", effect: "NoExecute" }] } as never),
    ),
  ];
  const problems = await Promise.all(refused.map((each) => each.catch(String)));
  expect(problems).toEqual([
    expect.stringMatching(/spec\.clusterSelector\.selectorType: Unsupported value: "Any"/),
    expect.stringMatching(/spec\.taints\[0\]\.key: Invalid value: "not a key"/),
    expect.stringMatching(/decisionStrategy\.updateStrategy\.type: Unsupported value: "Some"/),
    expect.stringMatching(/spec\.tolerations\[0\]\.effect: Unsupported value: "NoExecute"/),
  ]);
  const joined = await client.create(managedClusterResource, { ...clusterOf("c1"), spec: {} });
  expect(joined).toMatchObject({ spec: { leaseDurationSeconds: 60 } });
  const plain = await client.get(placementResource, { namespace: "default", name: "empty" });
  expect(plain["spec"]).toEqual({});
});

test("PL6 PL8 binding 10, 101, 128, 10 and no clusters writes what is needed and nothing else", async () => {
  const labelled = (count: number) => byLabel({ [`of-${count}`]: "yes" });
  const counts = [10, 101, 128];
  const fleet = clusters(1, 128).map((name, at) => {
    const labels = counts.filter((count) => at < count).map((count) => [`of-${count}`, "yes"]);
    return clusterOf(name, { metadata: { name, labels: Object.fromEntries(labels) } });
  });
  const world = await placementScenario({ clusters: fleet, spec: { predicates: [labelled(10)] } });
  const writes = async (count: number) => {
    for (const key of Object.keys(world.writes)) delete world.writes[key];
    await world.patchPlacement({ spec: { predicates: [labelled(count)] } });
    await world.settle();
    const calls = Object.entries(world.writes).filter(([call]) => call.includes("decisions"));
    return [
      ...calls.map(([call, times]) => `${times} ${call}`).toSorted(),
      ...(await world.drawn()),
    ];
  };
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c00001..c00010 (10) 0"]);
  expect(await writes(101)).toEqual([
    "1 create placementdecisions",
    "2 patch placementdecisions/status",
    "d1 c00001..c00100 (100) 0",
    "d2 c00101..c00101 (1) 0",
  ]);
  expect(await writes(128)).toEqual([
    "1 patch placementdecisions/status",
    "d1 c00001..c00100 (100) 0",
    "d2 c00101..c00128 (28) 0",
  ]);
  expect(await writes(128)).toEqual(["d1 c00001..c00100 (100) 0", "d2 c00101..c00128 (28) 0"]);
  expect(await writes(10)).toEqual([
    "1 delete placementdecisions",
    "1 patch placementdecisions/status",
    "d1 c00001..c00010 (10) 0",
  ]);
  expect(await writes(0)).toEqual(["1 patch placementdecisions/status", "d1 - (0) 0"]);
});

test("PL19 groups of two with a canary follow clusters that come and go", async () => {
  const world = await placementScenario({
    clusters: [ring("c1"), ring("c2"), "c3", "c4", "c5"],
    spec: {
      decisionStrategy: {
        groupStrategy: {
          clustersPerDecisionGroup: 2,
          decisionGroups: [
            {
              groupName: "canary",
              groupClusterSelector: { labelSelector: { matchLabels: { ring: "canary" } } },
            },
          ],
        },
      },
    },
  });
  const drawn = async () => {
    await world.settle();
    return (await world.drawn()).map((each) => each.slice(3));
  };
  expect(await drawn()).toEqual(["c1..c2 (2) canary/0", "c3..c4 (2) 1", "c5..c5 (1) 2"]);
  for (const name of ["c2", "c5"]) await world.removeCluster(name);
  expect(await drawn()).toEqual(["c1..c1 (1) canary/0", "c3..c4 (2) 1"]);
  await world.client.create(managedClusterResource, ring("c0"));
  expect(await drawn()).toEqual(["c0..c1 (2) canary/0", "c3..c4 (2) 1"]);
  await world.addCluster("c9");
  expect(await drawn()).toEqual(["c0..c1 (2) canary/0", "c3..c4 (2) 1", "c9..c9 (1) 2"]);
  for (const name of ["c0", "c1", "c3", "c4", "c9"]) await world.removeCluster(name);
  expect(await drawn()).toEqual(["- (0) 0"]);
});

const resources = (cpu: number) => ({ allocatable: { cpu: `${cpu}` }, capacity: { cpu: "100" } });

test("PL17 PL18 a new best cluster is selected, and when it goes the next best is", async () => {
  const builtIn = "ResourceAllocatableCPU";
  const world = await placementScenario({
    clusters: [10, 30, 20].map((cpu, at) => clusterOf(`c${at}`, { status: resources(cpu) })),
    spec: {
      numberOfClusters: 1,
      prioritizerPolicy: {
        mode: "Exact",
        configurations: [{ scoreCoordinate: { builtIn }, weight: 1 }],
      },
    },
  });
  await world.settle();
  expect(await world.listed()).toEqual(["c1"]);
  await world.addCluster("c3");
  await world.patchCluster("c3", { status: resources(40) }, "status");
  await world.settle();
  expect(await world.listed()).toEqual(["c3"]);
  await world.removeCluster("c3");
  await world.settle();
  expect(await world.listed()).toEqual(["c1"]);
});

test("PL14 an expression that costs too much matches nothing", async () => {
  const claims = Array.from({ length: 100 }, (_, at) => ({ name: `n${at}`, value: "v" }));
  const cluster = clusterOf("c1", { status: { clusterClaims: claims } });
  const each = "managedCluster.status.clusterClaims";
  const nested = (depth: number): string =>
    depth === 0 ? "true" : `${each}.all(c${depth}, ${nested(depth - 1)})`;
  const select = (...celExpressions: string[]) => ({
    predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }],
  });
  const world = await placementScenario({ clusters: [cluster], spec: select(nested(2)) });
  await world.settle();
  expect(await world.listed()).toEqual(["c1"]);
  await world.patchPlacement({ spec: select(nested(3)) });
  await world.settle();
  expect(await world.listed()).toEqual([]);
});

test("PL23 a cluster that moves from one set to another wakes the Placements of both, and no others", async () => {
  const world = await placementScenario({ clusters: ["c1"], spec: null });
  for (const set of ["other", "third"]) {
    await world.client.create(clusterSetResource, setOf(set));
    await world.client.create(clusterSetBindingResource, bindingOf(set));
  }
  const placements = { a: ["fleet"], b: ["other"], c: ["third"], d: [] };
  for (const [name, clusterSets] of Object.entries(placements)) {
    await world.client.create(placementResource, placementObject(name, { clusterSets }));
  }
  await world.settle();
  for (const key of Object.keys(world.reconciles)) delete world.reconciles[key];
  await world.patchCluster("c1", { metadata: { labels: { [ocmLabels.clusterSet]: "other" } } });
  await world.settle();
  expect(Object.keys(world.reconciles).toSorted()).toEqual([
    "Placement default/a",
    "Placement default/b",
  ]);
  const listed = await Promise.all(Object.keys(placements).map((name) => world.listed(name)));
  expect(listed).toEqual([[], ["c1"], [], ["c1"]]);
});

test("PL23 a score wakes only Placements that read it and may select its cluster", async () => {
  const world = await placementScenario({ clusters: ["c1", "c2"], spec: null });
  const addOn = { resourceName: "usage", scoreName: "free" };
  const configurations = [{ scoreCoordinate: { type: "AddOn", addOn }, weight: 1 }];
  const ranked = { numberOfClusters: 1, prioritizerPolicy: { configurations } } as const;
  await world.client.create(clusterSetResource, setOf("elsewhere"));
  await world.client.create(clusterSetBindingResource, bindingOf("elsewhere"));
  const specs = { reads: ranked, not: {}, far: { ...ranked, clusterSets: ["elsewhere"] } };
  for (const [name, spec] of Object.entries(specs)) {
    await world.client.create(placementResource, placementObject(name, spec as never));
  }
  await world.settle();
  for (const key of Object.keys(world.reconciles)) delete world.reconciles[key];
  await world.client.create(namespaceResource, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "c2" },
  });
  const metadata = { namespace: "c2", name: "usage" };
  const score = await world.client.create(placementScoreResource, {
    apiVersion: "cluster.open-cluster-management.io/v1alpha1",
    kind: "AddOnPlacementScore",
    metadata,
  });
  await world.client.update(
    placementScoreResource,
    { ...score, status: { scores: [{ name: "free", value: 90 }] } },
    { subresource: "status" },
  );
  await world.settle();
  expect(Object.keys(world.reconciles)).toEqual(["Placement default/reads"]);
});
