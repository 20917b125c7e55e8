/** Full mode on a real API server: Lockstep is the StatefulSet controller, and kubectl sees no difference. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { rolling, statefulSetOf } from "../builders/stateful-set-scenario.ts";
import { isRolledOut } from "../builders/stateful-set-stage.ts";
import { statefulSetScripts } from "../scenarios/statefulset-scripts/index.ts";
import { runIn } from "../scenarios/statefulset-scripts/script.ts";
import { oddTemplates } from "./odd-templates.ts";
import type { RealCluster } from "./real-cluster.ts";
import { guardPods, startRealCluster, until } from "./real-cluster.ts";

let cluster: RealCluster;
let stopLockstep: (() => Promise<void>) | undefined;
const problems: unknown[] = [];

beforeAll(async () => {
  cluster = await startRealCluster();
  stopLockstep = await cluster.startLockstep("full", (problem) => problems.push(problem));
});

afterAll(async () => {
  await stopLockstep?.();
  await cluster.stop();
});

const rolledOut = (name: string) =>
  until(`${name} is rolled out`, async () => {
    const set = await cluster.set(name);
    return isRolledOut(set) && set;
  });

/** A pod that kwok starts serves after 200 ms, one that it stops is gone after 100. */
const quietMs = 1_500;

describe.concurrent("the scripts, as in virtual time and over HTTP", () => {
  const scripts = Object.entries(statefulSetScripts).map(
    ([name, script], at) => [name, script, at] as const,
  );
  test.each(scripts)("%s", async (_name, script, at) => {
    const { client } = cluster;
    const world = {
      client,
      hasKubelets: false,
      expectComplaint: () => undefined,
      pass: () => delay(quietMs),
      until,
    };
    expect(await runIn(world, `web${at}`, script)).not.toEqual([]);
  });
});

test("RO1 a set is created, rolled within its budget, scaled and deleted", async () => {
  const spec = { podManagementPolicy: "Parallel", ...rolling(3) } as const;
  await cluster.client.create(
    statefulSetResource,
    statefulSetOf({ name: "full", replicas: 8, spec }),
  );
  await rolledOut("full");
  const { seen, stop } = guardPods(cluster, "full", await cluster.pods("full"));
  await cluster.kubectl.output(["set", "image", "statefulset/full", "app=web:v2"]);
  await rolledOut("full");
  stop();
  expect(seen.fewest).toBe(5);
  const images = (await cluster.pods("full")).map(({ spec: pod }) => pod.containers[0]?.image);
  expect(new Set(images)).toEqual(new Set(["web:v2"]));
  await cluster.kubectl.output(["scale", "statefulset/full", "--replicas=2"]);
  await rolledOut("full");
  expect(await cluster.pods("full")).toHaveLength(2);
  await cluster.kubectl.output(["delete", "statefulset/full"]);
  await until("the pods are gone", async () => (await cluster.pods("full")).length === 0);
});

test("ST10 a set with any template can be deleted without its pods and created again", async () => {
  const odd = oddTemplates["html-text"];
  const set = statefulSetOf({
    name: "html-text",
    replicas: 2,
    spec: { ...rolling(1), template: odd },
  });
  const ids = async (): Promise<string[]> =>
    (await cluster.pods("html-text")).map(({ metadata }) => metadata.uid ?? "").toSorted();
  await cluster.client.create(statefulSetResource, set);
  await rolledOut("html-text");
  const before = await ids();
  // Revisions lose their owner by a patch that rewrites their data.
  const orphaning = ["--cascade=orphan", "--timeout=30s"];
  await cluster.kubectl.output(["delete", "statefulset/html-text", ...orphaning]);
  await cluster.client.create(statefulSetResource, set);
  await rolledOut("html-text");
  expect(await ids()).toEqual(before);
  await cluster.kubectl.output(["delete", "statefulset/html-text"]);
});

test("ST19 kubectl rollout status, history, undo and restart work as usual", async () => {
  const { output } = cluster.kubectl;
  const set = statefulSetOf({ name: "talk", replicas: 3, spec: rolling(1) });
  await cluster.client.create(statefulSetResource, set);
  const watched = (): Promise<string> =>
    output(["rollout", "status", "statefulset/talk", "--timeout=60s"]);
  await watched();
  await output(["set", "image", "statefulset/talk", "app=web:v2"]);
  expect(await watched()).toMatch(/complete/);
  expect(await output(["rollout", "history", "statefulset/talk"])).toMatch(/1 .*\n2 /);
  const first = (await cluster.revisions("talk")).find(({ revision }) => revision === 1);
  await output(["rollout", "undo", "statefulset/talk"]);
  await watched();
  const { status } = await rolledOut("talk");
  expect(status?.updateRevision).toBe(first?.metadata.name);
  const before = (await cluster.pods("talk")).map(({ metadata }) => metadata.uid);
  await output(["rollout", "restart", "statefulset/talk"]);
  await watched();
  await rolledOut("talk");
  const after = (await cluster.pods("talk")).map(({ metadata }) => metadata.uid);
  expect(after.filter((uid) => before.includes(uid))).toEqual([]);
  await output(["scale", "statefulset/talk", "--replicas=5"]);
  await rolledOut("talk");
  expect(await output(["get", "statefulset/talk", "--no-headers"])).toMatch(/5\/5/);
});

test("what deploy/operator.yaml allows is enough for all of this", () => {
  expect(problems.map(String).filter((text) => text.includes("forbidden"))).toEqual([]);
});
