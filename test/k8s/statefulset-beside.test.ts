/** Beside Kubernetes' own StatefulSet controller: sets that change hands, and sets that we only pace. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { StatefulSet } from "../../src/api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../src/api/apps.ts";
import { rolling, statefulSetOf } from "../builders/stateful-set-scenario.ts";
import { isRolledOut } from "../builders/stateful-set-stage.ts";
import { startStatefulSetManager } from "../control-plane/stateful-set-manager.ts";
import type { RealCluster } from "./real-cluster.ts";
import { guardPods, namespace, startRealCluster, until } from "./real-cluster.ts";
import { oddTemplates } from "./odd-templates.ts";

let cluster: RealCluster;
/** What a test has started, to be stopped even if the test fails. */
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function startUpstream() {
  const manager = await startStatefulSetManager(cluster.plane);
  stops.push(() => manager.stop());
  return manager;
}

async function startLockstep(mode: "full" | "assist"): Promise<() => Promise<void>> {
  const stop = await cluster.startLockstep(mode);
  stops.push(stop);
  return stop;
}

beforeAll(async () => {
  cluster = await startRealCluster();
});

afterAll(() => cluster.stop());

const create = (set: StatefulSet) => cluster.client.create(statefulSetResource, set);

const rolledOut = (name: string) =>
  until(`${name} is rolled out`, async () => {
    const set = await cluster.set(name);
    return isRolledOut(set) && set;
  });

const idsOf = async (name: string): Promise<string[]> =>
  (await cluster.pods(name)).map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();

const recorded = async (name: string): Promise<string[]> =>
  (await cluster.revisions(name))
    .map(({ metadata, revision, data }) => `${revision} ${metadata.name} ${JSON.stringify(data)}`)
    .toSorted();

/** Makes the controller in charge reconcile the set once more, and waits until it has. */
async function seen(name: string): Promise<void> {
  const { metadata } = await cluster.client.patch<StatefulSet>(
    statefulSetResource,
    { namespace, name },
    { type: "merge", body: { spec: { revisionHistoryLimit: (await limitOf(name)) + 1 } } },
  );
  await until(`${name} is seen`, async () => {
    const { status } = await cluster.set(name);
    return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  });
}

const limitOf = async (name: string): Promise<number> =>
  (await cluster.set(name)).spec.revisionHistoryLimit ?? 10;

test("ST10 a set changes from Kubernetes' controller to ours and back without a pod restarting", async () => {
  const names = Object.keys(oddTemplates);
  let upstream = await startUpstream();
  const spec = { podManagementPolicy: "Parallel", ...rolling(2) } as const;
  await create(statefulSetOf({ name: "move", replicas: 4, spec }));
  await rolledOut("move");
  await cluster.kubectl.output(["set", "image", "statefulset/move", "app=web:v2"]);
  await rolledOut("move");
  for (const name of names) {
    await create(
      statefulSetOf({ name, replicas: 0, spec: { ...spec, template: oddTemplates[name] } }),
    );
  }
  const all = ["move", ...names];
  for (const name of all) await seen(name);
  await upstream.stop();
  const before = await Promise.all([idsOf("move"), ...all.map(recorded)]);

  const stopLockstep = await startLockstep("full");
  for (const name of all) await seen(name);
  expect(await Promise.all([idsOf("move"), ...all.map(recorded)])).toEqual(before);
  // Upstream must recognize the revisions that we record as its own, here and after the change back.
  await cluster.kubectl.output(["set", "image", "statefulset/move", "app=web:v3"]);
  await rolledOut("move");
  const ours = await Promise.all([idsOf("move"), recorded("move")]);
  await stopLockstep();

  upstream = await startUpstream();
  await seen("move");
  await rolledOut("move");
  expect(await Promise.all([idsOf("move"), recorded("move")])).toEqual(ours);
  await upstream.stop();
});

test("ST10 without its revisions a set gets the same names from ours as from Kubernetes' controller", async () => {
  const names = Object.keys(oddTemplates);
  const before = await Promise.all(names.map(recorded));
  for (const name of names) {
    for (const { metadata } of await cluster.revisions(name)) {
      await cluster.client.delete(controllerRevisionResource, {
        namespace,
        name: metadata.name ?? "",
      });
    }
  }
  const stopLockstep = await startLockstep("full");
  const complete = async (): Promise<string[][]> => Promise.all(names.map(recorded));
  const after = await until("all are recorded", async () => {
    const found = await complete();
    return found.every((revisions) => revisions.length === 1) && found;
  });
  await stopLockstep();
  expect(after).toEqual(before);
  // Upstream compares bytes: a difference in bytes alone would create a new revision and restart every pod.
  const upstream = await startUpstream();
  for (const name of names) await seen(name);
  expect(await complete()).toEqual(before);
  await upstream.stop();
});

test("ST25 beside Kubernetes' controller an OnDelete set is replaced within its budget", async () => {
  await startUpstream();
  await startLockstep("assist");
  const annotations = { "lockstep.dev/max-unavailable": "2" };
  const spec = { podManagementPolicy: "Parallel", updateStrategy: { type: "OnDelete" } } as const;
  await create(statefulSetOf({ name: "paced", replicas: 6, annotations, spec }));
  await create(
    statefulSetOf({
      name: "left",
      replicas: 2,
      annotations,
      spec: { podManagementPolicy: "Parallel" },
    }),
  );
  await rolledOut("paced");
  const { seen: guarded, stop } = guardPods(cluster, "paced", await cluster.pods("paced"));
  await cluster.kubectl.output(["set", "image", "statefulset/paced", "app=web:v2"]);
  const isUpdated = async (): Promise<boolean> => {
    const pods = await cluster.pods("paced");
    const { status } = await cluster.set("paced");
    const isNew = pods.every(({ spec: pod }) => pod.containers[0]?.image === "web:v2");
    return pods.length === 6 && isNew && status?.readyReplicas === 6;
  };
  await until("every pod is new", isUpdated);
  stop();
  expect(guarded.fewest).toBe(4);
  const events = await cluster.kubectl.output([
    "get",
    "events",
    "--field-selector=reason=NotAssisted",
  ]);
  expect(events).toContain("statefulset/left");
  await until("the set says it is done", async () =>
    (await cluster.set("paced")).status?.conditions?.some(
      ({ type, reason }) => type === "Progressing" && reason === "RolledOut",
    ),
  );
});

test("ST28 full mode detects Kubernetes' own controller and leaves the set to it", async () => {
  await startUpstream();
  await startLockstep("full");
  const spec = { podManagementPolicy: "Parallel", ...rolling(1) } as const;
  await create(statefulSetOf({ name: "contested", replicas: 4, spec }));
  await rolledOut("contested");
  const selection = ["--field-selector=reason=AnotherController"];
  let version = 1;
  const message = await until("an event says so", async () => {
    version += 1;
    await cluster.kubectl.output(["set", "image", "statefulset/contested", `app=web:v${version}`]);
    await rolledOut("contested");
    const text = await cluster.kubectl.output(["get", "events", ...selection]);
    return text.includes("statefulset/contested") && text;
  });
  expect(message).toContain("--statefulset-mode assist");
});
