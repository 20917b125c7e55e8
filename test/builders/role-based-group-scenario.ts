/** Scenarios of one RoleBasedGroup: how it is written, and what people do to it. */
import type { StatefulSet } from "../../src/api/apps.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import { isReady } from "../../src/api/pod.ts";
import { labelKeys } from "../../src/api/rbg/labels.ts";
import type {
  RoleBasedGroup,
  RoleBasedGroupSpec,
  RoleSpec,
  WrittenCoordination,
} from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import type { Transport } from "../../src/runtime/transport.ts";
import { withoutConditions } from "../../src/sim/cluster-stateful-sets.ts";
import { noFault } from "../../src/simulation/faults.ts";
import { groupScenarioKind, statefulSetScenarioKind } from "../../src/simulation/scenario-kinds.ts";
import { imageOf, isTerminating } from "../../src/simulation/scenario-kind.ts";
import type { ScenarioOptions } from "./scenario.ts";
import { namespace, scenario, untilSettled } from "./scenario.ts";

export interface RoleBasedGroupOptions {
  readonly name?: string;
  /** Sizes by role. */
  readonly sizes?: Readonly<Record<string, number>>;
  readonly image?: string;
  /** What each role has besides, by name. */
  readonly roles?: Readonly<Record<string, Partial<RoleSpec>>>;
  /** Of one RollingUpdate coordination over all roles; without it every role is on its own. */
  readonly strategy?: WrittenCoordination["strategy"];
  readonly spec?: Partial<RoleBasedGroupSpec>;
  readonly annotations?: Record<string, string>;
}

export const coordinationName = "pair";

export function groupOf({
  name = "chat",
  sizes = { prefill: 4, decode: 2 },
  image = "web:v1",
  roles = {},
  strategy,
  spec,
  annotations,
}: RoleBasedGroupOptions): RoleBasedGroup {
  const names = Object.keys(sizes);
  return {
    apiVersion: "workloads.x-k8s.io/v1alpha1",
    kind: "RoleBasedGroup",
    metadata: { name, namespace, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      roles: names.map((role) => ({
        name: role,
        replicas: sizes[role] ?? 1,
        template: { spec: { containers: [{ name: "app", image }] } },
        ...roles[role],
      })),
      ...(strategy === undefined
        ? {}
        : { coordination: [{ name: coordinationName, roles: names, strategy }] }),
      ...spec,
    },
  };
}

export interface GroupScenarioOptions
  extends RoleBasedGroupOptions, Pick<ScenarioOptions, "faults" | "expected"> {
  readonly nodes?: number;
  /** Pods of StatefulSets are made by the cluster's own controller, and Lockstep assists. */
  readonly isBeside?: boolean;
}

export async function groupScenario(options: GroupScenarioOptions = {}) {
  const { nodes, faults, expected, isBeside = false, ...given } = options;
  const world = await scenario({
    kinds: [groupScenarioKind, statefulSetScenarioKind(isBeside ? "assist" : "full")],
    objects: [groupOf(given)],
    ...(nodes === undefined ? {} : { cluster: { nodes } }),
    ...(faults === undefined ? {} : { faults }),
    ...(expected === undefined ? {} : { expected }),
  });
  const { client, clock, timeline, transport } = world;
  if (isBeside) await startUpstream((faults ?? noFault)(transport, clock), clock);
  const key = { namespace, name: given.name ?? "chat" };
  const group = () => client.get<RoleBasedGroup>(roleBasedGroupResource, key);
  const change = async (next: (spec: RoleBasedGroupSpec) => RoleBasedGroupSpec) => {
    const now = await group();
    const spec = next(now.spec);
    // The whole spec, whatever somebody else does to the status meanwhile.
    return client.patch(roleBasedGroupResource, key, { type: "merge", body: { spec } });
  };
  const changeRoles = (next: (role: RoleSpec) => RoleSpec) =>
    change((spec) => ({ ...spec, roles: spec.roles.map(next) }));
  const isSettled = async () => hasSettled(await group());
  return {
    ...world,
    group,
    change,
    /** Of all roles, or of one. */
    setImage: (image: string, only?: string) =>
      changeRoles((role) =>
        only === undefined || role.name === only
          ? { ...role, template: { spec: { containers: [{ name: "app", image }] } } }
          : role,
      ),
    scale: (name: string, replicas: number) =>
      changeRoles((role) => (role.name === name ? { ...role, replicas } : role)),
    setStrategy: (strategy: WrittenCoordination["strategy"]) =>
      change((spec) => ({
        ...spec,
        coordination: spec.coordination?.map((each) => ({ ...each, strategy })),
      })),
    annotate: (annotations: Record<string, string | null>) =>
      client.patch(roleBasedGroupResource, key, {
        type: "merge",
        body: { metadata: { annotations } },
      }),
    condition: async (type: string) =>
      (await group()).status?.conditions?.find((condition) => condition.type === type),
    coordination: async () => (await group()).status?.coordinationState?.[0],
    sets: async () => (await client.list<StatefulSet>(statefulSetResource, { namespace })).items,
    /** `prefill 2/4`: pods of the image that serve, of all pods, by role. */
    counts: (image: string): string =>
      rolesOf(timeline.pods())
        .map(([role, pods]) => {
          const live = pods.filter((pod) => !isTerminating(pod));
          const updated = live.filter((pod) => imageOf(pod) === image && isReady(pod));
          return `${role} ${updated.length}/${live.length}`;
        })
        .join(" "),
    /** `prefill-3 b7c2`, by name. */
    labels: (): Record<string, string | undefined> =>
      Object.fromEntries(
        timeline
          .pods()
          .filter((pod) => !isTerminating(pod))
          .map((pod) => [
            groupScenarioKind.drawing.nameOf(pod),
            pod.metadata.labels?.[labelKeys.revision],
          ]),
      ),
    isSettled,
    settled: (limitMs?: number) =>
      untilSettled(clock, isSettled, {
        limitMs,
        describe: async () => JSON.stringify((await group()).status),
      }),
  };
}

/** What Kubernetes' own controller does, done by ours: it writes no conditions. */
const startUpstream = (transport: Transport, clock: Clock): Promise<void> =>
  statefulSetController({
    client: restClient(withoutConditions(transport)),
    clock,
    mode: "full",
  }).start();

export type GroupScenario = Awaited<ReturnType<typeof groupScenario>>;

function hasSettled({ metadata, status, spec }: RoleBasedGroup): boolean {
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  return (
    status?.observedGeneration === metadata.generation &&
    progressing?.status === "False" &&
    spec.roles.every(({ name, replicas }) =>
      status?.roleStatuses?.some((role) => role.name === name && role.replicas === replicas),
    )
  );
}

type Pods = ReturnType<GroupScenario["timeline"]["pods"]>;

function rolesOf(pods: Pods): readonly (readonly [string, Pods])[] {
  const names = [...new Set(pods.map((pod) => pod.metadata.labels?.[labelKeys.roleName] ?? ""))];
  return names
    .toSorted()
    .map((name) => [
      name,
      pods.filter((pod) => pod.metadata.labels?.[labelKeys.roleName] === name),
    ]);
}
