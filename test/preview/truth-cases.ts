/** Every kind and strategy, and what is predicted for it: played on the embedded server and on a real one. */
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import type { Resource } from "../../src/api/resource.ts";
import type { PlanWarning, Verdict } from "../../src/preview/plan.ts";
import { inGroupsOf, placementObject } from "../builders/placement-scenario.ts";
import type { PodCliqueSetOptions } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import type { RoleBasedGroupOptions } from "../builders/role-based-group-scenario.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import type { StatefulSetOptions } from "../builders/stateful-set-scenario.ts";
import { rolling, statefulSetOf } from "../builders/stateful-set-scenario.ts";

export interface TruthCase {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly verdict: Verdict;
  /** The tag of the new images, of one clique or role where one is named: `v2`, `decode:broken`. */
  readonly tag: string;
  readonly fields?: readonly string[];
  /** What the plan warns of first; after a rollback nothing is stalled any more. */
  readonly code?: PlanWarning["code"];
  /** Its pods want nodes with this label `pool`: there is one, with two GPUs. */
  readonly pool?: string;
}

type More = Partial<Pick<TruthCase, "tag" | "fields" | "code" | "pool">>;

const pairs = {
  replicas: 2,
  cliques: { front: { replicas: 2 }, lead: {}, work: {} },
  groups: { decode: { cliques: ["lead", "work"], replicas: 2 } },
} as const;

const set = (
  name: string,
  verdict: Verdict,
  options: Partial<PodCliqueSetOptions> = {},
  more: More = {},
): TruthCase => ({
  resource: podCliqueSetResource,
  object: podCliqueSetOf({ ...pairs, ...options, name }),
  verdict,
  tag: "v2",
  ...more,
});

const statefulSet = (
  name: string,
  verdict: Verdict,
  options: StatefulSetOptions = {},
  more: More = {},
): TruthCase => ({
  resource: statefulSetResource,
  object: statefulSetOf({ ...options, name }),
  verdict,
  tag: "v2",
  ...more,
});

const group = (
  name: string,
  verdict: Verdict,
  options: RoleBasedGroupOptions = {},
  more: More = {},
): TruthCase => ({
  resource: roleBasedGroupResource,
  object: groupOf({ ...options, name }),
  verdict,
  tag: "v2",
  ...more,
});

const surging = { maxUnavailable: 0, maxSurge: 1 };
const front = (updateStrategy: object, replicas = 2) => ({
  ...pairs.cliques,
  front: { replicas, updateStrategy: { ...updateStrategy } },
});
/** Two pods that fill their pool. */
const filling = (pool: string) => ({
  replicas: 2,
  podSpec: {
    nodeSelector: { pool },
    containers: [
      { name: "app", image: "front:v1", resources: { limits: { "nvidia.com/gpu": "1" } } },
    ],
  },
});
const soon = { progressDeadlineSeconds: 15 };

export const podCliqueSets: Readonly<Record<string, TruthCase>> = {
  RollingRecreate: set("recreate", "completes", { strategy: { type: "RollingRecreate" } }),
  "RollingUpdate, two of a group at once": set("rolling", "completes", {
    replicas: 1,
    strategy: { type: "RollingUpdate" },
    groups: { decode: { ...pairs.groups.decode, updateStrategy: { maxUnavailable: 2 } } },
  }),
  "RollingUpdate with surge": set("surge", "completes", {
    replicas: 1,
    cliques: front(surging),
    groups: { decode: { ...pairs.groups.decode, updateStrategy: surging } },
  }),
  ReplicaRecreate: set("whole", "completes", { strategy: { type: "ReplicaRecreate" } }),
  "ReplicaRecreate with surge": set("wholesurge", "completes", {
    strategy: { type: "ReplicaRecreate", rollingUpdate: surging },
  }),
  OnDelete: set("ondelete", "rests", { replicas: 1, strategy: { type: "OnDelete" } }),
  "a canary in a clique": set("canary", "rests", {
    replicas: 1,
    cliques: front({ partition: 2 }, 3),
  }),
  "a canary of one replica": set("first", "rests", {
    strategy: { type: "ReplicaRecreate", partition: 1 },
  }),
  "a surge that does not fit": set(
    "tight",
    "stalls",
    {
      replicas: 1,
      strategy: { type: "RollingUpdate", ...soon },
      cliques: { front: { ...filling("tight"), updateStrategy: surging } },
      groups: {},
    },
    { code: "SurgeDoesNotFit", pool: "tight" },
  ),
  "a surge that is given up, and no budget without it": set(
    "nobudget",
    "stalls",
    {
      replicas: 1,
      strategy: { type: "RollingUpdate", ...soon, onStuck: "ReleaseSurge" },
      cliques: { front: { ...filling("nobudget"), updateStrategy: surging } },
      groups: {},
    },
    { code: "NoBudget", pool: "nobudget" },
  ),
  "a rollout that is paused": set("paused", "rests", {
    strategy: { type: "RollingUpdate", paused: true },
  }),
  "one more replica": set("grown", "completes", {}, { tag: "", fields: ["spec.replicas=3"] }),
  "one replica fewer": set("shrunk", "completes", {}, { tag: "", fields: ["spec.replicas=1"] }),
  "a rollout that is rolled back": set(
    "back",
    "stalls",
    { replicas: 1, strategy: { type: "RollingUpdate", ...soon, onStuck: "Rollback" } },
    { tag: "front:broken", code: "RolledBack" },
  ),
  "an image that fails": set(
    "failing",
    "stalls",
    { replicas: 1, strategy: { type: "RollingUpdate", ...soon } },
    { tag: "front:broken", code: "ImageFails" },
  ),
};

const atOnce = { podManagementPolicy: "Parallel" } as const;

export const statefulSets: Readonly<Record<string, TruthCase>> = {
  OrderedReady: statefulSet("ordered", "completes"),
  "OrderedReady, two down": statefulSet("rounds", "completes", { replicas: 5, spec: rolling(2) }),
  "OrderedReady, Strict": statefulSet("strict", "completes", {
    replicas: 4,
    annotations: { "lockstep.dev/ordered-ready": "Strict" },
    spec: rolling(2),
  }),
  "OrderedReady, two more pods": statefulSet(
    "scaled",
    "completes",
    {},
    { fields: ["spec.replicas=5"] },
  ),
  "Parallel, two down": statefulSet("parallel", "completes", {
    replicas: 5,
    spec: { ...atOnce, ...rolling(2) },
  }),
  "a partition": statefulSet("parted", "rests", { replicas: 4, spec: rolling(1, 2) }),
  OnDelete: statefulSet("bydelete", "rests", { spec: { updateStrategy: { type: "OnDelete" } } }),
  "an image that fails": statefulSet(
    "pulling",
    "stalls",
    { spec: { ...atOnce, ...rolling(1) } },
    { tag: "broken", code: "ImageFails" },
  ),
};

const pod = { apiVersion: "v1", kind: "Pod" } as const;
const deployment = { apiVersion: "apps/v1", kind: "Deployment" } as const;
const half = { prefill: "50%", decode: "50%" };
const all = { prefill: "100%", decode: "100%" };

const inBatches = (name: string, batchMode: "Sequential" | "Parallel"): TruthCase =>
  group(name, "completes", {
    spec: {
      coordination: [
        {
          name: "near",
          roles: ["prefill", "decode"],
          strategy: { affinityScheduling: { ratios: { prefill: 2, decode: 1 }, batchMode } },
        },
      ],
    },
  });

export const groups: Readonly<Record<string, TruthCase>> = {
  "roles on their own": group("alone", "completes"),
  maxSkew: group("skew", "completes", { strategy: { maxUnavailable: "50%", maxSkew: "25%" } }),
  "steps with a pause": group("paces", "completes", {
    strategy: { steps: [{ roles: half, pause: { seconds: 20 } }, { roles: all }] },
  }),
  "steps that wait for a promotion": group("steps", "rests", {
    strategy: { steps: [{ roles: half, pause: {} }, { roles: all }] },
  }),
  "a partition": group("half", "rests", { strategy: { partition: "50%" } }),
  "a canary in one role": group("one", "rests", {
    roles: { prefill: { rolloutStrategy: { rollingUpdate: { partition: 3 } } } },
  }),
  "pods of its own, with surge": group("pods", "completes", {
    roles: {
      prefill: { workload: pod, rolloutStrategy: { rollingUpdate: surging } },
      decode: { workload: pod },
    },
  }),
  "a Deployment": group("deployed", "completes", { roles: { decode: { workload: deployment } } }),
  "batches of an affinity": inBatches("near", "Sequential"),
  "batches of an affinity, all at once": inBatches("batched", "Parallel"),
  "a role whose image fails": group(
    "torn",
    "stalls",
    { strategy: { maxSkew: "25%", ...soon } },
    { tag: "decode:broken", code: "ImageFails" },
  ),
};

const inThrees = ["spec.decisionStrategy.groupStrategy.clustersPerDecisionGroup=3"];

const placement = (
  name: string,
  type: "All" | "RollingUpdate",
  fields: readonly string[] = inThrees,
): TruthCase => ({
  resource: placementResource,
  object: placementObject(name, inGroupsOf(4, type)),
  verdict: "completes",
  tag: "",
  fields,
});

export const placements: Readonly<Record<string, TruthCase>> = {
  RollingUpdate: placement("web", "RollingUpdate"),
  "RollingUpdate, fewer clusters": placement("fewer", "RollingUpdate", ["spec.numberOfClusters=5"]),
  All: { ...placement("all", "All"), code: "ClustersVanish" },
};
