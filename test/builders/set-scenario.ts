/** A StatefulSet on a simulated cluster in virtual time: told in steps, watched at every event. */
import type { StatefulSet, StatefulSetSpec } from "../../src/api/apps.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import { revisionLabel } from "../../src/controllers/statefulset/identity.ts";
import type { Client } from "../../src/runtime/client.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { Transport } from "../../src/runtime/transport.ts";
import { countWrites } from "./count-writes.ts";
import { simulation } from "./simulation.ts";

export interface SetOptions {
  readonly name?: string;
  readonly replicas?: number;
  readonly image?: string;
  readonly annotations?: Record<string, string>;
  /** Pods need a readiness gate that the test opens. */
  readonly gated?: boolean;
  readonly spec?: Partial<StatefulSetSpec>;
}

const namespace = "default";

export function setOf({
  name = "web",
  replicas = 3,
  image = "web:v1",
  annotations,
  gated = false,
  spec,
}: SetOptions): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [{ name: "app", image }],
          ...(gated ? { readinessGates: [{ conditionType: gate }] } : {}),
        },
      },
      ...spec,
    },
  };
}

export const rolling = (
  maxUnavailable: number | string,
  partition = 0,
): Partial<StatefulSetSpec> => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable, partition } },
});

/** What stands between the operator and the API server. */
export type Between = (transport: Transport, clock: VirtualClock) => Transport;

const nothingBetween: Between = (transport) => transport;

export interface ScenarioOptions extends SetOptions {
  /** Nobody creates the set: the test does. */
  readonly withoutSet?: boolean;
  readonly nodes?: number;
  readonly mode?: "full" | "assist";
}

export async function setScenario(options: ScenarioOptions = {}, between = nothingBetween) {
  const world = await simulation(options.nodes === undefined ? {} : { nodes: options.nodes });
  const { client, clock } = world;
  const counted = countWrites();
  const operatorProblems: unknown[] = [];
  let wrap = between;
  const start = async () => {
    const transport = counted.count(wrap(world.transport, clock));
    const controller = statefulSetController({
      client: restClient(transport),
      clock,
      mode: options.mode ?? "full",
      observer: {
        reconciled: (_key, { error }) => error !== undefined && operatorProblems.push(error),
      },
    });
    let hasStarted = false;
    void controller.start().then(() => (hasStarted = true));
    // Lists that fail are repeated later, so the start itself may take time.
    await clock.runUntilTrue(() => hasStarted, 600_000);
    return controller;
  };
  let controller = await start();
  const seen = watchPods(client, () => clock.now());
  const key = { namespace, name: options.name ?? "web" };
  const createSet = (given: SetOptions) => client.create(statefulSetResource, setOf(given));
  if (options.withoutSet !== true) await createSet(options);
  const patch = (body: unknown) =>
    client.patch<StatefulSet>(statefulSetResource, key, { type: "merge", body });
  const set = () => client.get<StatefulSet>(statefulSetResource, key);
  return {
    ...world,
    ...seen,
    writes: counted.writes,
    /** What reconciles failed with, lost races aside. */
    operatorProblems,
    set,
    createSet,
    patch,
    /** The operator dies without a word, and a fresh one takes its place. */
    restart: async (next = nothingBetween) => {
      void controller.stop();
      wrap = next;
      controller = await start();
    },
    stopOperator: () => controller.stop(),
    deletePod: (name: string) => client.delete(podResource, { namespace, name }),
    /** For sets with `gated`: a pod is ready only while its gate is open. */
    openGate: (name: string) => setGate(client, name, true),
    closeGate: (name: string) => setGate(client, name, false),
    condition: async (type: string) =>
      (await set()).status?.conditions?.find((condition) => condition.type === type),
    pods: async (): Promise<Pod[]> => (await client.list<Pod>(podResource, { namespace })).items,
    setImage: (image: string) =>
      patch({ spec: { template: { spec: { containers: [{ name: "app", image }] } } } }),
    isSettled: () => hasSettled(client, key),
    settled: (limitMs = 3_600_000) => untilSettled(world, () => hasSettled(client, key), limitMs),
  };
}

export const gate = "test.lockstep.dev/gate";

/** Opens or closes the readiness gate of one pod. */
async function setGate(client: Client, name: string, isOpen: boolean): Promise<void> {
  const conditions = [{ type: gate, status: isOpen ? "True" : "False" }];
  const patch = { type: "strategic", body: { status: { conditions } } } as const;
  await client.patch(podResource, { namespace, name }, patch, { subresource: "status" });
}

async function hasSettled(
  client: Client,
  key: { namespace: string; name: string },
): Promise<boolean> {
  const { metadata, spec, status } = await client.get<StatefulSet>(statefulSetResource, key);
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  return (
    status?.observedGeneration === metadata.generation &&
    progressing?.status === "False" &&
    (status?.replicas ?? 0) === spec.replicas
  );
}

async function untilSettled(
  { clock }: { clock: { now(): number; runFor(ms: number): Promise<void> } },
  isDone: () => Promise<boolean>,
  limitMs: number,
): Promise<void> {
  const end = clock.now() + limitMs;
  while (!(await isDone())) {
    if (clock.now() >= end)
      throw new Error(`not settled after ${limitMs / 1000} s of virtual time`);
    await clock.runFor(500);
  }
}

/** Follows all pods: a line per creation and deletion, and the fewest that were available at once. */
function watchPods(client: Client, now: () => number) {
  const startMs = now();
  const pods = new Map<string, Pod>();
  const timeline: string[] = [];
  let guarded: { fewest: number; most: number } | undefined;
  const at = (): string => `${((now() - startMs) / 1000).toFixed(0)}s`;
  const check = (): void => {
    if (guarded === undefined) return;
    const available = [...pods.values()].filter(
      (pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined,
    ).length;
    guarded.fewest = Math.min(guarded.fewest, available);
    guarded.most = Math.max(guarded.most, pods.size);
  };
  void client.watch<Pod>(podResource, { resourceVersion: "0" }, (event) => {
    if (event.type === "ERROR" || event.type === "BOOKMARK") return;
    const { object } = event;
    const name = object.metadata.name ?? "";
    const image = object.spec.containers[0]?.image ?? "";
    const before = pods.get(name);
    if (event.type === "ADDED") timeline.push(`${at()} +${name} ${image}`);
    const isTerminating = object.metadata.deletionTimestamp !== undefined;
    if (isTerminating && before?.metadata.deletionTimestamp === undefined)
      timeline.push(`${at()} -${name}`);
    if (event.type === "DELETED") pods.delete(name);
    else pods.set(name, object);
    check();
  });
  return {
    timeline,
    /** From now on remembers the fewest available pods. */
    guard: () => {
      guarded = { fewest: Number.POSITIVE_INFINITY, most: 0 };
      check();
      return guarded;
    },
    /** `web-0 web:v1 Ready`, in name order. */
    drawing: (): string[] =>
      [...pods.values()]
        .map(
          (pod) =>
            `${pod.metadata.name} ${pod.spec.containers[0]?.image}${isReady(pod) ? "" : "!"}`,
        )
        .toSorted(),
    revisions: (): Record<string, string> =>
      Object.fromEntries(
        [...pods.values()].map((pod) => [
          pod.metadata.name ?? "",
          pod.metadata.labels?.[revisionLabel] ?? "",
        ]),
      ),
  };
}
