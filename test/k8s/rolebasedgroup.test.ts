/** RoleBasedGroups on a real API server, their pods made by Kubernetes' own StatefulSet controller and by ours. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Pod } from "../../src/api/pod.ts";
import { podResource } from "../../src/api/pod.ts";
import { labelKeys } from "../../src/api/rbg/labels.ts";
import type { RoleBasedGroup } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { scalingAdapterResource } from "../../src/api/rbg/scaling-adapter.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { SharedCaches } from "../../src/controllers/engine/shared-caches.ts";
import { groupCacheDefinitions } from "../../src/controllers/rolebasedgroup/caches.ts";
import { roleBasedGroupController } from "../../src/controllers/rolebasedgroup/index.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { RoleBasedGroupPromises } from "../../src/simulation/promises/role-based-group-promises.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import { startStatefulSetManager } from "../control-plane/stateful-set-manager.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

let cluster: RealCluster;
const stops: (() => Promise<void>)[] = [];
const problems: unknown[] = [];

beforeAll(async () => {
  cluster = await startRealCluster();
  await installDefinitions(cluster.client);
  // A new resource is listed and watched a moment after it is served.
  await until("groups and adapters can be listed", () =>
    Promise.all(
      [roleBasedGroupResource, scalingAdapterResource].map((resource) =>
        cluster.client.list(resource, { namespace }),
      ),
    ).then(
      () => true,
      () => false,
    ),
  );
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

afterAll(() => cluster.stop());

/** With exactly the rights of deploy/operator.yaml. */
async function startGroups(): Promise<void> {
  const options = {
    client: await cluster.operatorClient(),
    clock: systemClock(),
    onProblem: (problem: unknown) => problems.push(problem),
  };
  const caches = new SharedCaches(options).all(groupCacheDefinitions);
  const controller = roleBasedGroupController({ ...options, caches });
  await controller.start();
  stops.push(() => controller.stop());
}

const makers: Record<string, () => Promise<void>> = {
  "Kubernetes' own controller": async () => {
    const manager = await startStatefulSetManager(cluster.plane, { qps: 500 });
    stops.push(() => manager.stop());
  },
  "Lockstep's controller": async () => {
    stops.push(await cluster.startLockstep("full"));
  },
};

/** Watches that end with the test. */
function watching() {
  const ended = new AbortController();
  stops.push(() => Promise.resolve(ended.abort()));
  return { signal: ended.signal, end: () => ended.abort() };
}

const group = (name: string) =>
  cluster.client.get<RoleBasedGroup>(roleBasedGroupResource, { namespace, name });

const podsOf = async (name: string): Promise<Pod[]> =>
  (
    await cluster.client.list<Pod>(podResource, {
      namespace,
      labelSelector: `${labelKeys.groupName}=${name}`,
    })
  ).items;

const rolledOut = (name: string, image: string) =>
  until(
    `${name} runs ${image}`,
    async () => {
      const { metadata, status } = await group(name);
      const isDone = status?.conditions?.some(
        ({ type, reason }) => type === "Progressing" && reason === "RolledOut",
      );
      if (status?.observedGeneration !== metadata.generation || isDone !== true) return false;
      const pods = await podsOf(name);
      return pods.every(({ spec }) => spec.containers[0]?.image === image);
    },
    60_000,
  );

/** All roles, or one. */
async function setImage(name: string, image: string, only?: string): Promise<void> {
  const { spec } = await group(name);
  const roles = spec.roles.map((role) =>
    only === undefined || only === role.name
      ? { ...role, template: { spec: { containers: [{ name: "app", image }] } } }
      : role,
  );
  const patch = { type: "merge", body: { spec: { roles } } } as const;
  await cluster.client.patch(roleBasedGroupResource, { namespace, name }, patch);
}

test.each(Object.entries(makers))("CO1 CO5 CO8 CO10 RG4 RG6 under %s", async (maker, start) => {
  const name = maker.startsWith("Kubernetes") ? "theirs" : "ours";
  const violations: string[] = [];
  const { client } = cluster;
  const { signal, end } = watching();
  const watched = {
    client,
    signal,
    clock: systemClock(),
    report: (text: string) => violations.push(text),
  };
  const promises = new RoleBasedGroupPromises(watched);
  await start();
  await startGroups();
  const strategy = { maxUnavailableRatio: "34%", maxSkew: "20%" };
  const object = groupOf({ name, sizes: { prefill: 6, decode: 3 }, strategy });
  await client.create(roleBasedGroupResource, object);
  await rolledOut(name, "web:v1");
  expect(await podsOf(name)).toHaveLength(9);
  const first = await until("all are labelled", async () => {
    const values = (await podsOf(name)).map(
      ({ metadata }) => metadata.labels?.[labelKeys.revision],
    );
    return new Set(values).size === 1 && values[0];
  });

  await setImage(name, "web:v2");
  await rolledOut(name, "web:v2");

  // One role changes, the other is not restarted.
  const decode = (await podsOf(name)).filter(({ metadata }) => metadata.name?.includes("decode"));
  await setImage(name, "web:v3", "prefill");
  await until("prefill is new", async () => {
    const pods = await podsOf(name);
    const prefill = pods.filter(({ metadata }) => metadata.name?.includes("prefill"));
    return (
      prefill.length === 6 && prefill.every(({ spec }) => spec.containers[0]?.image === "web:v3")
    );
  });
  const after = (await podsOf(name)).filter(({ metadata }) => metadata.name?.includes("decode"));
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(
    decode.map(({ metadata }) => metadata.uid),
  );

  await setImage(name, "web:v1");
  await rolledOut(name, "web:v1");
  await until("all carry the first label again", async () => {
    const values = (await podsOf(name)).map(
      ({ metadata }) => metadata.labels?.[labelKeys.revision],
    );
    return new Set(values).size === 1 && values[0] === first;
  });
  promises.checkAtRest();
  end();
  expect(violations).toEqual([]);
  expect(problems).toEqual([]);
});

const createdAtMs = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp ?? "");

const crashing = {
  conditions: [{ type: "Ready", status: "False", reason: "ContainersNotReady" }],
  containerStatuses: [
    {
      name: "app",
      image: "web:v1",
      imageID: "",
      ready: false,
      restartCount: 5,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s" }, running: null },
    },
  ],
};

/** A group of three whose lowest pod crashes gets a new image. */
async function rollPastBroken(name: string): Promise<void> {
  const { client } = cluster;
  await client.create(roleBasedGroupResource, groupOf({ name, sizes: { decode: 3 } }));
  await rolledOut(name, "web:v1");
  const key = { namespace, name: `${name}-decode-0` };
  const patch = { type: "strategic", body: { status: crashing } } as const;
  await client.patch(podResource, key, patch, { subresource: "status" });
  await until("the group sees it", async () => {
    const ready = (await group(name)).status?.conditions?.find(({ type }) => type === "Ready");
    return ready?.status === "False";
  });
  await setImage(name, "web:v2");
}

test("CO3 ST7 under Lockstep's controller a broken pod is replaced ahead of healthy ones above it", async () => {
  await makers["Lockstep's controller"]!();
  await startGroups();
  await rollPastBroken("ahead");
  await rolledOut("ahead", "web:v2");
  const pods = (await podsOf("ahead")).toSorted((a, b) => createdAtMs(a) - createdAtMs(b));
  expect(pods.map(({ metadata }) => metadata.name)[0]).toBe("ahead-decode-0");
  expect(problems).toEqual([]);
});

test("CO3 under Kubernetes' own controller such a pod is named with what frees the role", async () => {
  await makers["Kubernetes' own controller"]!();
  await startGroups();
  await rollPastBroken("kept");
  const said = await until("the group says what holds it up", async () => {
    const found = (await group("kept")).status?.conditions?.find(
      ({ type, reason, message }) =>
        type === "Progressing" && reason === "RoleFailing" && message?.includes("(old)"),
    );
    return found?.message;
  });
  expect(said).toContain(
    "decode waits for kept-decode-0 (old): 1 unit is down, at most 1 may be, and units above it are replaced first; " +
      "repair it, or raise maxUnavailable above 1; kept-decode-0: CrashLoopBackOff: back-off 5m0s",
  );
  const { spec } = await group("kept");
  const rolloutStrategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } };
  const roles = spec.roles.map((role) => ({ ...role, rolloutStrategy }));
  const patch = { type: "merge", body: { spec: { roles } } } as const;
  await cluster.client.patch(roleBasedGroupResource, { namespace, name: "kept" }, patch);
  await rolledOut("kept", "web:v2");
  expect(problems).toEqual([]);
});
