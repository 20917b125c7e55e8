/** What the benchmarks on a real API server share: the operator as a process, nodes, and the meters. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeResource } from "../src/api/node.ts";
import type { KubeObject } from "../src/api/object.ts";
import type { Resource } from "../src/api/resource.ts";
import { Cache } from "../src/runtime/cache.ts";
import type { Client } from "../src/runtime/client.ts";
import type { Selection } from "../src/runtime/reflector.ts";
import { systemClock } from "../src/runtime/system-clock.ts";
import type { ControlPlane } from "../test/control-plane/control-plane.ts";
import { fakeNode } from "../test/control-plane/control-plane.ts";

export interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

/** The first argument names the controllers; others follow as they are. */
export function startOperator(plane: ControlPlane, args: readonly string[]): Promise<Running> {
  const flags = ["--kubeconfig", plane.kubeconfig, "--no-leader-elect", "--metrics-port", "0"];
  const program = join(import.meta.dirname, "..", "bin", "lockstep.mjs");
  const profile = process.env["LOCKSTEP_BENCH_NODE_FLAGS"]?.split(" ") ?? [];
  const level = process.env["LOCKSTEP_BENCH_LOG_LEVEL"] ?? "warn";
  const what = ["operator", "--controllers", ...args];
  const command = [...profile, program, ...what, ...flags, "--log-level", level];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "inherit", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = (): Promise<void> => {
    child.kill("SIGTERM");
    return ended;
  };
  return Promise.resolve({ pid: child.pid ?? 0, stop });
}

const podsPerNode = 100;

export async function ensureNodesFor(client: Client, pods: number): Promise<void> {
  const { items } = await client.list(nodeResource);
  for (let index = items.length; index < Math.ceil(pods / podsPerNode); index++) {
    await client.create(nodeResource, fakeNode(`node-${index}`) as never);
  }
}

/** A controller of somebody else, which was built outside of this repository. */
export function startProgram(file: string, args: readonly string[]): Promise<Running> {
  const child = spawn(file, args, { stdio: ["ignore", "ignore", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = (): Promise<void> => {
    child.kill("SIGTERM");
    return ended;
  };
  return Promise.resolve({ pid: child.pid ?? 0, stop });
}

interface AuditLine {
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly userAgent?: string;
  readonly verb: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

const writeVerbs = new Set(["create", "update", "patch", "delete"]);

export function countWrites(
  file: string,
  fromByte: number,
  userAgent: RegExp,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { userAgent: agent = "", verb, objectRef = {} } of auditLines(file, fromByte)) {
    const { resource = "", subresource } = objectRef;
    if (!writeVerbs.has(verb) || !userAgent.test(agent) || resource === "leases") continue;
    const what = `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

const auditLines = (file: string, fromByte: number): readonly AuditLine[] =>
  readFileSync(file)
    .subarray(fromByte)
    .toString("utf8")
    .split("\n")
    .filter((text) => text !== "")
    .map((line) => JSON.parse(line) as AuditLine);

/** From the first write that was received to the last one of a resource that was answered, by the server's clock. */
export function secondsToLastWrite(
  file: string,
  fromByte: number,
  { resource, userAgent }: { readonly resource: string; readonly userAgent: RegExp },
): number {
  const writes = auditLines(file, fromByte).filter(({ verb }) => writeVerbs.has(verb));
  const [first, ...others] = writes.map((line) => Date.parse(line.requestReceivedTimestamp));
  const answered = writes
    .filter((line) => userAgent.test(line.userAgent ?? "") && line.objectRef?.resource === resource)
    .map((line) => Date.parse(line.stageTimestamp));
  const startMs = others.reduce((a, b) => Math.min(a, b), first ?? 0);
  return answered.length === 0 ? 0 : (Math.max(...answered) - startMs) / 1000;
}

/** User and system time of a process, in the kernel's hundredths of a second. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export interface Memory {
  /** What the process holds now, and the most it ever held. */
  readonly residentMegabytes: number;
  readonly peakMegabytes: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1000;
  return { residentMegabytes: megabytes("VmRSS"), peakMegabytes: megabytes("VmHWM") };
}

export interface Followed<T extends KubeObject> {
  /** All that is there now. */
  list(): readonly T[];
  /** Resolves as soon as all that is there is as wanted. */
  until(isSo: (objects: readonly T[]) => boolean): Promise<void>;
  /** Returns how to stop listening. */
  onDeleted(listener: (object: T) => void): () => void;
  end(): void;
}

/** Watches instead of asking again and again: asking would cost the server what is measured. */
export async function following<T extends KubeObject>(
  client: Client,
  resource: Resource,
  selection: Selection,
): Promise<Followed<T>> {
  const cache = new Cache<T>({ client, clock: systemClock(), resource, selection });
  cache.start();
  await cache.whenSynced();
  return {
    list: () => cache.list(),
    until: (isSo) =>
      new Promise((resolve) => {
        let unfollow = (): void => undefined;
        const look = (): void => {
          if (!isSo(cache.list())) return;
          unfollow();
          resolve();
        };
        unfollow = cache.onChange(look);
        look();
      }),
    onDeleted: (listener) =>
      cache.onChange((change) => {
        if (change.type === "deleted") listener(change.object);
      }),
    end: () => cache.stop(),
  };
}

export async function secondsOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
