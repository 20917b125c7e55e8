/** Roles under LeaderWorkerSet on a real API server, with the controller and the webhooks of LeaderWorkerSet itself. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LeaderWorkerSet } from "../../src/api/leader-worker-set.ts";
import { leaderWorkerSetLabels, leaderWorkerSetResource } from "../../src/api/leader-worker-set.ts";
import type { Pod } from "../../src/api/pod.ts";
import { podResource } from "../../src/api/pod.ts";
import { labelKeys } from "../../src/api/rbg/labels.ts";
import type { RoleBasedGroup, RoleBasedGroupSpec } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { chooseKinds } from "../../src/cli/controllers.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { ControlledKind } from "../../src/controllers/engine/controlled-kind.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import type { Child } from "../control-plane/child.ts";
import { startLeaderWorkerSetManager } from "../control-plane/leader-worker-set-manager.ts";
import { startStatefulSetManager } from "../control-plane/stateful-set-manager.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

let cluster: RealCluster;
const children: Child[] = [];
let controllers: readonly ControlledKind[] = [];
const problems: unknown[] = [];

beforeAll(async () => {
  cluster = await startRealCluster();
  await installDefinitions(cluster.client);
  // LeaderWorkerSet makes StatefulSets, and leaves those to Kubernetes.
  children.push(await startStatefulSetManager(cluster.plane, { qps: 500 }));
  children.push(await startLeaderWorkerSetManager(cluster.plane, cluster.client));
  // A new resource is listed and watched a moment after it is served.
  await until("both kinds can be listed", () =>
    Promise.all(
      [roleBasedGroupResource, leaderWorkerSetResource].map((resource) =>
        cluster.client.list(resource, { namespace }),
      ),
    ).then(
      () => true,
      () => false,
    ),
  );
  controllers = await startKinds(chooseKinds("rolebasedgroup"), {
    client: await cluster.operatorClient(),
    clock: systemClock(),
    onProblem: (problem: unknown) => problems.push(problem),
  });
  // Only this file needs the controller, and builds it when it runs for the first time.
}, 900_000);

afterAll(async () => {
  for (const controller of controllers) await controller.stop();
  for (const child of children.toReversed()) await child.stop();
  await cluster.stop();
});

const name = "chat";
const key = { namespace, name };
const workload = { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet" };
const templateOf = (image: string) => ({
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "app", image }] },
});

const group = () => cluster.client.get<RoleBasedGroup>(roleBasedGroupResource, key);

const leaders = () =>
  cluster.client.get<LeaderWorkerSet>(leaderWorkerSetResource, { namespace, name: "chat-decode" });

const podsOf = async (role: string): Promise<Pod[]> => {
  const labelSelector = `${labelKeys.groupName}=${name},${labelKeys.roleName}=${role}`;
  const { items } = await cluster.client.list<Pod>(podResource, { namespace, labelSelector });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
};

async function change(next: (spec: RoleBasedGroupSpec) => RoleBasedGroupSpec): Promise<void> {
  const { spec } = await group();
  const patch = { type: "merge", body: { spec: next(spec) } } as const;
  await cluster.client.patch(roleBasedGroupResource, key, patch);
}

const setImage = (image: string, partition?: string) =>
  change((spec) => ({
    ...spec,
    roles: spec.roles.map((role) => ({ ...role, template: templateOf(image) })),
    coordination: spec.coordination?.map((each) => ({ ...each, strategy: strategyOf(partition) })),
  }));

const strategyOf = (partition = "0%") => ({
  rollingUpdate: { maxSkew: "25%", maxUnavailable: "25%", partition },
});

const rests = (reason: string) =>
  until(
    `the rollout rests: ${reason}`,
    async () => {
      const { metadata, status } = await group();
      const found = status?.conditions?.find(({ type }) => type === "Progressing");
      return status?.observedGeneration === metadata.generation && found?.reason === reason;
    },
    60_000,
  );

/** `v2 v2 v1 v1`: what the pods of each leader's group run, by their number; `v1+v2` where they differ. */
async function imagesOf(role: string, label: string): Promise<string> {
  const byIndex = new Map<number, Set<string>>();
  for (const { metadata, spec } of await podsOf(role)) {
    const index = Number(metadata.labels?.[label]);
    const image = spec.containers[0]?.image?.split(":")[1] ?? "";
    byIndex.set(index, (byIndex.get(index) ?? new Set()).add(image));
  }
  const sorted = [...byIndex].toSorted(([a], [b]) => a - b);
  return sorted.map(([, images]) => [...images].toSorted().join("+")).join(" ");
}

const decodeImages = () => imagesOf("decode", leaderWorkerSetLabels.groupIndex);
const prefillImages = () => imagesOf("prefill", "apps.kubernetes.io/pod-index");

/** Every partition that the LeaderWorkerSet had, and the widest gap between the roles, until it ends. */
function follow() {
  const stopping = new AbortController();
  const partitions: number[] = [];
  void cluster.client.watch<LeaderWorkerSet>(
    leaderWorkerSetResource,
    { namespace, signal: stopping.signal },
    ({ type, object }) => {
      if (type !== "MODIFIED") return;
      const { partition = 0 } = object.spec.rolloutStrategy?.rollingUpdateConfiguration ?? {};
      if (partitions.at(-1) !== partition) partitions.push(partition);
    },
  );
  return { partitions, end: () => stopping.abort() };
}

test("RW5 the LeaderWorkerSet of a role runs as many leaders with workers as it asks for, patched", async () => {
  await cluster.client.create(
    roleBasedGroupResource,
    groupOf({
      name,
      sizes: { prefill: 4, decode: 4 },
      roles: {
        prefill: { template: templateOf("web:v1") },
        decode: {
          workload,
          template: templateOf("web:v1"),
          leaderWorkerSet: {
            size: 2,
            patchLeaderTemplate: { metadata: { labels: { part: "leader" } } },
            patchWorkerTemplate: { spec: { containers: [{ name: "app", args: ["--worker"] }] } },
          },
        },
      },
      strategy: strategyOf(),
    }),
  );
  await rests("RolledOut");
  const pods = await podsOf("decode");
  const parts = pods.map(({ metadata, spec }) => ({
    worker: metadata.labels?.[leaderWorkerSetLabels.workerIndex],
    part: metadata.labels?.["part"],
    args: spec.containers[0]?.args,
  }));
  expect(parts.filter(({ worker }) => worker === "0")).toEqual(
    Array.from({ length: 4 }, () => ({ worker: "0", part: "leader", args: undefined })),
  );
  expect(parts.filter(({ worker }) => worker === "1")).toEqual(
    Array.from({ length: 4 }, () => ({ worker: "1", part: undefined, args: ["--worker"] })),
  );
  expect((await group()).status?.roleStatuses).toMatchObject([
    { name: "prefill", replicas: 4, readyReplicas: 4 },
    { name: "decode", replicas: 4, readyReplicas: 4 },
  ]);
  expect(problems).toEqual([]);
});

test("RW5 CO5 CO10 an image change rolls leaders with workers behind a closed partition", async () => {
  const { partitions, end } = follow();
  await setImage("web:v2");
  await rests("RolledOut");
  expect([await prefillImages(), await decodeImages()]).toEqual(["v2 v2 v2 v2", "v2 v2 v2 v2"]);
  end();
  expect(partitions).toEqual([4, 3, 2, 1, 0]);
  expect(problems).toEqual([]);
});

test("RW5 CO2 at a partition of half, the two highest leaders are new; lowering it goes on", async () => {
  await setImage("web:v3", "50%");
  await rests("AtPartition");
  expect([await prefillImages(), await decodeImages()]).toEqual(["v2 v2 v3 v3", "v2 v2 v3 v3"]);
  await setImage("web:v3");
  await rests("RolledOut");
  expect([await prefillImages(), await decodeImages()]).toEqual(["v3 v3 v3 v3", "v3 v3 v3 v3"]);
  expect(problems).toEqual([]);
});

test("RW5 a size is followed, and the workload goes with its role", async () => {
  await change((spec) => ({
    ...spec,
    roles: spec.roles.map((role) => (role.name === "decode" ? { ...role, replicas: 2 } : role)),
  }));
  await until("two leaders with a worker each", async () => (await podsOf("decode")).length === 4);
  await change(({ coordination: _gone, ...spec }) => ({
    ...spec,
    coordination: [],
    roles: spec.roles.filter((role) => role.name !== "decode"),
  }));
  await until("its pods are gone", async () => (await podsOf("decode")).length === 0);
  await expect(leaders()).rejects.toThrow(/not found/);
  expect(problems).toEqual([]);
});
