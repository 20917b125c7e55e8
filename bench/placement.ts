/**
 * Placements on a real API server: a cluster that sorts first joins a fleet, under both strategies; growth with the
 * fleet; many Placements at once; and heartbeats of clusters.
 *
 *   npx tsx bench/placement.ts [--clusters 3500] [--growth] [--many] [--ocm FILE]
 *
 * With --ocm the placement controller of Open Cluster Management in this file is measured instead, under All.
 */
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../src/api/ocm/managed-cluster.ts";
import type { Placement, PlacementSpec } from "../src/api/ocm/placement.ts";
import { placementResource } from "../src/api/ocm/placement.ts";
import { installDefinitions } from "../src/cli/definitions.ts";
import { clusterAccess } from "../src/kube/access.ts";
import { httpTransport } from "../src/kube/http-transport.ts";
import { loadKubeconfig } from "../src/kube/kubeconfig.ts";
import type { DecisionUpdateStrategy } from "../src/planner/index.ts";
import type { Client } from "../src/runtime/client.ts";
import { restClient } from "../src/runtime/rest-client.ts";
import { clusters } from "../test/builders/placement.ts";
import {
  bindingOf,
  clusterOf,
  inGroupsOf,
  placementObject,
  setName,
  setOf,
} from "../test/builders/placement-scenario.ts";
import type { ControlPlane } from "../test/control-plane/control-plane.ts";
import { startControlPlane } from "../test/control-plane/control-plane.ts";
import {
  countWrites,
  cpuSeconds,
  memoryOf,
  secondsToLastWrite,
  startOperator,
  startProgram,
} from "./measure.ts";

const namespace = "default";
const ours = /^lockstep$/;
const theirs = /^placement\//;

interface Bench {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly pid: number;
  /** Of the controller that is measured. */
  readonly userAgent: RegExp;
}

/** So many requests at a time: the benchmark must not be what is measured. */
async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 20 }, worker));
}

const placementOf = ({ client }: Bench, name: string): Promise<Placement> =>
  client.get<Placement>(placementResource, { namespace, name });

async function selects(bench: Bench, name: string, count: number): Promise<void> {
  for (;;) {
    const { status } = await placementOf(bench, name);
    if (status?.numberOfSelectedClusters === count) return;
    await delay(10);
  }
}

interface Cost {
  readonly seconds: number;
  readonly lastWriteSeconds: number;
  readonly writes: Readonly<Record<string, number>>;
  readonly cpuSeconds: number;
}

/** From the request until the Placement says that it is done; events aside. */
async function costOf(bench: Bench, act: () => Promise<void>): Promise<Cost> {
  const { plane, pid, userAgent } = bench;
  const from = statSync(plane.auditLog).size;
  const cpuBefore = cpuSeconds(pid);
  const startedMs = performance.now();
  await act();
  const seconds = (performance.now() - startedMs) / 1000;
  const cpu = cpuSeconds(pid) - cpuBefore;
  await delay(1_500);
  const decisions = { resource: "placementdecisions", userAgent };
  return {
    seconds,
    lastWriteSeconds: secondsToLastWrite(plane.auditLog, from, decisions),
    writes: countWrites(plane.auditLog, from, userAgent),
    cpuSeconds: cpu,
  };
}

function print(what: string, { seconds, lastWriteSeconds, writes, cpuSeconds: cpu }: Cost): void {
  const decisions = Object.entries(writes).filter(([call]) => call.includes("placementdecisions"));
  const sum = (calls: readonly [string, number][]): number =>
    calls.reduce((all, [, count]) => all + count, 0);
  const detail = Object.entries(writes)
    .map(([call, count]) => `${count} ${call}`)
    .join(", ");
  const times = `${seconds.toFixed(2)} s, ${lastWriteSeconds.toFixed(2)} s to the last decision`;
  const figures = `${times}, ${sum(decisions)} decision writes, CPU ${cpu.toFixed(2)} s`;
  console.log(`${what}: ${figures} (${detail})`);
}

async function insertFirst(
  bench: Bench,
  fleet: number,
  spec: PlacementSpec,
  what: string,
): Promise<void> {
  const { client } = bench;
  const created = await costOf(bench, async () => {
    await client.create(placementResource, placementObject("web", spec));
    await selects(bench, "web", fleet);
  });
  print(`${what}, ${fleet} clusters, first decisions`, created);
  const inserted = await costOf(bench, async () => {
    await client.create(managedClusterResource, clusterOf("c00000"));
    await selects(bench, "web", fleet + 1);
  });
  print(`${what}, ${fleet} clusters, insert one that sorts first`, inserted);
  await client.delete(managedClusterResource, { name: "c00000" });
  await selects(bench, "web", fleet);
  await client.delete(placementResource, { namespace, name: "web" });
  await delay(2_000);
}

async function insertFirstUnder(
  strategies: readonly DecisionUpdateStrategy[],
  bench: Bench,
  fleet: number,
): Promise<void> {
  for (const type of strategies) await insertFirst(bench, fleet, inGroupsOf("100%", type), type);
}

const placements = 1_000;

/** As the benchmark of Open Cluster Management has it: 10 of the fleet each, by CPU and Balance. */
async function many(bench: Bench, fleet: number): Promise<void> {
  const scores = ["ResourceAllocatableCPU", "Balance"].map((builtIn) => ({
    scoreCoordinate: { builtIn },
  }));
  const spec = {
    numberOfClusters: 10,
    prioritizerPolicy: { mode: "Exact", configurations: scores },
  };
  const names = Array.from({ length: placements }, (_, at) => `p${at}`);
  const cost = await costOf(bench, async () => {
    await inParallel(names, (name) =>
      bench.client.create(placementResource, placementObject(name, spec)),
    );
    for (const name of names) await selects(bench, name, 10);
  });
  print(`${placements} placements x ${fleet} clusters`, cost);
  const conditions = [
    {
      type: "HubAcceptedManagedCluster",
      status: "True",
      reason: "Beat",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ];
  const beats = await costOf(bench, async () => {
    await inParallel(clusters(1, 200), (name) =>
      bench.client.patch(
        managedClusterResource,
        { name },
        { type: "merge", body: { status: { conditions } } },
        { subresource: "status" },
      ),
    );
  });
  print(`heartbeats of 200 clusters`, beats);
}

const { values } = parseArgs({
  options: {
    clusters: { type: "string", default: "3500" },
    growth: { type: "boolean", default: false },
    many: { type: "boolean", default: false },
    ocm: { type: "string" },
  },
});

const plane = await startControlPlane({
  controllerManager: { controllers: ["garbage-collector-controller"] },
  audit: true,
  apiserverFlags: ["--audit-log-maxsize=10000"],
  qps: 5000,
});
const transport = httpTransport(clusterAccess(loadKubeconfig([plane.kubeconfig], true)), {
  userAgent: "bench",
});
const client = restClient(transport);
await installDefinitions(client);
await client.create(clusterSetResource, setOf(setName));
await client.create(clusterSetBindingResource, bindingOf(setName));
// Its client limits are off, as those of the measured controllers are raised.
const ocmFlags = [
  "controller",
  "--disable-leader-election",
  "--kubeconfig",
  plane.kubeconfig,
  "--namespace",
  namespace,
  "--kube-api-qps",
  "5000",
  "--kube-api-burst",
  "5000",
];
const running = await (values.ocm === undefined
  ? startOperator(plane, ["placement", "--kube-api-qps", "0"])
  : startProgram(values.ocm, ocmFlags));
const userAgent = values.ocm === undefined ? ours : theirs;
const strategies =
  values.ocm === undefined ? (["All", "RollingUpdate"] as const) : (["All"] as const);
const bench = { plane, client, pid: running.pid, userAgent };
try {
  const sizes = values.growth
    ? [500, 1_000, 2_000, 4_000]
    : values.many
      ? [1_000]
      : [Number(values.clusters)];
  let made = 0;
  for (const size of sizes) {
    await inParallel(clusters(made + 1, size), (name) =>
      client.create(managedClusterResource, clusterOf(name)),
    );
    made = size;
    await delay(1_000);
    if (values.many) await many(bench, size);
    else await insertFirstUnder(strategies, bench, size);
    const { residentMegabytes } = memoryOf(running.pid);
    console.log(`resident ${residentMegabytes} MB`);
  }
} finally {
  await running.stop();
  transport.close();
  await plane.stop();
}
