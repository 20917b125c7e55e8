/** On a real API server: the operator lives through everything with exactly the role that is printed for it. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { ApiError } from "../../src/api/status.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { beginKinds } from "../../src/controllers/engine/kind-definition.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { namespacedClient } from "../../src/runtime/namespaced-client.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { Transport } from "../../src/runtime/transport.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";
import { liveThrough } from "../definitions/access-story.ts";
import { recordRequests } from "../definitions/requests.ts";
import type { RealCluster } from "./real-cluster.ts";
import { startRealCluster, until } from "./real-cluster.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

let cluster: RealCluster;

beforeAll(async () => {
  cluster = await startRealCluster();
  await installDefinitions(cluster.client);
});
afterAll(() => cluster.stop());

/** The operator rests when it has written nothing for this long; what pods need for their way is less. */
const restMs = 1_500;
/** And is not waited for any longer than this. */
const mostMs = 35_000;

/** A transport with the operator's own rights, and everything that was denied to it. */
async function operatorTransport(options: Parameters<RealCluster["operatorAccess"]>[0]) {
  const denied: string[] = [];
  let wroteMs = 0;
  const http = httpTransport(await cluster.operatorAccess(options), { userAgent: "lockstep" });
  const transport: Transport = {
    async request(request) {
      if (request.method !== "GET") wroteMs = performance.now();
      const answer = await http.request(request);
      const { message = "" } = answer.body as { message?: string };
      // A quota or a namespace that goes away also answers 403.
      if (answer.status === 403 && /cannot \w+ resource/.test(message)) denied.push(message);
      return answer;
    },
    stream: (request, onEvent) =>
      http.stream(request, onEvent).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 403) denied.push(error.message);
        throw error;
      }),
  };
  const recorded = recordRequests(transport);
  const rest = async (deadlineSeconds = 0): Promise<void> => {
    const startedMs = performance.now();
    const least = startedMs + deadlineSeconds * 1000;
    const isOver = (nowMs: number): boolean =>
      nowMs >= least && nowMs - Math.max(wroteMs, startedMs, least) >= restMs;
    while (!isOver(performance.now()) && performance.now() - startedMs < mostMs) await delay(100);
  };
  const { made } = recorded;
  return { transport: recorded.transport, made, denied, rest, close: () => http.close() };
}

test("OP9 a whole life of every workload: nothing is denied", async () => {
  const { transport, made, denied, rest, close } = await operatorTransport({ mode: "full" });
  const options = { client: restClient(transport), clock: systemClock(), gangSchedulers: [] };
  const running = beginKinds(kinds, { ...options, modes: { statefulset: "full" } });
  await running.started;
  const pass = (_seconds: number, deadlineSeconds?: number): Promise<void> => rest(deadlineSeconds);
  await liveThrough({ client: cluster.client, pass, hasDevices: false });
  await Promise.all(running.kinds.map((kind) => kind.stop()));
  close();
  expect(denied).toEqual([]);
  expect(made.size).toBeGreaterThan(100);
});

test("OP9 with roles in one namespace it looks after that one, and asks for nothing elsewhere", async () => {
  await cluster.kubectl.output(["create", "namespace", "team-a"]);
  const access = { mode: "full", namespaces: ["team-a"] } as const;
  const { transport, denied, close } = await operatorTransport(access);
  await cluster.kubectl.output(["delete", "clusterrolebinding", "lockstep", "--ignore-not-found"]);
  const client = namespacedClient(restClient(transport), "team-a");
  const [statefulSets] = kinds.filter(({ name }) => name === "statefulset");
  const running = beginKinds(statefulSets === undefined ? [] : [statefulSets], {
    client,
    clock: systemClock(),
    modes: { statefulset: "full" },
  });
  await running.started;
  const set = statefulSetOf({ replicas: 2 });
  for (const namespace of ["team-a", "default"]) {
    const metadata = { ...set.metadata, namespace };
    await cluster.client.create(statefulSetResource, { ...set, metadata });
  }
  const status = async (namespace: string) =>
    (await cluster.client.get<typeof set>(statefulSetResource, { namespace, name: "web" })).status;
  await until("two pods are ready", async () => (await status("team-a"))?.readyReplicas === 2);
  expect((await status("default"))?.observedGeneration).toBeUndefined();
  await Promise.all(running.kinds.map((kind) => kind.stop()));
  close();
  expect(denied).toEqual([]);
});
