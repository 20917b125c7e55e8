/** What the RoleBasedGroup controller brings to the engine. */
import {
  controllerRevisionResource,
  deploymentResource,
  statefulSetResource,
} from "../../api/apps.ts";
import { configMapResource } from "../../api/config-map.ts";
import { leaderWorkerSetResource } from "../../api/leader-worker-set.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import { podResource } from "../../api/pod.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import {
  discoveryName,
  scalingAdapterName,
  serviceName,
  workloadName,
} from "../../api/rbg/names.ts";
import type { RoleBasedGroup, RoleBasedGroupStatus } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { scalingAdapterResource } from "../../api/rbg/scaling-adapter.ts";
import { warningsOf } from "../../api/rbg/warnings.ts";
import { serviceResource } from "../../api/service.ts";
import type { Orphan } from "../engine/ownership.ts";
import { controllerOf } from "../engine/ownership.ts";
import type { Kind, KindTools, Planned } from "../engine/reconcile.ts";
import { keyText } from "../../runtime/object-store.ts";
import type { GroupReaders } from "./caches.ts";
import { groupEvents } from "./events.ts";
import type { Observed } from "./observe.ts";
import { observe } from "./observe.ts";
import type { GroupPlan } from "./plan.ts";
import { plan } from "./plan.ts";
import { groupKeyOf } from "./pod-template.ts";
import { Refusals } from "./refusals.ts";
import { ReadyPods } from "./restarts.ts";
import { stallsInMs } from "./rollout-state.ts";
import { scalingStallsInMs } from "./scaling.ts";
import { groupTooLarge } from "./size.ts";
import { figuresOf, groupStatus, rejectedStatus } from "./status.ts";

export type GroupTools = KindTools<RoleBasedGroup, RoleBasedGroupStatus>;

interface PlannedGroup extends Planned {
  /** Undefined where the spec cannot be followed. */
  readonly plan: GroupPlan | undefined;
}

type GroupKind = Kind<RoleBasedGroup, RoleBasedGroupStatus, Observed, PlannedGroup>;

/** `needLeaders` is called with groups that have a role under LeaderWorkerSet. */
export function roleBasedGroupReconciler(
  readers: GroupReaders,
  tools: GroupTools,
  needLeaders: (key: string) => void = () => undefined,
): GroupKind {
  const warned = tools.memory.perOwner(() => new Set<string>());
  const memory = {
    readyPods: tools.memory.perOwner(() => new ReadyPods()),
    refusals: tools.memory.perOwner(() => new Refusals()),
  };
  return {
    resource: roleBasedGroupResource,
    reports: "beforeActing",
    nameConflicts: {
      reason: "NameTaken",
      remedy: "rename the role or the group, or delete the object",
      isOrphan: (found) =>
        controllerOf(found) === undefined && labelKeys.groupName in labelsOf(found),
    },
    adoption: {
      orphansOf: (observed) => ({ adopt: orphansOf(readers, observed) }),
      goesOn: false,
      reason: "OrphansAdopted",
    },
    observe: (key) => {
      const observed = observe(readers, memory, { key, nowMs: tools.clock.now() });
      if (observed !== undefined && hasLeaders(observed)) needLeaders(keyText(key));
      return observed;
    },
    objectOf: ({ group }) => group,
    tooLarge: ({ spec }) => groupTooLarge(spec),
    figures: figuresOf,
    plan: (observed) => {
      if (observed.problems.length > 0) return { plan: undefined, phases: [] };
      const planned = plan(observed);
      return { ...planned, plan: planned, requeueAfterMs: requeueOf(observed, planned) };
    },
    status: (observed, { plan: planned }) =>
      planned === undefined ? rejectedStatus(observed) : groupStatus(observed, planned),
    acted: ({ group }, failure) => memory.refusals.of(group).acted(group, failure),
    emit: (observed, { plan: planned }, status) => {
      const { group } = observed;
      if (status === undefined) return;
      for (const event of groupEvents(group, status)) tools.events.record(group, event);
      for (const message of planned?.restarts.messages ?? []) {
        tools.events.record(group, { type: "Warning", reason: "PodRestarted", message });
      }
      const known = warned.of(group);
      for (const warning of warningsFor(observed, planned)) {
        if (known.has(warning.message)) continue;
        known.add(warning.message);
        tools.events.record(group, { type: "Warning", ...warning });
      }
    },
  };
}

/** What the owner of a group should know and no status says: each once while the group exists. */
const warningsFor = ({ group, roles }: Observed, planned: GroupPlan | undefined) => [
  ...(planned?.restarts.delayed ?? []).map((message) => ({ reason: "PodRestarted", message })),
  ...warningsOf(group).map((message) => ({ reason: "SettingsWithoutEffect", message })),
  ...roles.flatMap(({ seen }) => seen.warnings),
];

/** Now, or in a revision that is kept: what it left behind has to be seen to be removed. */
const hasLeaders = ({ spec, revisions }: Observed): boolean =>
  [spec, ...revisions].some(({ roles }) =>
    roles.some(({ workload }) => workload.kind === "LeaderWorkerSet"),
  );

/** Also when a rollout that stands still has to be called stalled. */
function requeueOf(observed: Observed, planned: GroupPlan): number | undefined {
  const waits = planned.rollouts
    .filter(({ decision }) => decision?.kind === "hold")
    .map((rollout) => stallsInMs(observed, rollout, planned.target))
    .concat(scalingStallsInMs(observed, planned) ?? [])
    .filter((ms) => ms > 0);
  const all = [...waits, ...(planned.requeueAfterMs === undefined ? [] : [planned.requeueAfterMs])];
  return all.length === 0 ? undefined : Math.min(...all);
}

const labelsOf = ({ metadata }: KubeObject): Readonly<Record<string, string>> =>
  metadata.labels ?? {};

/** What an earlier group of this name left behind: it has our names and, where it selects pods, our key. */
function orphansOf(readers: GroupReaders, { group, spec }: Observed): readonly Orphan[] {
  const { namespace, name = "" } = group.metadata;
  const isOurs = (object: KubeObject | undefined): object is KubeObject =>
    object !== undefined &&
    controllerOf(object) === undefined &&
    !isTerminating(object) &&
    labelKeys.groupName in labelsOf(object) &&
    (labelsOf(object)[labelKeys.groupKey] ?? groupKeyOf(group)) === groupKeyOf(group);
  const adapterOf = (role: string) => ({
    resource: scalingAdapterResource,
    reader: readers.adapters,
    name: scalingAdapterName(name, role),
  });
  const found = [
    ...spec.roles.flatMap((role) => [
      { resource: statefulSetResource, reader: readers.sets, name: workloadName(name, role.name) },
      {
        resource: deploymentResource,
        reader: readers.deployments,
        name: workloadName(name, role.name),
      },
      {
        resource: leaderWorkerSetResource,
        reader: readers.leaderWorkerSets,
        name: workloadName(name, role.name),
      },
      ...(role.hasScalingAdapter ? [adapterOf(role.name)] : []),
      { resource: serviceResource, reader: readers.services, name: serviceName(name, role.name) },
    ]),
    { resource: configMapResource, reader: readers.configMaps, name: discoveryName(name) },
  ].map(({ resource, reader, name: wanted }) => ({
    resource,
    object: reader.get({ namespace, name: wanted }),
  }));
  const revisions = readers.revisions
    .byIndex("group", `${namespace}/${name}`)
    .map((object) => ({ resource: controllerRevisionResource, object: object as KubeObject }));
  // Pods under another workload are left to it: it is adopted itself.
  const podRoles = new Set(
    spec.roles.filter(({ workload }) => workload.kind === "Pod").map((role) => role.name),
  );
  const pods = (podRoles.size === 0 ? [] : readers.pods.byIndex("group", `${namespace}/${name}`))
    .filter((pod) => podRoles.has(labelsOf(pod)[labelKeys.roleName] ?? ""))
    .map((object) => ({ resource: podResource, object: object as KubeObject }));
  return [...found, ...pods, ...revisions].flatMap(({ resource, object }) =>
    isOurs(object) ? [{ resource, object }] : [],
  );
}
