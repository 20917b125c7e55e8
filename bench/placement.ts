/**
 * Placements on a real API server: a cluster that sorts first joins a fleet, under both strategies; growth with the
 * fleet; many Placements at once; and heartbeats of clusters.
 *
 *   npx tsx bench/placement.ts [--clusters 3500] [--rounds 1] [--growth] [--many] [--ocm FILE]
 *
 * With --ocm the placement controller of Open Cluster Management in this file is measured too, under All: both in turn,
 * on the same API server and in the same minutes, so many rounds. It is built outside of the checks:
 *
 *   cd tools/ocm-scheduler && go mod tidy
 *   go build -o /tmp/ocm-placement open-cluster-management.io/ocm/cmd/placement
 */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../src/api/ocm/managed-cluster.ts";
import type { Placement, PlacementSpec } from "../src/api/ocm/placement.ts";
import { placementDecisionResource, placementResource } from "../src/api/ocm/placement.ts";
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
import type { Running } from "./measure.ts";
import {
  countWrites,
  cpuSeconds,
  memoryOf,
  secondsToLastWrite,
  startOperator,
  startProgram,
} from "./measure.ts";

const namespace = "default";

interface Bench {
  readonly plane: ControlPlane;
  readonly client: Client;
}

/** The controller that is measured. */
interface Measured extends Bench {
  readonly pid: number;
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
async function costOf(bench: Measured, act: () => Promise<void>): Promise<Cost> {
  const { plane, pid, userAgent } = bench;
  const from = statSync(plane.auditLog).size;
  const cpuBefore = cpuSeconds(pid);
  const startedMs = performance.now();
  await act();
  const seconds = (performance.now() - startedMs) / 1000;
  // Events and the last look of a controller come after its status.
  await delay(1_500);
  const cpu = cpuSeconds(pid) - cpuBefore;
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
  measured.set(what, [
    ...(measured.get(what) ?? []),
    { seconds, lastWriteSeconds, cpuSeconds: cpu },
  ]);
}

type Times = Pick<Cost, "seconds" | "lastWriteSeconds" | "cpuSeconds">;
const measured = new Map<string, Times[]>();

/** Of several rounds the one in the middle, and between which bounds the others lie. */
function printMedians(): void {
  for (const [what, rounds] of measured) {
    const range = (of: (times: Times) => number): string => {
      const sorted = rounds.map(of).toSorted((a, b) => a - b);
      const [least = 0, middle = 0, most = 0] = [0, Math.floor(sorted.length / 2), -1].map((at) =>
        sorted.at(at),
      );
      return `${middle.toFixed(2)} s (${least.toFixed(2)} to ${most.toFixed(2)})`;
    };
    const lastWrite = range((times) => times.lastWriteSeconds);
    const cpu = range((times) => times.cpuSeconds);
    console.log(
      `${what}, median of ${rounds.length}: ${lastWrite} to the last decision, CPU ${cpu}`,
    );
  }
}

async function insertFirst(
  bench: Measured,
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
  await withoutDecisions(bench);
}

/** The next Placement of the name would take over what the garbage collector has not deleted yet. */
async function withoutDecisions({ client }: Bench): Promise<void> {
  while ((await client.list(placementDecisionResource, { namespace })).items.length > 0) {
    await delay(500);
  }
}

const placements = 1_000;

/** As the benchmark of Open Cluster Management has it: 10 of the fleet each, by CPU and Balance. */
async function many(bench: Measured, fleet: number, what: string): Promise<void> {
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
  print(`${what}, ${placements} placements x ${fleet} clusters`, cost);
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
  print(`${what}, heartbeats of 200 clusters`, beats);
  await bench.client.deleteCollection(placementResource, { namespace });
  await withoutDecisions(bench);
}

const { values } = parseArgs({
  options: {
    clusters: { type: "string", default: "3500" },
    rounds: { type: "string", default: "1" },
    growth: { type: "boolean", default: false },
    many: { type: "boolean", default: false },
    ocm: { type: "string" },
  },
});

interface Contender {
  readonly name: string;
  readonly userAgent: RegExp;
  readonly strategies: readonly DecisionUpdateStrategy[];
  start(plane: ControlPlane): Promise<Running>;
}

const lockstep: Contender = {
  name: "Lockstep",
  userAgent: /^lockstep$/,
  strategies: ["All", "RollingUpdate"],
  start: (plane) => startOperator(plane, ["placement", "--kube-api-qps", "0"]),
};

/** Its client limits are off, as those of the measured controllers are raised. */
const openClusterManagement = (file: string): Contender => ({
  name: "Open Cluster Management",
  // Go programs say their own name.
  userAgent: new RegExp(`^${basename(file)}/`),
  strategies: ["All"],
  start: ({ kubeconfig }) => {
    const limits = ["--kube-api-qps", "5000", "--kube-api-burst", "5000"];
    const connection = ["--kubeconfig", kubeconfig, "--namespace", namespace];
    return startProgram(file, [
      "controller",
      "--disable-leader-election",
      ...connection,
      ...limits,
    ]);
  },
});

/** It has listed everything when it has brought a first Placement to its end, and rests then. */
async function warmUp(bench: Measured, fleet: number): Promise<void> {
  await bench.client.create(placementResource, placementObject("warm", {}));
  await selects(bench, "warm", fleet);
  await bench.client.delete(placementResource, { namespace, name: "warm" });
  await withoutDecisions(bench);
  await delay(1_000);
}

async function measure(bench: Bench, contender: Contender, fleet: number): Promise<void> {
  const { name, userAgent, strategies } = contender;
  const running = await contender.start(bench.plane);
  const measured = { ...bench, pid: running.pid, userAgent };
  try {
    await warmUp(measured, fleet);
    if (values.many) await many(measured, fleet, name);
    else {
      for (const type of strategies) {
        await insertFirst(measured, fleet, inGroupsOf("100%", type), `${name}, ${type}`);
      }
    }
    console.log(`${name}: resident ${memoryOf(running.pid).residentMegabytes} MB`);
  } finally {
    await running.stop();
  }
}

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
const contenders = [
  lockstep,
  ...(values.ocm === undefined ? [] : [openClusterManagement(values.ocm)]),
];
const sizeOf = values.many ? 1_000 : Number(values.clusters);
const sizes = values.growth ? [500, 1_000, 2_000, 4_000] : [sizeOf];
try {
  let made = 0;
  for (const size of sizes) {
    await inParallel(clusters(made + 1, size), (name) =>
      client.create(managedClusterResource, clusterOf(name)),
    );
    made = size;
    const turns = Array.from({ length: Number(values.rounds) }, () => contenders).flat();
    for (const contender of turns) await measure({ plane, client }, contender, size);
  }
  if (Number(values.rounds) > 1) printMedians();
} finally {
  transport.close();
  await plane.stop();
}
