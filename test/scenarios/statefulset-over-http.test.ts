/** The same rollouts over real sockets, with a network in between that fails. */
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import type { StatefulSet } from "../../src/api/apps.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import { fixedHeader } from "../../src/kube/credentials.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { startCluster } from "../../src/sim/cluster.ts";
import { flakyProxy } from "../builders/flaky-proxy.ts";
import { rolling, setOf } from "../builders/set-scenario.ts";

const namespace = "default";
const key = { namespace, name: "web" };
const speed = 50;
const token = "over-http";

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function overHttp() {
  const clock = systemClock(speed);
  const server = createApiServer({ clock, resources: builtinResources() });
  const { url } = await server.listen({ token });
  const proxy = await flakyProxy(Number(new URL(url).port));
  const cluster = await startCluster({ client: server.client, clock });
  const transport = httpTransport(
    {
      server: new URL(`http://127.0.0.1:${proxy.port}`),
      tls: {},
      credentials: fixedHeader(`Bearer ${token}`),
      namespace,
      origin: "a test",
    },
    { silenceLimitMs: 300 },
  );
  const controller = statefulSetController({ client: restClient(transport), clock, mode: "full" });
  await controller.start();
  cleanUps.push(
    () => server.stop(),
    () => cluster.stop(),
    () => proxy.close(),
    () => transport.close(),
  );
  const { client } = server;
  const spec = { podManagementPolicy: "Parallel", ...rolling(2) } as const;
  await client.create(statefulSetResource, setOf({ replicas: 6, spec }));
  const settled = async (): Promise<void> => {
    for (;;) {
      const { metadata, status } = await client.get<StatefulSet>(statefulSetResource, key);
      const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
      const isSeen = status?.observedGeneration === metadata.generation;
      if (isSeen && progressing?.status === "False") return;
      await delay(20);
    }
  };
  await settled();
  return { client, clock, controller, proxy, settled, guard: () => guardPods(client) };
}

/** The fewest pods that served at once, as the server itself saw it. */
async function guardPods(client: Awaited<ReturnType<typeof createApiServer>>["client"]) {
  const { items, metadata } = await client.list<Pod>(podResource, { namespace });
  const pods = new Map(items.map((pod) => [pod.metadata.name, pod]));
  const serving = (): number =>
    [...pods.values()].filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined)
      .length;
  const seen = { fewest: serving(), images: () => images(pods) };
  void client.watch<Pod>(podResource, { resourceVersion: metadata.resourceVersion }, (event) => {
    if (event.type === "ERROR" || event.type === "BOOKMARK") return;
    if (event.type === "DELETED") pods.delete(event.object.metadata.name);
    else pods.set(event.object.metadata.name, event.object);
    seen.fewest = Math.min(seen.fewest, serving());
  });
  return seen;
}

const images = (pods: ReadonlyMap<string | undefined, Pod>): string[] =>
  [...pods.values()].map((pod) => pod.spec.containers[0]?.image ?? "");

const setImage = (client: Awaited<ReturnType<typeof overHttp>>["client"], image: string) => {
  const body = { spec: { template: { spec: { containers: [{ name: "app", image }] } } } };
  return client.patch(statefulSetResource, key, { type: "merge", body });
};

type Proxy = Awaited<ReturnType<typeof flakyProxy>>;

const troubles: Record<string, (proxy: Proxy) => Promise<void>> = {
  "nothing goes wrong": () => Promise.resolve(),
  "every connection is reset again and again": async (proxy) => {
    for (let times = 0; times < 5; times++) {
      proxy.reset();
      await delay(60);
    }
  },
  "the server is away for a while": async (proxy) => {
    proxy.cut();
    await delay(400);
    proxy.mend();
  },
  "connections die without a word": async (proxy) => {
    proxy.freeze();
    await delay(400);
    proxy.mend();
  },
};

test.each(Object.entries(troubles))("RO1 RO7 over HTTP, %s", async (_what, trouble) => {
  const { client, proxy, settled, guard } = await overHttp();
  const seen = await guard();
  await setImage(client, "web:v2");
  await delay(50);
  await trouble(proxy);
  await settled();
  expect(seen.images()).toEqual(Array.from({ length: 6 }, () => "web:v2"));
  expect(seen.fewest).toBe(4);
});

test("ST6 over HTTP a broken update stops at the budget and a good one recovers", async () => {
  const { client, settled, guard } = await overHttp();
  const seen = await guard();
  await setImage(client, "web:broken");
  for (let isStalled = false; !isStalled; await delay(20)) {
    const { status } = await client.get<StatefulSet>(statefulSetResource, key);
    isStalled =
      status?.conditions?.some(
        ({ type, status: value }) => type === "Stalled" && value === "True",
      ) ?? false;
  }
  await setImage(client, "web:v3");
  await settled();
  expect(seen.fewest).toBe(4);
  expect(new Set(seen.images())).toEqual(new Set(["web:v3"]));
});
