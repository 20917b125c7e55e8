/** Scenarios of one StatefulSet: how it is written, and what people do to it. */
import type { StatefulSet, StatefulSetSpec } from "../../src/api/apps.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podResource } from "../../src/api/pod.ts";
import { revisionLabel } from "../../src/controllers/statefulset/identity.ts";
import type { Client } from "../../src/runtime/client.ts";
import { statefulSetScenarioKind } from "../../src/simulation/scenario-kinds.ts";
import type { ScenarioOptions } from "./scenario.ts";
import { namespace, scenario, untilSettled } from "./scenario.ts";

export interface StatefulSetOptions {
  readonly name?: string;
  readonly replicas?: number;
  readonly image?: string;
  readonly annotations?: Record<string, string>;
  /** Pods need a readiness gate that the test opens. */
  readonly gated?: boolean;
  readonly spec?: Partial<StatefulSetSpec>;
}

export function statefulSetOf({
  name = "web",
  replicas = 3,
  image = "web:v1",
  annotations,
  gated = false,
  spec,
}: StatefulSetOptions): StatefulSet {
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

export interface StatefulSetScenarioOptions
  extends StatefulSetOptions, Pick<ScenarioOptions, "faults" | "expected" | "rollouts"> {
  /** Nobody creates the set: the test does. */
  readonly withoutSet?: boolean;
  readonly nodes?: number;
  readonly mode?: "full" | "assist";
}

export async function statefulSetScenario(options: StatefulSetScenarioOptions = {}) {
  const {
    withoutSet = false,
    nodes,
    mode = "full",
    faults,
    expected,
    rollouts,
    ...given
  } = options;
  const world = await scenario({
    kinds: [statefulSetScenarioKind(mode)],
    objects: withoutSet ? [] : [statefulSetOf(given)],
    ...(nodes === undefined ? {} : { cluster: { nodes } }),
    ...(faults === undefined ? {} : { faults }),
    ...(expected === undefined ? {} : { expected }),
    ...(rollouts === undefined ? {} : { rollouts }),
  });
  const { client, clock, timeline } = world;
  const key = { namespace, name: given.name ?? "web" };
  const patch = (body: unknown) =>
    client.patch<StatefulSet>(statefulSetResource, key, { type: "merge", body });
  const set = () => client.get<StatefulSet>(statefulSetResource, key);
  const isSettled = () => hasSettled(client, key);
  return {
    ...world,
    set,
    createSet: (other: StatefulSetOptions) =>
      client.create(statefulSetResource, statefulSetOf(other)),
    patch,
    deletePod: (name: string) => client.delete(podResource, { namespace, name }),
    /** For sets with `gated`: a pod is ready only while its gate is open. */
    openGate: (name: string) => setGate(client, name, true),
    closeGate: (name: string) => setGate(client, name, false),
    condition: async (type: string) =>
      (await set()).status?.conditions?.find((condition) => condition.type === type),
    setImage: (image: string) =>
      patch({ spec: { template: { spec: { containers: [{ name: "app", image }] } } } }),
    revisions: (): Record<string, string> =>
      Object.fromEntries(
        timeline
          .pods()
          .map(({ metadata }) => [metadata.name ?? "", metadata.labels?.[revisionLabel] ?? ""]),
      ),
    isSettled,
    settled: (limitMs?: number) => untilSettled(clock, isSettled, { limitMs }),
  };
}

export type StatefulSetScenario = Awaited<ReturnType<typeof statefulSetScenario>>;

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
