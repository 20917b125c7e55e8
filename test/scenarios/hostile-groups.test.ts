/** Groups, sets of groups, placements and Deployments of an absurd size: refused, and no other suffers. */
import { expect, test } from "vitest";
import type { Deployment, ReplicaSet } from "../../src/api/apps.ts";
import { deploymentResource, replicaSetResource } from "../../src/api/apps.ts";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import type { PlacementSpec } from "../../src/api/ocm/placement.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import { podResource } from "../../src/api/pod.ts";
import type { RoleBasedGroup, RoleBasedGroupSpec } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import type { RoleBasedGroupSet } from "../../src/api/rbg/rolebasedgroupset.ts";
import { roleBasedGroupSetResource } from "../../src/api/rbg/rolebasedgroupset.ts";
import { roleBasedGroupSetKind } from "../../src/controllers/rolebasedgroup/rolebasedgroupset/index.ts";
import type { ScenarioKind } from "../../src/simulation/scenario-kind.ts";
import { groupScenarioKind, statefulSetScenarioKind } from "../../src/simulation/scenario-kinds.ts";
import { leaderWorkerSetDefinition } from "../builders/leader-worker-definition.ts";
import { placementObject, placementScenario } from "../builders/placement-scenario.ts";
import type { RoleBasedGroupOptions } from "../builders/role-based-group-scenario.ts";
import { groupOf, groupScenario } from "../builders/role-based-group-scenario.ts";
import { namespace, scenario } from "../builders/scenario.ts";
import { simulation } from "../builders/simulation.ts";

const huge = 2_147_483_647;

const near: RoleBasedGroupSpec["coordination"] = [
  {
    name: "near",
    type: "AffinityScheduling",
    roles: ["prefill", "decode"],
    strategy: { affinityScheduling: { ratios: { prefill: 1, decode: 1 } } },
  },
];
const withWorkload = (
  kind: string,
  apiVersion: string,
  more = {},
): RoleBasedGroupOptions["roles"] => ({
  prefill: { workload: { apiVersion, kind }, ...more },
});

/** By name: what it asks for, and how many pods that are. */
const refused: Record<string, [RoleBasedGroupOptions, number]> = {
  sets: [{ sizes: { prefill: huge } }, huge],
  pods: [{ sizes: { prefill: huge }, roles: withWorkload("Pod", "v1") }, huge],
  deployments: [{ sizes: { prefill: huge }, roles: withWorkload("Deployment", "apps/v1") }, huge],
  batches: [{ sizes: { prefill: huge, decode: huge }, spec: { coordination: near } }, 2 * huge],
  workers: [
    {
      sizes: { prefill: 10 },
      roles: withWorkload("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", {
        leaderWorkerSet: { size: huge },
      }),
    },
    10 * huge,
  ],
};

test("OP8 RoleBasedGroups of an absurd size are refused whatever runs their pods, and no other suffers", async () => {
  const world = await groupScenario({ sizes: { prefill: 2 } });
  await world.client.create(customResourceDefinitionResource, leaderWorkerSetDefinition);
  await world.settled();
  for (const [name, [options]] of Object.entries(refused)) {
    await world.client.create(roleBasedGroupResource, groupOf({ ...options, name }));
  }
  await world.clock.runFor(30_000);
  for (const [name, [, pods]] of Object.entries(refused)) {
    const key = { namespace, name };
    const { status } = await world.client.get<RoleBasedGroup>(roleBasedGroupResource, key);
    expect(status?.conditions?.find(({ type }) => type === "Stalled")).toMatchObject({
      status: "True",
      reason: "TooLarge",
      message: expect.stringContaining(
        `spec.roles[].replicas asks for ${pods} pods, at most 20000`,
      ),
    });
  }
  await world.setImage("web:v2");
  await world.settled();
  expect(await world.pods()).toHaveLength(2);
});

const setKind: ScenarioKind = {
  resources: [roleBasedGroupSetResource],
  definitions: [roleBasedGroupSetKind],
  drawing: groupScenarioKind.drawing,
};

test("OP8 a RoleBasedGroupSet of an absurd size keeps its groups, and goes on when that is corrected", async () => {
  const set: RoleBasedGroupSet = {
    apiVersion: "workloads.x-k8s.io/v1alpha1",
    kind: "RoleBasedGroupSet",
    metadata: { name: "fleet", namespace },
    spec: { replicas: 1, template: groupOf({ sizes: { prefill: 1 } }).spec },
  };
  const world = await scenario({
    kinds: [groupScenarioKind, statefulSetScenarioKind("full"), setKind],
    objects: [set],
  });
  const key = { namespace, name: "fleet" };
  const scale = async (replicas: number): Promise<void> => {
    const patch = { type: "merge", body: { spec: { replicas } } } as const;
    await world.client.patch(roleBasedGroupSetResource, key, patch);
    await world.clock.runFor(60_000);
  };
  const stalled = async () =>
    (
      await world.client.get<RoleBasedGroupSet>(roleBasedGroupSetResource, key)
    ).status?.conditions?.find(({ type }) => type === "Stalled");
  const groups = async (): Promise<number> =>
    (await world.client.list(roleBasedGroupResource, { namespace })).items.length;
  await world.clock.runFor(60_000);
  for (const replicas of [huge, 10_001]) {
    await scale(replicas);
    expect(await stalled()).toMatchObject({ status: "True", reason: "TooLarge" });
    expect((await stalled())?.message).toContain(
      `spec.replicas asks for ${2 * replicas} groups and pods`,
    );
    expect(await groups()).toBe(1);
  }
  await scale(2);
  expect((await stalled())?.status).toBe("False");
  expect(await groups()).toBe(2);
});

test("OP8 a Deployment of an absurd size costs the simulated cluster nothing", async () => {
  const { client, clock } = await simulation({ deployments: true });
  const labels = { app: "web" };
  const deployment: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace },
    spec: {
      replicas: huge,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "app", image: "app:v1" }] } },
    },
  };
  await client.create(deploymentResource, deployment);
  await clock.runFor(60_000);
  const [set] = (await client.list<ReplicaSet>(replicaSetResource, { namespace })).items;
  expect(set?.status?.conditions).toMatchObject([
    {
      type: "ReplicaFailure",
      status: "True",
      message: expect.stringMatching(/asks for 2147483647 pods, at most 20000/),
    },
  ]);
  const scaled = { type: "merge", body: { spec: { replicas: 2 } } } as const;
  await client.patch(deploymentResource, { namespace, name: "web" }, scaled);
  await clock.runFor(60_000);
  expect((await client.list(podResource, { namespace })).items).toHaveLength(2);
});

test("OP8 huge numbers in a Placement cost what there are clusters", async () => {
  const world = await placementScenario({
    clusters: 3,
    spec: {
      numberOfClusters: huge,
      decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: huge } },
    },
  });
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c00001..c00003 (3) 0"]);
});

const all = (items: number): string =>
  `${JSON.stringify(Array.from({ length: items }, () => 1))}.all`;
/** A hundred thousand steps for one cluster: each is affordable, all of them are not. */
const costly = `${all(100)}(a, ${all(100)}(b, a + b > 0))`;
const requirement = { key: "a", operator: "DoesNotExist" };
const selecting = (requiredClusterSelector: object): PlacementSpec["predicates"] => [
  { requiredClusterSelector },
];

test.each<[string, PlacementSpec]>([
  ["an expression", { predicates: selecting({ celSelector: { celExpressions: [costly] } }) }],
  [
    "requirements",
    {
      predicates: selecting({
        labelSelector: { matchExpressions: Array.from({ length: 40_000 }, () => requirement) },
      }),
    },
  ],
  [
    "tolerations",
    { tolerations: Array.from({ length: 40_000 }, () => ({ operator: "Exists" as const })) },
  ],
])(
  "OP8 a Placement whose %s would take too long keeps its decisions and says so",
  async (_what, hostile) => {
    const world = await placementScenario({ clusters: 1500 });
    await world.settle();
    const before = await world.drawn();
    const { spec } = await world.placement();
    await world.client.create(placementResource, placementObject("calm", spec));
    await world.patchPlacement({ spec: hostile });
    await world.addCluster("c99999");
    await world.settle();
    expect(await world.drawn()).toEqual(before);
    expect(await world.condition("Stalled")).toMatchObject({
      status: "True",
      reason: "Misconfigured",
      message: expect.stringContaining("checking the clusters takes too long"),
    });
    expect((await world.listed("calm")).at(-1)).toBe("c99999");
    await world.patchPlacement({ spec: { predicates: null, tolerations: null } });
    await world.settle();
    expect((await world.listed()).at(-1)).toBe("c99999");
  },
);
