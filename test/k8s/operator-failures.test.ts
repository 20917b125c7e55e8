/** On a real API server: an operator that loses its lease, its clock or its API server behaves as written. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { StatefulSet } from "../../src/api/apps.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { LeaderElection } from "../../src/runtime/leader.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { FlakyProxy } from "../builders/flaky-proxy.ts";
import { flakyProxy } from "../builders/flaky-proxy.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";
import { Folder } from "../e2e/lockstep-process.ts";
import type { RealCluster } from "./real-cluster.ts";
import { startRealCluster, until } from "./real-cluster.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string };
}

const leases = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};
const leaseKey = { namespace: "lockstep-system", name: "lockstep" };
const folder = new Folder();
let cluster: RealCluster;
let proxy: FlakyProxy;
let kubeconfig: string;

beforeAll(async () => {
  cluster = await startRealCluster();
  await cluster.operatorAccess();
  const text = readFileSync(cluster.plane.kubeconfig, "utf8");
  const [, port = ""] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? [];
  proxy = await flakyProxy(Number(port));
  kubeconfig = join(folder.path, "config");
  writeFileSync(kubeconfig, text.replace(`127.0.0.1:${port}`, `127.0.0.1:${proxy.port}`));
});
afterAll(async () => {
  proxy.close();
  folder.remove();
  await cluster.stop();
});

const startOperator = () => {
  const flags = [
    "--controllers",
    "statefulset",
    "--statefulset-mode",
    "full",
    "--metrics-port",
    "0",
  ];
  const lease = ["--lease-namespace", leaseKey.namespace];
  return folder.lockstep("operator", "--kubeconfig", kubeconfig, ...flags, ...lease);
};
const holder = async (): Promise<string> =>
  (await cluster.client.get<Lease>(leases, leaseKey)).spec?.holderIdentity ?? "";
const isReady = (name: string, replicas: number) => async (): Promise<boolean> =>
  (await cluster.client.get<StatefulSet>(statefulSetResource, { namespace: "default", name }))
    .status?.readyReplicas === replicas;

test("OP3 an operator that loses its API server for a minute exits, and the next one goes on", async () => {
  const first = startOperator();
  await first.printed(/controllers run/);
  await cluster.client.create(statefulSetResource, statefulSetOf({ name: "a", replicas: 2 }));
  await until("a is ready", isReady("a", 2));
  const startedMs = performance.now();
  proxy.freeze();
  const { code } = await first.ended;
  expect(code).toBe(1);
  expect(performance.now() - startedMs).toBeLessThan(15_000);
  await delay(45_000);
  proxy.repair();
  const second = startOperator();
  await second.printed(/controllers run/);
  await cluster.client.create(statefulSetResource, statefulSetOf({ name: "b", replicas: 2 }));
  await until("b is ready", isReady("b", 2));
  second.signal("SIGTERM");
  expect((await second.ended).code).toBe(0);
  expect(await holder()).toBe("");
});

test("OP3 an operator whose lease is taken exits with code 1 within seconds", async () => {
  const operator = startOperator();
  await operator.printed(/controllers run/);
  const lease = await cluster.client.get<Lease>(leases, leaseKey);
  const spec = { ...lease.spec, holderIdentity: "somebody" };
  await cluster.client.update(leases, { ...lease, spec });
  const startedMs = performance.now();
  expect((await operator.ended).code).toBe(1);
  expect(performance.now() - startedMs).toBeLessThan(7_000);
  expect(await holder()).toBe("somebody");
  await cluster.client.delete(leases, leaseKey);
});

test("OP4 a wall clock that moves by an hour, either way, costs neither the lease nor a reconcile", async () => {
  const real = systemClock();
  let steppedMs = 0;
  const clock = { ...real, now: () => real.now() + steppedMs };
  const transport = httpTransport(await cluster.operatorAccess(), { userAgent: "lockstep" });
  const client = restClient(transport);
  const election = new LeaderElection({ client, clock, ...leaseKey, identity: "stepped" });
  const other = new LeaderElection({
    client: cluster.client,
    clock: real,
    ...leaseKey,
    identity: "other",
  });
  const stopping = new AbortController();
  const story: string[] = [];
  const led = election.lead(stopping.signal, () => story.push("leads"));
  await until("it leads", () => Promise.resolve(story.length === 1));
  const others = other.lead(stopping.signal, () => story.push("other leads"));
  const controller = statefulSetController({ client, clock, mode: "full" });
  await controller.start();
  for (const [name, byMs] of [
    ["back", -3_600_000],
    ["forward", 7_200_000],
  ] as const) {
    steppedMs += byMs;
    await cluster.client.create(statefulSetResource, statefulSetOf({ name, replicas: 2 }));
    await until(`${name} is ready`, isReady(name, 2));
    await delay(20_000);
    expect([story, election.isLeader, other.isLeader]).toEqual([["leads"], true, false]);
  }
  await controller.stop();
  stopping.abort();
  await Promise.all([led, others]);
  transport.close();
});
