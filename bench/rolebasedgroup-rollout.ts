/** One rollout of a RoleBasedGroup on a real API server: how long, how many writes, how far the roles were apart. */
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Pod } from "../src/api/pod.ts";
import { isReady, podResource } from "../src/api/pod.ts";
import { labelKeys } from "../src/api/rbg/labels.ts";
import type { RoleBasedGroup } from "../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../src/api/rbg/rolebasedgroup.ts";
import { installDefinitions } from "../src/cli/definitions.ts";
import { clusterAccess } from "../src/kube/access.ts";
import { httpTransport } from "../src/kube/http-transport.ts";
import { loadKubeconfig } from "../src/kube/kubeconfig.ts";
import type { Client } from "../src/runtime/client.ts";
import { restClient } from "../src/runtime/rest-client.ts";
import { groupOf } from "../test/builders/role-based-group-scenario.ts";
import type { ControlPlane } from "../test/control-plane/control-plane.ts";
import { startStatefulSetManager } from "../test/control-plane/stateful-set-manager.ts";
import { countWrites, cpuSeconds, ensureNodesFor, following, startOperator } from "./measure.ts";

export interface GroupRun {
  readonly prefill: number;
  readonly decode: number;
  readonly maxSkew: string;
  /** Who makes the pods: Lockstep's StatefulSet controller or that of Kubernetes. */
  readonly sets: "lockstep" | "kubernetes";
}

export interface GroupMeasured {
  readonly wallSeconds: number;
  readonly writesPerPod: number;
  readonly writes: Readonly<Record<string, number>>;
  readonly cpuSeconds: number;
  readonly podsCreatedPerPod: number;
  /** The widest gap between the shares of new pods that were there, in percent. */
  readonly widestSkew: number;
}

const namespace = "default";

export async function measureGroup(plane: ControlPlane, run: GroupRun): Promise<GroupMeasured> {
  const access = clusterAccess(loadKubeconfig([plane.kubeconfig], true));
  const transport = httpTransport(access, { userAgent: "bench" });
  const client = restClient(transport);
  await installDefinitions(client);
  await ensureNodesFor(client, (run.prefill + run.decode) * 1.3);
  const isOurs = run.sets === "lockstep";
  const manager = isOurs ? undefined : await startStatefulSetManager(plane, { qps: 5000 });
  const controllers = isOurs ? "statefulset,rolebasedgroup" : "rolebasedgroup";
  const flags = isOurs ? ["--statefulset-mode", "full"] : [];
  const operator = await startOperator(plane, [controllers, ...flags]);
  try {
    return await rollOut(client, plane, run, operator.pid);
  } finally {
    await operator.stop();
    await manager?.stop();
    transport.close();
  }
}

async function rollOut(
  client: Client,
  plane: ControlPlane,
  run: GroupRun,
  pid: number,
): Promise<GroupMeasured> {
  const name = `b${run.prefill}-${run.maxSkew.replace("%", "")}-${run.sets}`;
  const sizes = { prefill: run.prefill, decode: run.decode };
  const strategy = { maxUnavailableRatio: "10%", maxSkew: run.maxSkew };
  const labelSelector = `${labelKeys.groupName}=${name}`;
  const pods = await following<Pod>(client, podResource, { namespace, labelSelector });
  const total = run.prefill + run.decode;
  await client.create(roleBasedGroupResource, groupOf({ name, sizes, strategy }));
  await pods.until((all) => isAll(all, total, "web:v1"));
  await delay(5_000);
  const old = new Set(pods.list().map(({ metadata }) => metadata.uid));
  const created = new Set<string>();
  let widestSkew = 0;
  const look = setInterval(() => {
    for (const { metadata } of pods.list()) {
      if (!old.has(metadata.uid)) created.add(metadata.uid ?? "");
    }
    widestSkew = Math.max(widestSkew, skewOf(pods.list(), sizes));
  }, 10);
  const startedAtByte = statSync(plane.auditLog).size;
  const cpuBefore = cpuSeconds(pid);
  const started = performance.now();
  await setImage(client, name, "web:v2");
  await pods.until((all) => isAll(all, total, "web:v2"));
  const wallSeconds = (performance.now() - started) / 1000;
  // Events, labels and the last counters trail behind; they count too.
  await delay(5_000);
  clearInterval(look);
  const writes = countWrites(plane.auditLog, startedAtByte, /^lockstep$/);
  const cpu = cpuSeconds(pid) - cpuBefore;
  await client.delete(roleBasedGroupResource, { namespace, name });
  await pods.until((all) => all.length === 0);
  pods.end();
  const sum = Object.values(writes).reduce((all, count) => all + count, 0);
  return {
    wallSeconds,
    writesPerPod: sum / total,
    writes,
    cpuSeconds: cpu,
    podsCreatedPerPod: created.size / total,
    widestSkew,
  };
}

const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? "";

const isAll = (pods: readonly Pod[], total: number, image: string): boolean =>
  pods.length === total && pods.every((pod) => isReady(pod) && imageOf(pod) === image);

function skewOf(pods: readonly Pod[], sizes: Readonly<Record<string, number>>): number {
  const shares = Object.entries(sizes).map(([role, size]) => {
    const updated = pods.filter(
      (pod) => imageOf(pod) === "web:v2" && pod.metadata.labels?.[labelKeys.roleName] === role,
    );
    return updated.length / size;
  });
  return 100 * (Math.max(...shares) - Math.min(...shares));
}

async function setImage(client: Client, name: string, image: string): Promise<void> {
  const key = { namespace, name };
  const { spec } = await client.get<RoleBasedGroup>(roleBasedGroupResource, key);
  const roles = spec.roles.map((role) => ({
    ...role,
    template: { spec: { containers: [{ name: "app", image }] } },
  }));
  const patch = { type: "merge", body: { spec: { roles } } } as const;
  await client.patch(roleBasedGroupResource, key, patch);
}
