/** The operator as a cluster runs it: a process with a lease, metrics and logs, stopped by a signal. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import type { StatefulSet } from "../../src/api/apps.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { clusterAccess } from "../../src/kube/access.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";
import { isRolledOut } from "../builders/stateful-set-stage.ts";
import { freePorts } from "../control-plane/free-ports.ts";
import { Folder } from "./lockstep-process.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const folder = new Folder();
afterAll(() => folder.remove());

test("a kind whose definition is missing is named once, with the command that installs it", async () => {
  const { kubeconfig, client } = await cluster();
  const definition = { name: "placements.cluster.open-cluster-management.io" };
  await client.delete(customResourceDefinitionResource, definition);
  await client.create(namespaces, { metadata: { name: "lockstep-system" } });
  const [port] = await freePorts(1);
  const flags = ["--controllers", "placement", "--metrics-port", String(port)];
  const operator = folder.lockstep("operator", "--kubeconfig", kubeconfig, ...flags);
  await operator.printed(/controllers run/);
  const refused = /lockstep_api_calls_total\{verb="list",resource="placements",code="404"\} [3-9]/;
  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  while (!refused.test(await metrics())) await delay(50);
  operator.signal("SIGTERM");
  const { output } = await operator.ended;
  const said = output.split("\n").filter((line) => line.includes('"resource":"placements"'));
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("not served: its controller waits until it is (lockstep crds |");
});

const leases = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};

const namespaces = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
};

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string };
}

async function cluster() {
  const kubeconfig = join(folder.path, "config");
  const flags = ["--port", "0", "--speed", "20", "--controllers", "none"];
  const up = folder.lockstep("up", ...flags, "--kubeconfig", kubeconfig);
  await up.printed(/Ctrl-C/);
  const transport = httpTransport(clusterAccess(loadKubeconfig([kubeconfig], true)));
  afterAll(() => transport.close());
  return { kubeconfig, client: restClient(transport) };
}

test("it leads, rolls sets out, says what it does, and gives the lease back when it is stopped", async () => {
  const { kubeconfig, client } = await cluster();
  const [port] = await freePorts(1);
  const mode = ["--controllers", "statefulset", "--statefulset-mode", "full"];
  const watching = ["--metrics-port", String(port), "--log-level", "debug"];
  const operator = folder.lockstep("operator", "--kubeconfig", kubeconfig, ...mode, ...watching);
  // Nothing is installed yet: it says what is missing, and goes on when that is there.
  await operator.printed(
    /create the namespace lockstep-system, or choose .* with --lease-namespace/,
  );
  const unready = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect(unready.status).toBe(503);
  expect(await unready.text()).toContain("--lease-namespace");
  await client.create(namespaces, { metadata: { name: "lockstep-system" } });
  await operator.printed(/controllers run/);
  const lease = () => client.get<Lease>(leases, { namespace: "lockstep-system", name: "lockstep" });
  expect((await lease()).spec?.holderIdentity).toMatch(/_\d+_/);

  await client.create(statefulSetResource, statefulSetOf({ replicas: 2 }));
  const key = { namespace: "default", name: "web" };
  while (!isRolledOut(await client.get<StatefulSet>(statefulSetResource, key))) await delay(50);

  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const names = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "lockstep_queue_depth",
      "lockstep_queue_wait_seconds",
      "lockstep_queue_retries_total",
      "lockstep_reconcile_seconds",
      "lockstep_reconcile_errors_total",
      "lockstep_cache_lag_seconds",
      "lockstep_cache_objects",
      "lockstep_api_calls_total",
      "statefulset_controller_statefulset_max_unavailable",
      "statefulset_controller_statefulset_unavailable_replicas",
    ]),
  );
  expect(metrics).toMatch(/lockstep_api_calls_total\{verb="create",resource="pods",code="201"\} 2/);
  expect(metrics).toContain("lockstep_leader 1\n");
  const web = 'kind="StatefulSet",namespace="default",name="web"';
  expect(metrics).toContain(`lockstep_rollout_desired{${web}} 2`);
  for (const path of ["healthz", "readyz"]) {
    expect((await fetch(`http://127.0.0.1:${port}/${path}`)).status).toBe(200);
  }

  operator.signal("SIGTERM");
  const { code, output } = await operator.ended;
  expect(code).toBe(0);
  expect((await lease()).spec?.holderIdentity ?? "").toBe("");
  const lines = output.trim().split("\n");
  const logs = lines.map((line) => JSON.parse(line) as Record<string, string>);
  const looks = logs.filter(({ msg }) => msg === "reconciled");
  expect(looks.length).toBeGreaterThan(0);
  expect(new Set(looks.map((log) => `${log["controller"]} ${log["key"]}`))).toEqual(
    new Set(["statefulset default/web"]),
  );
  const leaseKey = "lockstep-system/lockstep";
  expect(logs.find(({ msg }) => msg === "lease taken")).toMatchObject({ lease: leaseKey });
  expect(logs.map(({ msg }) => msg).filter((msg) => /lease|stop/.test(msg ?? ""))).toEqual([
    "lease taken",
    "stopping: finishing what is at work",
    "stopped; the lease is given back",
  ]);
});
