/** Which clusters a Placement selects, on the embedded server: sets, predicates, taints, scores, groups, conditions. */
import { expect, test } from "vitest";
import type { KubeObject } from "../../src/api/object.ts";
import { ocmLabels } from "../../src/api/ocm/labels.ts";
import type { ManagedCluster } from "../../src/api/ocm/managed-cluster.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  placementScoreResource,
} from "../../src/api/ocm/managed-cluster.ts";
import type { PlacementSpec } from "../../src/api/ocm/placement.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import { timeText } from "../../src/api/time-text.ts";
import type { PlacementScenario } from "../builders/placement-scenario.ts";
import {
  bindingOf,
  clusterOf,
  placementObject,
  placementScenario,
  setOf,
} from "../builders/placement-scenario.ts";
import { namespace } from "../builders/scenario.ts";

const labelled = (name: string, labels: Record<string, string>): ManagedCluster =>
  clusterOf(name, { metadata: { labels } });

const claiming = (name: string, claims: Record<string, string>): ManagedCluster =>
  clusterOf(name, {
    status: { clusterClaims: Object.entries(claims).map(([key, value]) => ({ name: key, value })) },
  });

const roomy = (name: string, cpu: string, memory: string): ManagedCluster =>
  clusterOf(name, { status: { allocatable: { cpu, memory }, capacity: { cpu, memory } } });

const byLabel = (matchLabels: Record<string, string>) => ({
  requiredClusterSelector: { labelSelector: { matchLabels } },
});
const byClaim = (key: string, ...values: string[]) => ({
  requiredClusterSelector: {
    claimSelector: { matchExpressions: [{ key, operator: "In", values }] },
  },
});
const byCel = (...celExpressions: string[]) => ({
  requiredClusterSelector: { celSelector: { celExpressions } },
});

const fleet = [
  labelled("c1", { env: "prod", zone: "a" }),
  labelled("c2", { env: "test" }),
  claiming("c3", { region: "eu-1", info: '{"gpus": 4}', url: "https://a/b?c" }),
];

const predicates: Record<string, { given: PlacementSpec["predicates"]; want: string }> = {
  "none matches everything": { given: [], want: "c1 c2 c3" },
  "an empty selector matches everything": { given: [{}], want: "c1 c2 c3" },
  "a label": { given: [byLabel({ env: "prod" })], want: "c1" },
  "two predicates are alternatives": {
    given: [byLabel({ env: "prod" }), byLabel({ env: "test" })],
    want: "c1 c2",
  },
  "a claim": { given: [byClaim("region", "eu-1")], want: "c3" },
  "a claim that no label could hold": { given: [byClaim("url", "https://a/b?c")], want: "c3" },
  "a label and a claim of one predicate both count": {
    given: [
      {
        requiredClusterSelector: {
          ...byLabel({ env: "prod" }).requiredClusterSelector,
          ...byClaim("region", "eu-1").requiredClusterSelector,
        },
      },
    ],
    want: "",
  },
  "NotIn matches a missing key": {
    given: [
      {
        requiredClusterSelector: {
          labelSelector: {
            matchExpressions: [{ key: "env", operator: "NotIn", values: ["prod"] }],
          },
        },
      },
    ],
    want: "c2 c3",
  },
  "an expression over labels": {
    given: [byCel('managedCluster.metadata.labels["env"] == "prod"')],
    want: "c1",
  },
  "a missing key is no match, also when it is negated": {
    given: [byCel('managedCluster.metadata.labels["zone"] != "b"')],
    want: "c1",
  },
  "an alternative absorbs the error": {
    given: [byCel('managedCluster.metadata.labels["zone"] == "b" || true')],
    want: "c1 c2 c3",
  },
  "expressions of one selector all count": {
    given: [
      byCel(
        'managedCluster.metadata.name < "c3"',
        'managedCluster.metadata.labels["env"] == "test"',
      ),
    ],
    want: "c2",
  },
  "an expression over claims and JSON": {
    given: [
      byCel(
        'managedCluster.status.clusterClaims.exists(c, c.name == "info" && c.value.parseJSON().gpus == 4)',
      ),
    ],
    want: "c3",
  },
  "an answer that is no bool is no match": {
    given: [byCel("managedCluster.metadata.name")],
    want: "",
  },
};

test.each(Object.entries(predicates))("PL14 %s", async (_name, { given, want }) => {
  const world = await placementScenario({ clusters: fleet, spec: { predicates: given } });
  await world.settle();
  expect((await world.listed()).join(" ")).toBe(want);
});

const scoreOf = (cluster: string, name: string): KubeObject => ({
  apiVersion: "cluster.open-cluster-management.io/v1alpha1",
  kind: "AddOnPlacementScore",
  metadata: { name, namespace: cluster },
});

async function publish(
  world: PlacementScenario,
  values: Record<string, number>,
  validUntil?: string,
) {
  for (const [cluster, value] of Object.entries(values)) {
    const key = { namespace: cluster, name: "load" };
    const known = await world.client.get(placementScoreResource, key).catch(() => undefined);
    if (known === undefined) {
      await world.client
        .create(
          { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false },
          {
            apiVersion: "v1",
            kind: "Namespace",
            metadata: { name: cluster },
          },
        )
        .catch(() => undefined);
      await world.client.create(placementScoreResource, scoreOf(cluster, "load"));
    }
    const status = {
      scores: [{ name: "free", value }],
      ...(validUntil === undefined ? {} : { validUntil }),
    };
    await world.client.patch(
      placementScoreResource,
      key,
      { type: "merge", body: { status } },
      { subresource: "status" },
    );
  }
}

const freeScore = {
  scoreCoordinate: { type: "AddOn", addOn: { resourceName: "load", scoreName: "free" } },
} as const;

test("PL17 scores of an add-on decide, follow changes, and end with their time", async () => {
  const world = await placementScenario({ clusters: ["c0", "c1", "c2"], spec: null });
  await publish(world, { c0: 80, c1: 90, c2: 100 });
  const spec = {
    numberOfClusters: 2,
    prioritizerPolicy: { mode: "Exact", configurations: [freeScore] },
  } as const;
  await world.client.create(placementResource, placementObject("web", spec));
  await world.settle();
  expect(await world.listed()).toEqual(["c1", "c2"]);
  expect(await world.events("web")).toContain("ScoreUpdate: c1:90 c2:100");
  await publish(world, { c0: 100 });
  await world.settle();
  expect(await world.listed()).toEqual(["c0", "c2"]);
  await publish(world, { c0: 100 }, timeText(world.clock.now() + 60_000));
  await world.settle();
  expect(await world.listed()).toEqual(["c0", "c2"]);
  await world.clock.runFor(60_000);
  expect(await world.listed()).toEqual(["c1", "c2"]);
  expect((await world.events("web")).filter((event) => event.startsWith("ScoreExpired"))).toEqual([
    "ScoreExpired: AddOnPlacementScores c0/load expired: they count as 0 until their add-on renews them",
  ]);
});

test("PL14 an expression over scores follows them", async () => {
  const world = await placementScenario({ clusters: ["c0", "c1"], spec: null });
  await publish(world, { c0: 80 });
  const expression =
    'managedCluster.scores("load").filter(s, s.name == "free").all(s, s.value > 50)';
  await world.client.create(
    placementResource,
    placementObject("web", { predicates: [byCel(expression)] }),
  );
  await world.settle();
  expect(await world.listed()).toEqual(["c0"]);
  await publish(world, { c0: 20, c1: 60 });
  await world.settle();
  expect(await world.listed()).toEqual(["c1"]);
});

const resourceWeights = (...names: string[]): PlacementSpec["prioritizerPolicy"] => ({
  configurations: names.map((builtIn) => ({ scoreCoordinate: { builtIn } })),
});

test("PL17 PL18 the most CPU and memory, and Steady against a better cluster", async () => {
  const world = await placementScenario({
    clusters: [roomy("c0", "10", "100"), roomy("c1", "2", "20"), roomy("c2", "6", "60")],
    spec: {
      numberOfClusters: 2,
      prioritizerPolicy: resourceWeights("ResourceAllocatableCPU", "ResourceAllocatableMemory"),
    },
  });
  await world.settle();
  expect(await world.listed()).toEqual(["c0", "c2"]);
  await world.addCluster("c3");
  const status = {
    allocatable: { cpu: "12", memory: "120" },
    capacity: { cpu: "12", memory: "120" },
  };
  await world.patchCluster("c3", { status }, "status");
  await world.settle();
  expect(await world.listed()).toEqual(["c0", "c3"]);
  const steady = { scoreCoordinate: { builtIn: "Steady" }, weight: 10 };
  await world.patchPlacement({ spec: { prioritizerPolicy: { configurations: [steady] } } });
  await world.addCluster("c4");
  await world.settle();
  expect(await world.listed()).toEqual(["c0", "c3"]);
});

test("PL17 resources count to the bit as Kubernetes reads their text", async () => {
  const cpu = ["1000m", "1140m", "1800m"];
  const world = await placementScenario({
    clusters: cpu.map((amount, at) => roomy(`c${at}`, amount, "8Gi")),
    spec: {
      numberOfClusters: 2,
      prioritizerPolicy: {
        mode: "Exact",
        configurations: [{ scoreCoordinate: { builtIn: "ResourceAllocatableCPU" }, weight: 1 }],
      },
    },
  });
  await world.settle();
  // 1140 thousandths are a little more than 1.14 as floats are: just above -65, which is cut off to -64.
  expect(await world.events("web")).toContain("ScoreUpdate: c1:-64 c2:100");
});

test("PL17 Balance goes where others are not, and surged clusters count once", async () => {
  const world = await placementScenario({
    clusters: ["c0", "c1", "c2"],
    spec: { numberOfClusters: 1 },
  });
  await world.settle();
  expect(await world.listed()).toEqual(["c0"]);
  for (const name of ["api", "db"]) {
    await world.client.create(placementResource, placementObject(name, { numberOfClusters: 1 }));
    await world.settle();
  }
  expect([await world.listed("api"), await world.listed("db")]).toEqual([["c1"], ["c2"]]);
});

test("PL17 a negative weight of Steady counts as 0 and comes to rest", async () => {
  const configurations = [{ scoreCoordinate: { builtIn: "Steady" }, weight: -5 }];
  const world = await placementScenario({
    clusters: ["c0", "c1"],
    spec: { numberOfClusters: 1, prioritizerPolicy: { mode: "Exact", configurations } },
  });
  await world.settle();
  for (const key of Object.keys(world.writes)) delete world.writes[key];
  await world.clock.runFor(600_000);
  expect(world.writes).toEqual({});
  expect(await world.events("web")).toContainEqual(
    expect.stringMatching(/^SettingIgnored: .*Steady counts as 0/),
  );
});

test("PL15 a toleration ends after its time, and the cluster goes by itself", async () => {
  const world = await placementScenario({
    clusters: ["c0", "c1"],
    spec: { tolerations: [{ key: "gone", operator: "Exists", tolerationSeconds: 20 }] },
  });
  await world.settle();
  const timeAdded = timeText(world.clock.now());
  await world.patchCluster("c0", {
    spec: { taints: [{ key: "gone", effect: "NoSelect", timeAdded }] },
  });
  await world.clock.runFor(15_000);
  expect(await world.listed()).toEqual(["c0", "c1"]);
  await world.clock.runFor(10_000);
  expect(await world.listed()).toEqual(["c1"]);
});

test("PL15 NoSelectIfNew keeps who is there and lets nobody in", async () => {
  const taints = [{ key: "full", effect: "NoSelectIfNew" }] as const;
  const world = await placementScenario({ clusters: ["c0"], spec: {} });
  await world.settle();
  await world.patchCluster("c0", { spec: { taints } });
  await world.addCluster("c1", { spec: { taints } });
  await world.settle();
  expect(await world.listed()).toEqual(["c0"]);
});

test("PL16 sets are bound, unbound, deleted and come back; a terminating cluster leaves", async () => {
  const world = await placementScenario({ clusters: ["c0", "c1"], isUnbound: true, spec: {} });
  const satisfied = async () => (await world.condition("PlacementSatisfied"))?.reason;
  await world.settle();
  expect(await satisfied()).toBe("NoManagedClusterSetBindings");
  expect(await world.drawn()).toEqual(["d1 - (0) 0"]);
  await world.client.create(clusterSetBindingResource, bindingOf("fleet"));
  await world.settle();
  expect(await world.listed()).toEqual(["c0", "c1"]);
  expect(await satisfied()).toBe("AllDecisionsScheduled");
  await world.patchPlacement({ spec: { clusterSets: ["other"] } });
  await world.settle();
  expect(await satisfied()).toBe("NoIntersection");
  expect((await world.condition("PlacementSatisfied"))?.message).toBe(
    "None of ManagedClusterSets [other] is bound to placement namespace",
  );
  await world.client.create(clusterSetResource, setOf("other"));
  await world.client.create(clusterSetBindingResource, bindingOf("other"));
  await world.settle();
  expect(await satisfied()).toBe("AllManagedClusterSetsEmpty");
  await world.patchCluster("c1", { metadata: { labels: { [ocmLabels.clusterSet]: "other" } } });
  await world.settle();
  expect(await world.listed()).toEqual(["c1"]);
  await world.patchPlacement({
    spec: { clusterSets: null, predicates: [byLabel({ no: "body" })] },
  });
  await world.settle();
  expect(await satisfied()).toBe("NoManagedClusterMatched");
  await world.patchPlacement({ spec: { predicates: null, numberOfClusters: 5 } });
  await world.settle();
  expect((await world.condition("PlacementSatisfied"))?.message).toBe(
    "3 cluster decisions unscheduled",
  );
  await world.client.delete(clusterSetResource, { name: "other" });
  await world.settle();
  expect(await world.listed()).toEqual(["c0"]);
  await world.patchCluster("c0", { metadata: { finalizers: ["test/keep"] } });
  await world.removeCluster("c0");
  await world.settle();
  expect(await world.listed()).toEqual([]);
});

test("PL16 sets that select by label: none, everything, some", async () => {
  const world = await placementScenario({ clusters: fleet, isUnbound: true, spec: {} });
  const select = (labelSelector: object | null) => ({
    clusterSelector: { selectorType: "LabelSelector", labelSelector },
  });
  await world.client.create(clusterSetResource, setOf("global", select({})));
  await world.client.create(clusterSetBindingResource, bindingOf("global"));
  await world.settle();
  expect(await world.listed()).toEqual(["c1", "c2", "c3"]);
  const change = (labelSelector: object | null) =>
    world.client.patch(
      clusterSetResource,
      { name: "global" },
      { type: "merge", body: { spec: select(labelSelector) } },
    );
  await change({ matchLabels: { env: "prod" } });
  await world.settle();
  expect(await world.listed()).toEqual(["c1"]);
  await change(null);
  await world.settle();
  expect(await world.listed()).toEqual([]);
  await expect(
    world.client.create(
      clusterSetResource,
      setOf("bad", { clusterSelector: { selectorType: "Any" } }),
    ),
  ).rejects.toThrow(/Unsupported value: "Any"/);
});

test("PL18 PL19 the number goes up and down, groups follow, status names them", async () => {
  const ring = (name: string) => labelled(name, { ring: "canary" });
  const groupStrategy = {
    clustersPerDecisionGroup: 2,
    decisionGroups: [
      {
        groupName: "canary",
        groupClusterSelector: { labelSelector: { matchLabels: { ring: "canary" } } },
      },
    ],
  };
  const world = await placementScenario({
    clusters: [ring("c1"), "c2", "c3", "c4", "c5"],
    spec: { decisionStrategy: { groupStrategy } },
  });
  await world.settle();
  expect(await world.drawn()).toEqual([
    "d1 c1..c1 (1) canary/0",
    "d2 c2..c3 (2) 1",
    "d3 c4..c5 (2) 2",
  ]);
  await world.patchPlacement({ spec: { numberOfClusters: 3 } });
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c1..c1 (1) canary/0", "d2 c2..c3 (2) 1"]);
  expect((await world.placement()).status?.decisionGroups).toEqual([
    {
      decisionGroupIndex: 0,
      decisionGroupName: "canary",
      decisions: ["web-decision-1"],
      clusterCount: 1,
    },
    {
      decisionGroupIndex: 1,
      decisionGroupName: "",
      decisions: ["web-decision-2"],
      clusterCount: 2,
    },
  ]);
  await world.patchPlacement({ spec: { numberOfClusters: 0 } });
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 - (0) 0"]);
  expect((await world.condition("PlacementSatisfied"))?.message).toBe(
    "spec.numberOfClusters is 0, so no ManagedCluster is selected",
  );
  expect((await world.placement()).status?.numberOfSelectedClusters).toBe(0);
});

test("PL23 a heartbeat of a cluster reconciles nobody, a change of a label only who selects by it", async () => {
  const world = await placementScenario({
    clusters: fleet,
    spec: { predicates: [byLabel({ env: "prod" })] },
  });
  await world.client.create(placementResource, placementObject("all", {}));
  await world.client.create(
    placementResource,
    placementObject("cel", { predicates: [byCel("true")] }),
  );
  await world.settle();
  const reconciled = async (what: () => Promise<unknown>): Promise<string[]> => {
    for (const key of Object.keys(world.reconciles)) delete world.reconciles[key];
    await what();
    await world.settle();
    return Object.keys(world.reconciles).toSorted();
  };
  const conditions = [
    {
      type: "ManagedClusterConditionAvailable",
      status: "True",
      reason: "Lease",
      message: "",
      lastTransitionTime: timeText(0),
    },
  ];
  expect(
    await reconciled(() => world.patchCluster("c1", { status: { conditions } }, "status")),
  ).toEqual([]);
  const more = { allocatable: { cpu: "5" }, capacity: { cpu: "5" } };
  expect(await reconciled(() => world.patchCluster("c1", { status: more }, "status"))).toEqual([]);
  expect(
    await reconciled(() => world.patchCluster("c2", { metadata: { labels: { env: "dev" } } })),
  ).toEqual([]);
  expect(
    await reconciled(() => world.patchCluster("c2", { metadata: { labels: { env: "prod" } } })),
  ).toEqual([`Placement ${namespace}/web`]);
});
