/** Deployments on a whole simulated cluster, in virtual time. */
import { expect, test } from "vitest";
import { simulation } from "../../../test/builders/simulation.ts";
import type { Deployment, DeploymentSpec, ReplicaSet } from "../../api/apps.ts";
import { deploymentResource, replicaSetResource } from "../../api/apps.ts";
import type { Pod } from "../../api/pod.ts";
import { isReady, podResource } from "../../api/pod.ts";
import { controllerOf } from "./claim.ts";
import { atLeastOne } from "../../../test/builders/must.ts";

const namespace = "default";
const labels = { app: "web" };
const minutes = (count: number): number => count * 60_000;

const templateOf = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: "app", image }] },
});

const deployment = (spec: Partial<DeploymentSpec> = {}): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace },
  spec: { replicas: 4, selector: { matchLabels: labels }, template: templateOf("app:v1"), ...spec },
});

async function stage(spec: Partial<DeploymentSpec> = {}) {
  const world = await simulation({ deployments: true });
  const { client, clock } = world;
  const key = { namespace, name: "web" };
  const list = async <T extends Pod | ReplicaSet>(resource = podResource): Promise<T[]> =>
    (await client.list<T>(resource, { namespace })).items;
  await client.create(deploymentResource, deployment(spec));
  return {
    ...world,
    get: () => client.get<Deployment>(deploymentResource, key),
    change: (body: object) =>
      client.patch<Deployment>(deploymentResource, key, {
        type: "strategic",
        body: { spec: body },
      }),
    setImage: (image: string) =>
      client.patch<Deployment>(deploymentResource, key, {
        type: "strategic",
        body: { spec: { template: templateOf(image) } },
      }),
    pods: () => list<Pod>(),
    sets: () => list<ReplicaSet>(replicaSetResource),
    /** `app:v1 x4 app:v2 x1`, ready pods in brackets. */
    images: async (): Promise<string> => {
      const pods = (await list<Pod>()).filter(({ metadata }) => !metadata.deletionTimestamp);
      const counts = new Map<string, [number, number]>();
      for (const pod of pods) {
        const image = pod.spec.containers[0]?.image ?? "";
        const [all, ready] = counts.get(image) ?? [0, 0];
        counts.set(image, [all + 1, ready + Number(isReady(pod))]);
      }
      return [...counts]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([image, [all, ready]]) => `${image} x${all} (${ready})`)
        .join(" ");
    },
    rest: () => clock.runFor(minutes(2)),
  };
}

const condition = ({ status }: Deployment, type: string): string => {
  const found = status?.conditions?.find((each) => each.type === type);
  return found === undefined ? "none" : `${found.status} ${found.reason}`;
};

test("a Deployment gets its pods by way of a ReplicaSet", async () => {
  const { rest, get, sets, pods, images, events, problems } = await stage();
  await rest();
  expect(await images()).toBe("app:v1 x4 (4)");
  const [set] = await sets();
  expect(set).toMatchObject({
    metadata: {
      annotations: {
        "deployment.kubernetes.io/revision": "1",
        "deployment.kubernetes.io/desired-replicas": "4",
        "deployment.kubernetes.io/max-replicas": "5",
      },
      ownerReferences: [{ kind: "Deployment", name: "web", controller: true }],
    },
    spec: { replicas: 4 },
    status: { replicas: 4, fullyLabeledReplicas: 4, readyReplicas: 4, availableReplicas: 4 },
  });
  const hash = set?.metadata.labels?.["pod-template-hash"] ?? "";
  expect(set?.metadata.name).toBe(`web-${hash}`);
  expect(set?.spec.selector.matchLabels).toEqual({ app: "web", "pod-template-hash": hash });
  for (const { metadata } of atLeastOne(await pods())) {
    expect(metadata.name).toMatch(new RegExp(`^web-${hash}-[a-z0-9]{5}$`));
    expect(metadata.labels).toEqual({ app: "web", "pod-template-hash": hash });
  }
  const found = await get();
  expect(found.metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("1");
  expect(found.status).toMatchObject({
    observedGeneration: 1,
    replicas: 4,
    updatedReplicas: 4,
    readyReplicas: 4,
    availableReplicas: 4,
  });
  expect(condition(found, "Available")).toBe("True MinimumReplicasAvailable");
  expect(condition(found, "Progressing")).toBe("True NewReplicaSetAvailable");
  expect(await events("web")).toEqual([
    `ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 4`,
  ]);
  expect(problems).toEqual([]);
});

const budgets = {
  "25% each": [{ maxSurge: "25%", maxUnavailable: "25%" }, 5, 3],
  "surge only": [{ maxSurge: 2, maxUnavailable: 0 }, 6, 4],
  "unavailable only": [{ maxSurge: 0, maxUnavailable: 1 }, 4, 3],
  "percentages that come to nothing": [{ maxSurge: "0%", maxUnavailable: "1%" }, 4, 3],
} as const;
test.each(Object.entries(budgets))(
  "a rolling update keeps its budget: %s",
  async (_name, [rollingUpdate, most, least]) => {
    const { rest, clock, setImage, pods, images, get } = await stage({
      strategy: { type: "RollingUpdate", rollingUpdate },
    });
    await rest();
    await setImage("app:v2");
    for (let at = 0; at < 120_000 && (await images()) !== "app:v2 x4 (4)"; at += 100) {
      await clock.runFor(100);
      const active = (await pods()).filter(({ metadata }) => !metadata.deletionTimestamp);
      expect(active.length).toBeLessThanOrEqual(most);
      expect(active.filter(isReady).length).toBeGreaterThanOrEqual(least);
    }
    await rest();
    expect(await images()).toBe("app:v2 x4 (4)");
    expect(condition(await get(), "Progressing")).toBe("True NewReplicaSetAvailable");
  },
);

test("Recreate starts no new pod before the last old one is gone", async () => {
  const { rest, clock, setImage, pods, images } = await stage({ strategy: { type: "Recreate" } });
  await rest();
  await setImage("app:v2");
  for (let at = 0; at < 120_000; at += 100) {
    await clock.runFor(100);
    const present = new Set((await pods()).map(({ spec }) => spec.containers[0]?.image));
    expect(present.size).toBeLessThan(2);
  }
  expect(await images()).toBe("app:v2 x4 (4)");
});

test("a paused Deployment scales but does not roll, and goes on when it is resumed", async () => {
  const { rest, change, setImage, images, get } = await stage();
  await rest();
  await change({ paused: true });
  await setImage("app:v2");
  await change({ replicas: 6 });
  await rest();
  expect(await images()).toBe("app:v1 x6 (6)");
  expect(condition(await get(), "Progressing")).toBe("Unknown DeploymentPaused");
  await change({ paused: false });
  await rest();
  expect(await images()).toBe("app:v2 x6 (6)");
});

test("a broken image stops at the budget and is reported; the old template brings its set back", async () => {
  const { rest, clock, setImage, images, get, sets } = await stage({ progressDeadlineSeconds: 60 });
  await rest();
  await setImage("app:broken");
  await clock.runFor(minutes(3));
  expect(await images()).toContain("app:v1 x3 (3)");
  expect(condition(await get(), "Progressing")).toBe("False ProgressDeadlineExceeded");
  expect(condition(await get(), "Available")).toBe("True MinimumReplicasAvailable");
  await setImage("app:v1");
  await rest();
  expect(await images()).toBe("app:v1 x4 (4)");
  const revisions = (await sets()).map(
    ({ metadata, spec }) =>
      `${metadata.annotations?.["deployment.kubernetes.io/revision"]} x${spec.replicas}`,
  );
  expect(revisions.toSorted()).toEqual(["2 x0", "3 x4"]);
});

test("scaling in mid-rollout is spread over both sets", async () => {
  const { rest, clock, change, setImage, sets } = await stage({
    replicas: 10,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
  });
  await rest();
  await setImage("app:broken");
  await clock.runFor(minutes(1));
  const sizes = async () =>
    (await sets()).map(({ spec }) => spec.replicas ?? 0).toSorted((a, b) => a - b);
  expect(await sizes()).toEqual([5, 8]);
  await change({ replicas: 15 });
  await clock.runFor(minutes(1));
  // The worked example of the Kubernetes documentation: 3 more for the larger set, 2 for the other.
  expect(await sizes()).toEqual([7, 11]);
});

test("old sets beyond the history limit are deleted", async () => {
  const { rest, setImage, sets } = await stage({ revisionHistoryLimit: 1 });
  for (const image of ["app:v2", "app:v3", "app:v4"]) {
    await rest();
    await setImage(image);
  }
  await rest();
  const images = (await sets()).map(({ spec }) => spec.template?.spec?.containers[0]?.image ?? "");
  expect(images.toSorted()).toEqual(["app:v3", "app:v4"]);
});

test("a new Deployment adopts the sets of one that was deleted with --cascade=orphan", async () => {
  const { rest, client, pods, sets, images, get, problems } = await stage();
  await rest();
  const before = (await pods()).map(({ metadata }) => metadata.uid ?? "").toSorted();
  const key = { namespace, name: "web" };
  await client.delete(deploymentResource, key, { propagationPolicy: "Orphan" });
  await rest();
  expect((await sets()).map(controllerOf)).toEqual([undefined]);
  await client.create(deploymentResource, deployment());
  await rest();
  expect(await images()).toBe("app:v1 x4 (4)");
  expect((await pods()).map(({ metadata }) => metadata.uid ?? "").toSorted()).toEqual(before);
  expect(controllerOf((await sets())[0]!)?.uid).toBe((await get()).metadata.uid);
  expect(problems).toEqual([]);
});

test("a pod that loses its label is released and replaced", async () => {
  const { rest, client, pods } = await stage({ replicas: 1 });
  await rest();
  const [first] = await pods();
  const name = first?.metadata.name ?? "";
  const body = { metadata: { labels: { app: "other" } } };
  await client.patch(podResource, { namespace, name }, { type: "merge", body });
  await rest();
  const found = await pods();
  expect(found.map((pod) => controllerOf(pod)?.kind ?? "none").toSorted()).toEqual([
    "ReplicaSet",
    "none",
  ]);
});

test("a set whose name is taken gets another one", async () => {
  const { rest, client, sets, get, setImage } = await stage();
  await rest();
  await setImage("app:v2");
  await rest();
  const taken = (await sets()).find(({ spec }) => spec.replicas === 4)?.metadata.name ?? "";
  await setImage("app:v1");
  await rest();
  await client.delete(replicaSetResource, { namespace, name: taken });
  await rest();
  await client.create(replicaSetResource, {
    ...({ apiVersion: "apps/v1", kind: "ReplicaSet" } as const),
    metadata: { namespace, name: taken },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "else" } },
      template: { metadata: { labels: { app: "else" } }, spec: templateOf("else:v1").spec },
    },
  });
  await setImage("app:v2");
  await rest();
  const current = (await sets()).find(({ spec }) => spec.replicas === 4)?.metadata.name ?? "";
  expect(current).not.toBe(taken);
  expect((await get()).status).toMatchObject({ collisionCount: 1, updatedReplicas: 4 });
});

test("what the server refuses is shown on both", async () => {
  const { rest, get, sets, events, client } = await stage({
    template: {
      metadata: { labels },
      spec: { containers: [{ name: "app", image: "app:v1" }], priorityClassName: "absent" },
    },
  });
  await rest();
  expect(condition(await get(), "ReplicaFailure")).toBe("True FailedCreate");
  const [set] = await sets();
  expect((await events(set?.metadata.name ?? ""))[0]).toMatch(
    /^FailedCreate: Error creating: .*absent/,
  );
  expect(await client.list(podResource, { namespace })).toMatchObject({ items: [] });
});

test("minReadySeconds delays availability", async () => {
  const { clock, get } = await stage({ replicas: 1, minReadySeconds: 30 });
  await clock.runFor(20_000);
  expect((await get()).status).toMatchObject({ readyReplicas: 1 });
  expect((await get()).status?.availableReplicas ?? 0).toBe(0);
  await clock.runFor(20_000);
  expect((await get()).status).toMatchObject({ availableReplicas: 1 });
});

test("at rest nothing is written", async () => {
  const { rest, clock, get } = await stage();
  await rest();
  const before = (await get()).metadata.resourceVersion;
  await clock.runFor(minutes(30));
  expect((await get()).metadata.resourceVersion).toBe(before);
});
