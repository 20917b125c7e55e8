/** The operator as a process when things go wrong around it: a lost lease, a server that does not answer, a signal. */
import { writeFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { KubeObject } from "../../src/api/object.ts";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";
import { freePorts } from "../control-plane/free-ports.ts";
import { Folder } from "./lockstep-process.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const folder = new Folder();
afterAll(() => folder.remove());
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const leases = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};
const leaseKey = { namespace: "kube-system", name: "lockstep" };

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string };
}

/** An API server behind a proxy that keeps requests that it should hold, and says nothing about them. */
async function heldCluster() {
  const server = createApiServer({ clock: systemClock(), resources: builtinResources() });
  const { url } = await server.listen({ token: "secret" });
  let isHeld: (path: string) => boolean = () => false;
  let isRefused: (request: string) => boolean = () => false;
  const asked: { readonly path: string; readonly atMs: number }[] = [];
  const proxy = createServer((incoming, outgoing) => {
    asked.push({ path: incoming.url ?? "", atMs: performance.now() });
    if (isHeld(incoming.url ?? "")) return;
    if (isRefused(`${incoming.method} ${incoming.url}`)) {
      outgoing.writeHead(500).end("{}");
      return;
    }
    const { method, headers } = incoming;
    const onward = forward(new URL(incoming.url ?? "", url), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  cleanups.push(
    () => proxy.closeAllConnections(),
    () => void proxy.close(),
    () => server.stop(),
  );
  const { port } = proxy.address() as AddressInfo;
  const kubeconfig = join(folder.path, `config-${port}`);
  writeFileSync(kubeconfig, kubeconfigText(port));
  const [metricsPort] = await freePorts(1);
  const flags = ["--kubeconfig", kubeconfig, "--metrics-port", String(metricsPort)];
  const kinds = ["--controllers", "statefulset", "--lease-namespace", leaseKey.namespace];
  return {
    client: server.client,
    hold: (isSo: (path: string) => boolean) => (isHeld = isSo),
    refuse: (isSo: (request: string) => boolean) => (isRefused = isSo),
    asked,
    start: (...more: string[]) => folder.lockstep("operator", ...flags, ...kinds, ...more),
    probe: async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/${path}`);
      return `${answer.status} ${(await answer.text()).trim()}`;
    },
  };
}

const kubeconfigText = (port: number): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "it",
    contexts: [{ name: "it", context: { cluster: "it", user: "it" } }],
    clusters: [{ name: "it", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "it", user: { token: "secret" } }],
  });

const secondsOf = async (work: Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  await work;
  return (performance.now() - startedMs) / 1000;
};

test("OP3 an operator whose lease is taken exits with code 1 within seconds", async () => {
  const { client, start } = await heldCluster();
  const operator = start();
  await operator.printed(/controllers run/);
  const lease = await client.get<Lease>(leases, leaseKey);
  await client.update(leases, { ...lease, spec: { ...lease.spec, holderIdentity: "somebody" } });
  const seconds = await secondsOf(operator.ended);
  const { code, errors } = await operator.ended;
  expect({ code, errors }).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/lease was lost/),
  });
  // It looks every 2 s.
  expect(seconds).toBeLessThan(2 + 5);
});

test("OP3 an operator whose server hangs gives up in time, and exits with code 1", async () => {
  const { hold, start } = await heldCluster();
  const operator = start();
  await operator.printed(/controllers run/);
  hold(() => true);
  const seconds = await secondsOf(operator.ended);
  const { code, output } = await operator.ended;
  expect(code).toBe(1);
  expect(seconds).toBeLessThan(10 + 5);
  expect(output).toMatch(/renew lease kube-system\/lockstep: no answer within/);
});

test("OP5 SIGTERM while nothing has been listed yet ends it cleanly and gives the lease back", async () => {
  const { client, hold, start, probe } = await heldCluster();
  hold((path) => path.startsWith("/api/v1/pods"));
  const operator = start();
  await operator.printed(/lease taken/);
  const isHeld = async (): Promise<boolean> =>
    client.get<Lease>(leases, leaseKey).then(
      ({ spec }) => spec?.holderIdentity !== "",
      () => false,
    );
  while (!(await isHeld())) await delay(20);
  while (!/have not been listed/.test(await probe("readyz"))) await delay(20);
  expect(await probe("readyz")).toMatch(/^503 pods.* have not been listed yet$/);
  expect(await probe("healthz")).toBe("200 ok");
  operator.signal("SIGTERM");
  const seconds = await secondsOf(operator.ended);
  expect((await operator.ended).code).toBe(0);
  expect(seconds).toBeLessThan(5);
  expect((await client.get<Lease>(leases, leaseKey)).spec?.holderIdentity ?? "").toBe("");
});

test("OP6 a follower is ready to follow, and a leader when everything is listed", async () => {
  const { client, start, probe } = await heldCluster();
  const holder = { holderIdentity: "somebody", leaseDurationSeconds: 3600 };
  await client.create(leases, { metadata: leaseKey, spec: holder });
  const operator = start();
  await operator.printed(
    /"holder":"somebody".*waiting for the lease, which another operator holds/,
  );
  while ((await probe("readyz")) !== "200 ok") await delay(20);
  await client.delete(leases, leaseKey);
  await operator.printed(/controllers run/);
  expect([await probe("readyz"), await probe("healthz")]).toEqual(["200 ok", "200 ok"]);
  operator.signal("SIGINT");
  expect((await operator.ended).code).toBe(0);
});

test("log lines name the verb, the resource and the object of what failed", async () => {
  const { client, refuse, start } = await heldCluster();
  refuse((request) => /^GET .api.v1.nodes|^GET .api.v1.pods|^POST .*.pods$/.test(request));
  const operator = start("--statefulset-mode", "full");
  await operator.printed(/"verb":"list","resource":"pods","object":"".*"msg":"trying again"/);
  refuse((request) => /^POST .*.pods$/.test(request));
  await operator.printed(/controllers run/);
  const set = statefulSetOf({ replicas: 1 });
  await client.create(statefulSetResource, set);
  await operator.printed(
    /"key":"default.web".*"verb":"create","resource":"pods","object":"default"/,
  );
  operator.signal("SIGTERM");
  expect((await operator.ended).code).toBe(0);
});

test("OP7 --kube-api-qps spaces what is sent, and the lease does not wait behind it", async () => {
  const { asked, start } = await heldCluster();
  const operator = start("--kube-api-qps", "1", "--kube-api-burst", "1");
  await operator.printed(/controllers run/);
  operator.signal("SIGTERM");
  expect((await operator.ended).code).toBe(0);
  const timesOf = (isLease: boolean): number[] =>
    asked.filter(({ path }) => path.includes("/leases") === isLease).map(({ atMs }) => atMs);
  const limited = timesOf(false);
  expect(limited.length).toBeGreaterThan(3);
  const gaps = limited.slice(1).map((atMs, index) => atMs - (limited[index] ?? 0));
  // A second, less what two requests differ by on their way.
  expect(Math.min(...gaps)).toBeGreaterThan(500);
  const [first = 0, second = Infinity] = timesOf(true);
  expect(second - first).toBeLessThan(900);
});
