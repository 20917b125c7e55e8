/**
 * Creates, lists, watches and memory of the embedded server; in the same run of a real kube-apiserver with
 * etcd where its binaries are present. Run: `npx tsx bench/apiserver.ts [pods]`.
 */
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
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
  /** Higher is better. */
  readonly createsPerSecond: number;
  readonly listMs: number;
  readonly listMegabytes: number;
  readonly eventsPerSecond: number;
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
  const creating = await timed(() =>
    inParallel(podCount, (index) => ask("POST", pods, pod(`pod-${index}`))),
  );
  await ask("GET", pods);
  const listTimes: number[] = [];
  let listBytes = 0;
  for (let round = 0; round < 5; round++) {
    listTimes.push(await timed(async () => void (listBytes = await ask("GET", pods))));
  }
  const residentMegabytes = residentOf(subject.pids);
  const fanOutMs = await fanOut(subject, ask);
  agent.destroy();
  return {
    createsPerSecond: (podCount / creating) * 1000,
    listMs: listTimes.toSorted((a, b) => a - b)[2]!,
    listMegabytes: listBytes / 1e6,
    eventsPerSecond: ((fanOutPods * watcherCount) / fanOutMs) * 1000,
    residentMegabytes,
  };
}

/** Time from the first of many creates until every watcher has seen them all. */
async function fanOut(
  subject: Subject,
  ask: (method: string, path: string, body?: unknown) => Promise<number>,
): Promise<number> {
  const agent = new Agent({ ca: subject.ca });
  await ask("POST", "/api/v1/namespaces", { metadata: { name: "fan-out" } });
  const pods = "/api/v1/namespaces/fan-out/pods";
  const seen = Array.from({ length: watcherCount }, () => openWatch(subject, agent, pods));
  await Promise.all(seen.map((watcher) => watcher.opened));
  const took = await timed(async () => {
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

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function residentOf(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  });
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1000;
}

async function embedded(): Promise<Subject> {
  const child = fork("bench/embedded-server.ts", { execArgv: ["--import", "tsx"] });
  const endpoint = await new Promise<ApiEndpoint>((resolve) => {
    child.once("message", (message) => resolve(message as ApiEndpoint));
  });
  return { ...endpoint, pids: [child.pid!], stop: () => void child.send("stop") };
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
    console.log(`  ${name.padEnd(20)} ${Number(value).toFixed(1).padStart(10)}`);
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
  console.log("times better than kube-apiserver and etcd");
  console.log(`  creates              ${ratio(mine.createsPerSecond, theirs.createsPerSecond)}`);
  console.log(`  list                 ${ratio(theirs.listMs, mine.listMs)}`);
  console.log(`  watch events         ${ratio(mine.eventsPerSecond, theirs.eventsPerSecond)}`);
  console.log(`  memory               ${ratio(theirs.residentMegabytes, mine.residentMegabytes)}`);
}
