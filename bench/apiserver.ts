/**
 * Creates, lists, watches and memory of the embedded server; in the same run of a real kube-apiserver with
 * etcd where its binaries are present. Run: `npx tsx bench/apiserver.ts [pods]`.
 *
 * Both serve https with the same client beside them on the same machine. Rates by the clock depend on what
 * else the machine does; processor time per request, of all server processes together, hardly does.
 */
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../scripts/build.mjs";
import { findBinary } from "../tools/control-plane/build.ts";
import type { ApiEndpoint } from "../test/contract/endpoint.ts";
import { startControlPlane } from "../test/control-plane/control-plane.ts";

const podCount = Number(process.argv[2] ?? 10_000);
const inFlight = 64;
const watcherCount = 50;
const fanOutPods = 400;

interface Subject extends ApiEndpoint {
  readonly pids: readonly number[];
  stop(): Promise<void> | void;
}

interface Measures {
  readonly createsPerSecond: number;
  readonly createCpuMicroseconds: number;
  readonly listMs: number;
  readonly listCpuMs: number;
  readonly listMegabytes: number;
  readonly eventsPerSecond: number;
  readonly eventCpuMicroseconds: number;
  /** Resident memory with all pods stored; for the real one of apiserver and etcd together. */
  readonly residentMegabytes: number;
}

const pod = (name: string): unknown => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: {
    name,
    labels: { app: "bench", "app.kubernetes.io/name": "bench", role: "worker" },
    annotations: { "lockstep.dev/note": "a pod of average size for a benchmark of API servers" },
  },
  spec: {
    containers: ["main", "sidecar"].map((container) => ({
      name: container,
      image: `registry.example/bench/${container}:v1`,
      ports: [{ containerPort: container === "main" ? 8080 : 8081 }],
      env: Array.from({ length: 6 }, (_, index) => ({ name: `VALUE_${index}`, value: `${index}` })),
      resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
    })),
  },
});

async function measure(subject: Subject): Promise<Measures> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight, ca: subject.ca });
  const ask = (method: string, path: string, body?: unknown): Promise<number> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${subject.token}`,
        ...(text === undefined ? {} : { "content-type": "application/json" }),
      };
      const outgoing = request(`${subject.url}${path}`, { method, agent, headers }, (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => (bytes += chunk.length));
        response.on("end", () => {
          const { statusCode = 0 } = response;
          if (statusCode >= 300) reject(new Error(`${method} ${path}: ${statusCode}`));
          else resolve(bytes);
        });
      });
      outgoing.on("error", reject);
      outgoing.end(text);
    });

  await ask("POST", "/api/v1/namespaces", { metadata: { name: "bench" } });
  const pods = "/api/v1/namespaces/bench/pods";
  const creating = await timed(subject, () =>
    inParallel(podCount, (index) => ask("POST", pods, pod(`pod-${index}`))),
  );
  await ask("GET", pods);
  const lists: Cost[] = [];
  let listBytes = 0;
  for (let round = 0; round < 5; round++) {
    lists.push(await timed(subject, async () => void (listBytes = await ask("GET", pods))));
  }
  const residentMegabytes = residentOf(subject.pids);
  const fannedOut = await fanOut(subject, ask);
  const events = fanOutPods * watcherCount;
  agent.destroy();
  return {
    createsPerSecond: (podCount / creating.wallMs) * 1000,
    createCpuMicroseconds: (creating.cpuMs / podCount) * 1000,
    listMs: lists.map((list) => list.wallMs).toSorted((a, b) => a - b)[2]!,
    listCpuMs: lists.reduce((sum, list) => sum + list.cpuMs, 0) / lists.length,
    listMegabytes: listBytes / 1e6,
    eventsPerSecond: (events / fannedOut.wallMs) * 1000,
    eventCpuMicroseconds: (fannedOut.cpuMs / events) * 1000,
    residentMegabytes,
  };
}

/** From the first of many creates until every watcher has seen them all. */
async function fanOut(
  subject: Subject,
  ask: (method: string, path: string, body?: unknown) => Promise<number>,
): Promise<Cost> {
  const agent = new Agent({ ca: subject.ca });
  await ask("POST", "/api/v1/namespaces", { metadata: { name: "fan-out" } });
  const pods = "/api/v1/namespaces/fan-out/pods";
  const seen = Array.from({ length: watcherCount }, () => openWatch(subject, agent, pods));
  await Promise.all(seen.map((watcher) => watcher.opened));
  const took = await timed(subject, async () => {
    await inParallel(fanOutPods, (index) => ask("POST", pods, pod(`pod-${index}`)));
    await Promise.all(seen.map((watcher) => watcher.complete));
  });
  agent.destroy();
  return took;
}

function openWatch(
  { url, token }: Subject,
  agent: Agent,
  path: string,
): { opened: Promise<void>; complete: Promise<void> } {
  let markOpened = (): void => undefined;
  const opened = new Promise<void>((resolve) => (markOpened = resolve));
  const complete = new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const outgoing = request(`${url}${path}?watch=1`, { agent, headers }, (response) => {
      markOpened();
      let lines = 0;
      response.on("data", (chunk: Buffer) => {
        for (const byte of chunk) if (byte === 10) lines++;
        if (lines >= fanOutPods) resolve();
      });
      response.on("error", () => undefined);
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
  return { opened, complete };
}

async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

interface Cost {
  readonly wallMs: number;
  /** Processor time of the server's processes. */
  readonly cpuMs: number;
}

async function timed({ pids }: Subject, work: () => Promise<unknown>): Promise<Cost> {
  const started = performance.now();
  const cpuBefore = cpuOf(pids);
  await work();
  return { wallMs: performance.now() - started, cpuMs: cpuOf(pids) - cpuBefore };
}

const millisecondsPerTick = 10;

function cpuOf(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .split(") ")[1]!
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return user! + system!;
  });
  return ticks.reduce((sum, one) => sum + one, 0) * millisecondsPerTick;
}

function residentOf(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  });
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1000;
}

/** Runs as it is published: bundled, nothing translated on the way. */
async function embedded(): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-bench-"));
  const file = join(folder, "server.mjs");
  await bundle(file, "bench/embedded-server.ts");
  const child = fork(file);
  const endpoint = await new Promise<ApiEndpoint>((resolve) => {
    child.once("message", (message) => resolve(message as ApiEndpoint));
  });
  const stop = (): void => {
    child.send("stop");
    rmSync(folder, { recursive: true });
  };
  return { ...endpoint, pids: [child.pid!], stop };
}

async function real(): Promise<Subject | undefined> {
  const needed = ["etcd", "kube-apiserver"] as const;
  if (needed.some((name) => findBinary(name) === undefined)) return undefined;
  const plane = await startControlPlane();
  return { ...plane, pids: Object.values(plane.pids), stop: () => plane.stop() };
}

function print(title: string, measures: Measures): void {
  console.log(title);
  for (const [name, value] of Object.entries(measures)) {
    console.log(`  ${name.padEnd(22)} ${Number(value).toFixed(1).padStart(10)}`);
  }
}

const ours = await embedded();
const mine = await measure(ours);
await ours.stop();
print(`embedded server, ${podCount} pods`, mine);
const other = await real();
if (other === undefined) {
  console.log("no kube-apiserver on this machine: nothing to compare with");
} else {
  const theirs = await measure(other);
  await other.stop();
  print(`kube-apiserver and etcd, ${podCount} pods`, theirs);
  const ratio = (a: number, b: number): string => (a / b).toFixed(1).padStart(10);
  const line = (name: string, wall: string, cpu: string): void =>
    console.log(`  ${name.padEnd(20)} ${wall}  ${cpu}`);
  console.log("times better than kube-apiserver and etcd");
  line("", "   by clock", "by processor time");
  line(
    "creates",
    ratio(mine.createsPerSecond, theirs.createsPerSecond),
    ratio(theirs.createCpuMicroseconds, mine.createCpuMicroseconds),
  );
  line("list", ratio(theirs.listMs, mine.listMs), ratio(theirs.listCpuMs, mine.listCpuMs));
  line(
    "watch events",
    ratio(mine.eventsPerSecond, theirs.eventsPerSecond),
    ratio(theirs.eventCpuMicroseconds, mine.eventCpuMicroseconds),
  );
  line("memory", ratio(theirs.residentMegabytes, mine.residentMegabytes), "");
}
