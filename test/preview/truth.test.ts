/** A plan cannot lie: it says what happens when the same change is made for real, for every kind and strategy. */
import { expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { groupScenarioKind, statefulSetScenarioKind } from "../../src/simulation/scenario-kinds.ts";
import type { PodCliqueSetScenarioOptions } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { inGroupsOf, placementScenario } from "../builders/placement-scenario.ts";
import type { GroupOptions } from "../builders/role-based-group-scenario.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import { scenario } from "../builders/scenario.ts";
import type { StatefulSetOptions } from "../builders/stateful-set-scenario.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";
import type { Plan } from "../../src/preview/plan.ts";
import { make, plannedAndDone, preview } from "./planned-and-done.ts";

type Table<T> = Readonly<Record<string, readonly [Plan["verdict"], T]>>;

const pairs = {
  replicas: 2,
  cliques: { front: { replicas: 2 }, lead: {}, work: {} },
  groups: { decode: { cliques: ["lead", "work"], replicas: 2 } },
} as const;
const surging = { maxUnavailable: 0, maxSurge: 1 };
const newImage = { resource: podCliqueSetResource, name: "chat", images: ["app=chat:v2"] };

const sets: Table<PodCliqueSetScenarioOptions> = {
  RollingRecreate: ["completes", pairs],
  "RollingUpdate with surge": [
    "completes",
    {
      ...pairs,
      cliques: { ...pairs.cliques, front: { replicas: 2, updateStrategy: surging } },
      groups: { decode: { ...pairs.groups.decode, updateStrategy: surging } },
    },
  ],
  ReplicaRecreate: ["completes", { ...pairs, strategy: { type: "ReplicaRecreate" } }],
  "ReplicaRecreate with surge": [
    "completes",
    { ...pairs, strategy: { type: "ReplicaRecreate", rollingUpdate: surging } },
  ],
  OnDelete: ["rests", { ...pairs, strategy: { type: "OnDelete" } }],
  "a canary": [
    "rests",
    {
      ...pairs,
      cliques: { ...pairs.cliques, front: { replicas: 3, updateStrategy: { partition: 2 } } },
    },
  ],
};

test.each(Object.entries(sets))("PS1 PodCliqueSet, %s", async (_name, [verdict, options]) => {
  const world = await podCliqueSetScenario(options);
  await world.settled();
  expect((await plannedAndDone(world, newImage)).verdict).toBe(verdict);
});

const statefulSets: Table<StatefulSetOptions> = {
  OrderedReady: ["completes", {}],
  "Parallel, two down": [
    "completes",
    { replicas: 5, spec: { podManagementPolicy: "Parallel", ...rolling(2) } },
  ],
  "a partition": ["rests", { replicas: 4, spec: rolling(1, 2) }],
  OnDelete: ["rests", { spec: { updateStrategy: { type: "OnDelete" } } }],
};

test.each(Object.entries(statefulSets))(
  "ST1 StatefulSet, %s",
  async (_name, [verdict, options]) => {
    const world = await statefulSetScenario(options);
    await world.settled();
    const change = { resource: statefulSetResource, name: "web", images: ["app=web:v2"] };
    expect((await plannedAndDone(world, change)).verdict).toBe(verdict);
  },
);

const pod = { apiVersion: "v1", kind: "Pod" } as const;
const deployment = { apiVersion: "apps/v1", kind: "Deployment" } as const;
const half = { prefill: "50%", decode: "50%" };
const all = { prefill: "100%", decode: "100%" };

const groups: Table<GroupOptions> = {
  "roles on their own": ["completes", {}],
  maxSkew: ["completes", { strategy: { maxUnavailable: "50%", maxSkew: "25%" } }],
  "steps with a pause": [
    "completes",
    { strategy: { steps: [{ roles: half, pause: { seconds: 20 } }, { roles: all }] } },
  ],
  "steps that wait for a promotion": [
    "rests",
    { strategy: { steps: [{ roles: half, pause: {} }, { roles: all }] } },
  ],
  "a partition": ["rests", { strategy: { partition: "50%" } }],
  "pods of its own, with surge": [
    "completes",
    {
      roles: {
        prefill: {
          workload: pod,
          rolloutStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        },
        decode: { workload: pod },
      },
    },
  ],
  "a Deployment": ["completes", { roles: { decode: { workload: deployment } } }],
  "batches of an affinity": [
    "completes",
    {
      spec: {
        coordination: [
          {
            name: "near",
            roles: ["prefill", "decode"],
            strategy: { affinityScheduling: { ratios: { prefill: 2, decode: 1 } } },
          },
        ],
      },
    },
  ],
};

async function group(options: GroupOptions) {
  const world = await scenario({
    kinds: [groupScenarioKind, statefulSetScenarioKind("full")],
    cluster: { deployments: true },
    objects: [groupOf(options)],
  });
  await world.clock.runFor(120_000);
  return world;
}

const groupChange = { resource: roleBasedGroupResource, name: "chat", images: ["app=web:v2"] };

test.each(Object.entries(groups))("CO1 RoleBasedGroup, %s", async (_name, [verdict, options]) => {
  const world = await group(options);
  // Of pods that all started together nobody can tell how long they pulled their image.
  if ("spec" in options) await make(world, { ...groupChange, images: ["app=web:v1.1"] });
  expect((await plannedAndDone(world, groupChange)).verdict).toBe(verdict);
});

test.each(["RollingUpdate", "All"] as const)("PL1 Placement, %s", async (type) => {
  const world = await placementScenario({ clusters: 10, spec: inGroupsOf(4, type) });
  await world.settle();
  const field = "spec.decisionStrategy.groupStrategy.clustersPerDecisionGroup=3";
  const change = { resource: placementResource, name: "web", fields: [field] };
  const plan = await plannedAndDone(world, change);
  expect(plan.verdict).toBe("completes");
  const codes = plan.warnings.map(({ code }) => code);
  expect(codes).toEqual(type === "All" ? ["ClustersVanish"] : []);
  const [fleet] = plan.components;
  expect(fleet).toMatchObject({ desired: 10, keptClusters: 10 });
});

test("PS10 a surge that does not fit is predicted, with the nodes of the cluster", async () => {
  const world = await podCliqueSetScenario({
    cliques: { front: { replicas: 2, updateStrategy: surging } },
    nodes: 1,
    shape: { pods: 2 },
  });
  await world.settled();
  const { plan } = await preview(world, newImage);
  expect(plan.verdict).toBe("stalls");
  expect(plan.warnings).toContainEqual({
    code: "SurgeDoesNotFit",
    message: expect.stringMatching(/not scheduled: .*Too many pods/) as string,
  });
  await make(world, newImage);
  await world.clock.runFor(2_000_000);
  expect(await world.condition("Stalled")).toMatchObject({ status: "True" });
});

test("CO6 a role whose image fails is predicted to stall, and does", async () => {
  const world = await group({ strategy: { maxSkew: "25%" } });
  const change = { ...groupChange, images: ["decode/app=web:broken"] };
  const { plan, code } = await preview(world, change);
  expect({ code, verdict: plan.verdict }).toEqual({ code: 2, verdict: "stalls" });
  expect(plan.warnings[0]?.code).toBe("ImageFails");
});

test("PS1 nothing would change, and that is said", async () => {
  const world = await podCliqueSetScenario({ cliques: { front: {} } });
  await world.settled();
  const { plan, code } = await preview(world, { ...newImage, images: [] });
  expect(plan).toMatchObject({ verdict: "nothing", steps: [] });
  expect(plan.warnings.map((warning) => warning.code)).toEqual(["NothingChanges"]);
  expect(code).toBe(0);
});
