/** One StatefulSet rollout on a real API server under one controller: how long, how many writes, how much CPU. */
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { StatefulSet } from "../src/api/apps.ts";
import { statefulSetResource } from "../src/api/apps.ts";
import { clusterAccess } from "../src/kube/access.ts";
import { httpTransport } from "../src/kube/http-transport.ts";
import { loadKubeconfig } from "../src/kube/kubeconfig.ts";
import type { Client } from "../src/runtime/client.ts";
import { restClient } from "../src/runtime/rest-client.ts";
import { rolling, statefulSetOf } from "../test/builders/stateful-set-scenario.ts";
import type { ControlPlane } from "../test/control-plane/control-plane.ts";
import { startControlPlane } from "../test/control-plane/control-plane.ts";
import { startStatefulSetManager } from "../test/control-plane/stateful-set-manager.ts";
import type { Memory, Running } from "./measure.ts";
import { countWrites, cpuSeconds, ensureNodesFor, memoryOf, startOperator } from "./measure.ts";

export interface Measured extends Memory {
  readonly wallSeconds: number;
  readonly writesPerPod: number;
  /** By verb and resource, for those who ask where the writes go. */
  readonly writes: Readonly<Record<string, number>>;
  readonly cpuSeconds: number;
  /** Resident before there was a set. */
  readonly idleMegabytes: number;
  /** Resident some seconds after the rollout, the set still there. */
  readonly restMegabytes: number;
}

export interface Contender {
  readonly name: string;
  /** What its requests are known by in the audit log. */
  readonly userAgent: RegExp;
  start(plane: ControlPlane): Promise<Running>;
}

const namespace = "default";
/** Both contenders give memory back some time after they needed it. */
const restMs = 12_000;

const upstreamAgent = /^kube-controller-manager\/.*statefulset-controller/;

/** Its client limits raised, so that they are not what is measured. */
export const upstream: Contender = {
  name: "upstream",
  userAgent: upstreamAgent,
  start: (plane) => startStatefulSetManager(plane, { qps: 5000 }),
};

/** As it comes: 20 requests a second. */
export const upstreamAsItComes: Contender = {
  name: "upstream-as-it-comes",
  userAgent: upstreamAgent,
  start: (plane) => startStatefulSetManager(plane),
};

export const lockstep: Contender = {
  name: "lockstep",
  userAgent: /^lockstep$/,
  start: (plane) => startOperator(plane, ["statefulset", "--statefulset-mode", "full"]),
};

/** Pods are Ready a second after binding and gone half a second after their deletion. */
export function benchPlane(): Promise<ControlPlane> {
  return startControlPlane({
    controllerManager: { controllers: ["*", "-statefulset-controller"] },
    scheduler: true,
    kwok: { startDelayMs: 1000, stopDelayMs: 500 },
    audit: true,
    // A log that is rotated away in the middle of a run would lose the writes that are counted.
    apiserverFlags: ["--audit-log-maxsize=10000"],
    qps: 5000,
  });
}

export async function measureRollout(
  plane: ControlPlane,
  contender: Contender,
  pods: number,
): Promise<Measured> {
  const transport = httpTransport(clusterAccess(loadKubeconfig([plane.kubeconfig], true)), {
    userAgent: "bench",
  });
  const client = restClient(transport);
  const running = await contender.start(plane);
  try {
    await ensureNodesFor(client, pods * 1.2);
    return await rollOut({ client, plane, contender, pods, pid: running.pid });
  } finally {
    await running.stop();
    transport.close();
  }
}

interface Subject {
  readonly client: Client;
  readonly plane: ControlPlane;
  readonly contender: Contender;
  readonly pods: number;
  readonly pid: number;
}

async function rollOut(subject: Subject): Promise<Measured> {
  const { client, plane, contender, pods, pid } = subject;
  const name = `bench-${contender.name}-${pods}`;
  const spec = { podManagementPolicy: "Parallel", ...rolling("10%") } as const;
  await delay(2_000);
  const { residentMegabytes: idleMegabytes } = memoryOf(pid);
  await client.create(statefulSetResource, statefulSetOf({ name, replicas: pods, spec }));
  await untilRolledOut(client, name);
  await delay(2_000);
  const startedAtByte = statSync(plane.auditLog).size;
  const cpuBefore = cpuSeconds(pid);
  const started = performance.now();
  const body = { spec: { template: { spec: { containers: [{ name: "app", image: "web:v2" }] } } } };
  await client.patch(statefulSetResource, { namespace, name }, { type: "merge", body });
  await untilRolledOut(client, name);
  const wallSeconds = (performance.now() - started) / 1000;
  // Events and the last counters trail behind; they count too.
  await delay(2_000);
  const cpu = cpuSeconds(pid) - cpuBefore;
  const writes = countWrites(plane.auditLog, startedAtByte, contender.userAgent);
  const memory = memoryOf(pid);
  await delay(restMs);
  const { residentMegabytes: restMegabytes } = memoryOf(pid);
  await client.delete(statefulSetResource, { namespace, name });
  await delay(1_000);
  const total = Object.values(writes).reduce((sum, count) => sum + count, 0);
  const writesPerPod = total / pods;
  const kept = { idleMegabytes, restMegabytes, ...memory };
  return { wallSeconds, writesPerPod, writes, cpuSeconds: cpu, ...kept };
}

async function untilRolledOut(client: Client, name: string): Promise<void> {
  for (;;) {
    const { metadata, spec, status } = await client.get<StatefulSet>(statefulSetResource, {
      namespace,
      name,
    });
    const isSeen = status?.observedGeneration === metadata.generation;
    const isDone =
      status?.updatedReplicas === spec.replicas && status?.readyReplicas === spec.replicas;
    if (isSeen && isDone && status?.currentRevision === status?.updateRevision) return;
    await delay(50);
  }
}
