/**
 * On a real API server: an operator that loses its lease, its clock or its API server for a minute behaves as written.
 * The minutes pass at the same time, each in a namespace of its own.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { StatefulSet } from "../../src/api/apps.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { podResource } from "../../src/api/pod.ts";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import type { Client } from "../../src/runtime/client.ts";
import { LeaderElection } from "../../src/runtime/leader.ts";
import { namespacedClient } from "../../src/runtime/namespaced-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { FlakyProxy } from "../builders/flaky-proxy.ts";
import { flakyProxy } from "../builders/flaky-proxy.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";
import { freePorts } from "../control-plane/free-ports.ts";
import { Folder } from "../e2e/lockstep-process.ts";
import type { RealCluster } from "./real-cluster.ts";
import { startRealCluster, until } from "./real-cluster.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string; readonly renewTime?: string };
}

const leases = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};
const leaseOf = (namespace: string) => ({ namespace, name: "lockstep" });
const minuteMs = 60_000;
const folder = new Folder();
let cluster: RealCluster;
let operatorClient: Client;
let proxy: FlakyProxy;
let kubeconfig: string;
let proxied: string;

beforeAll(async () => {
  cluster = await startRealCluster();
  operatorClient = await cluster.operatorClient();
  for (const name of ["server", "lease", "back", "forward"]) {
    await cluster.kubectl.output(["create", "namespace", name]);
  }
  kubeconfig = cluster.plane.kubeconfig;
  const text = readFileSync(kubeconfig, "utf8");
  const [, port = ""] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? [];
  proxy = await flakyProxy(Number(port));
  proxied = join(folder.path, "config");
  writeFileSync(proxied, text.replace(`127.0.0.1:${port}`, `127.0.0.1:${proxy.port}`));
});
afterAll(async () => {
  proxy.close();
  folder.remove();
  await cluster.stop();
});

const startOperator = (namespace: string, config: string, metricsPort = 0) => {
  const place = ["--kubeconfig", config, "--namespaces", namespace, "--lease-namespace", namespace];
  const kinds = ["--controllers", "statefulset", "--statefulset-mode", "full"];
  return folder.lockstep("operator", ...place, ...kinds, "--metrics-port", String(metricsPort));
};
const holder = async (namespace: string): Promise<string> =>
  (await cluster.client.get<Lease>(leases, leaseOf(namespace))).spec?.holderIdentity ?? "";

async function createSet(namespace: string, name: string): Promise<void> {
  const set = statefulSetOf({ name, replicas: 2 });
  const metadata = { ...set.metadata, namespace };
  await cluster.client.create(statefulSetResource, { ...set, metadata });
}
const statusOf = async (namespace: string, name: string) =>
  (await cluster.client.get<StatefulSet>(statefulSetResource, { namespace, name })).status;
const untilReady = (namespace: string, name: string): Promise<boolean> =>
  until(
    `${name} in ${namespace} is ready`,
    async () => (await statusOf(namespace, name))?.readyReplicas === 2,
    60_000,
  );
const podsIn = async (namespace: string): Promise<(string | undefined)[]> =>
  (await cluster.client.list(podResource, { namespace })).items.map(({ metadata }) => metadata.uid);

describe.concurrent("for a minute", () => {
  test("OP3 without its API server: it exits, nothing is touched, and the next one goes on", async () => {
    const first = startOperator("server", proxied);
    await first.printed(/controllers run/);
    await createSet("server", "a");
    await untilReady("server", "a");
    const before = await podsIn("server");
    const startedMs = performance.now();
    proxy.freeze();
    const { code } = await first.ended;
    expect(code).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(15_000);
    await delay(minuteMs - (performance.now() - startedMs));
    proxy.repair();
    const second = startOperator("server", proxied);
    await second.printed(/controllers run/);
    await createSet("server", "b");
    await untilReady("server", "b");
    expect(await podsIn("server")).toEqual(expect.arrayContaining(before));
    second.signal("SIGTERM");
    expect((await second.ended).code).toBe(0);
    expect(await holder("server")).toBe("");
  });

  test("OP3 OP6 without its lease: it exits, the next one stands by, and leads when it is free", async () => {
    const first = startOperator("lease", kubeconfig);
    await first.printed(/controllers run/);
    const take = async (): Promise<void> => {
      const lease = await cluster.client.get<Lease>(leases, leaseOf("lease"));
      const renewTime = new Date().toISOString().replace("Z", "000Z");
      const spec = { ...lease.spec, holderIdentity: "somebody", renewTime };
      await cluster.client.update(leases, { ...lease, spec });
    };
    await until("the lease is taken", () =>
      take().then(
        () => true,
        () => false,
      ),
    );
    const startedMs = performance.now();
    expect((await first.ended).code).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(7_000);
    const [port = 0] = await freePorts(1);
    const second = startOperator("lease", kubeconfig, port);
    await second.printed(/waiting for the lease/);
    await createSet("lease", "a");
    const ready = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    await until("the follower is ready", async () => (await ready()) === 200);
    while (performance.now() - startedMs < minuteMs) {
      await take();
      const { observedGeneration } = (await statusOf("lease", "a")) ?? {};
      expect([await ready(), observedGeneration]).toEqual([200, undefined]);
      await delay(3_000);
    }
    // Somebody is gone without a word: its lease runs out.
    await second.printed(/controllers run/);
    await untilReady("lease", "a");
    second.signal("SIGTERM");
    expect((await second.ended).code).toBe(0);
  });

  test.each([
    ["back", -3_600_000],
    ["forward", 3_600_000],
  ])(
    "OP4 with a wall clock an hour %s: neither a lease nor a reconcile is lost",
    async (way, byMs) => {
      const real = systemClock();
      let steppedMs = 0;
      const clock = { ...real, now: () => real.now() + steppedMs };
      const candidate = (identity: string, ownClock: typeof clock) =>
        new LeaderElection({ client: cluster.client, clock: ownClock, ...leaseOf(way), identity });
      const election = candidate("stepped", clock);
      const other = candidate("other", real);
      const stopping = new AbortController();
      const story: string[] = [];
      const led = election.lead(stopping.signal, () => story.push("leads"));
      await until("it leads", () => Promise.resolve(story.length === 1));
      const others = other.lead(stopping.signal, () => story.push("other leads"));
      const client = namespacedClient(operatorClient, way);
      const controller = statefulSetController({ client, clock, mode: "full" });
      await controller.start();
      steppedMs = byMs;
      const endMs = performance.now() + minuteMs;
      await createSet(way, "first");
      await untilReady(way, "first");
      while (performance.now() < endMs) {
        expect([story, election.isLeader, other.isLeader]).toEqual([["leads"], true, false]);
        await delay(500);
      }
      await createSet(way, "last");
      await untilReady(way, "last");
      await controller.stop();
      stopping.abort();
      await Promise.all([led, others]);
      expect(story).toEqual(["leads"]);
    },
  );
});
