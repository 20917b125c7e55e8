/** What no role of a group is run by any more, and what an earlier group of its name left behind. Pure. */
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
import type { DefaultedGroupSpec, WorkloadKind } from "../../api/rbg/defaults.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import {
  discoveryName,
  scalingAdapterName,
  serviceName,
  workloadName,
} from "../../api/rbg/names.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import { scalingAdapterResource } from "../../api/rbg/scaling-adapter.ts";
import type { Resource } from "../../api/resource.ts";
import { serviceResource } from "../../api/service.ts";
import type { Reader } from "../../runtime/reader.ts";
import type { Orphan } from "../engine/ownership.ts";
import { controllerOf } from "../engine/ownership.ts";
import type { GroupReaders } from "./caches.ts";
import { groupIndex, groupKey } from "./caches.ts";
import { groupKeyOf } from "./pod-template.ts";

interface OfGroup {
  readonly group: RoleBasedGroup;
  readonly spec: DefaultedGroupSpec;
}

interface Source {
  readonly resource: Resource;
  readonly reader: Reader;
}

/** What runs roles. */
const workloadsIn = (readers: GroupReaders): readonly (Source & { kind: WorkloadKind })[] => [
  { kind: "StatefulSet", resource: statefulSetResource, reader: readers.sets },
  { kind: "Deployment", resource: deploymentResource, reader: readers.deployments },
  { kind: "LeaderWorkerSet", resource: leaderWorkerSetResource, reader: readers.leaderWorkerSets },
  { kind: "Pod", resource: podResource, reader: readers.pods },
];

export interface Obsolete {
  readonly resource: Resource;
  readonly objects: readonly KubeObject[];
}

/** Workloads of roles that the group does not have, or that something else runs now. */
export function obsoleteWorkloads(
  readers: GroupReaders,
  { group, spec }: OfGroup,
): readonly Obsolete[] {
  const kinds = new Map(spec.roles.map(({ name, workload }) => [name, workload.kind]));
  return workloadsIn(readers).map(({ kind, resource, reader }) => ({
    resource,
    objects: reader
      .byIndex(groupIndex, groupKey(group))
      .filter((object) => controllerOf(object)?.uid === group.metadata.uid)
      .filter((object) => kinds.get(roleOf(object)) !== kind),
  }));
}

/** What an earlier group of this name left behind: it has our names and, where it selects pods, our key. */
export function orphansOf(readers: GroupReaders, of: OfGroup): readonly Orphan[] {
  const key = groupKeyOf(of.group);
  const isOurs = (object: KubeObject): boolean =>
    controllerOf(object) === undefined &&
    !isTerminating(object) &&
    labelKeys.groupName in labelsOf(object) &&
    (labelsOf(object)[labelKeys.groupKey] ?? key) === key;
  return [...byName(readers, of), ...byLabel(readers, of)].filter(({ object }) => isOurs(object));
}

function byName(readers: GroupReaders, { group, spec }: OfGroup): readonly Orphan[] {
  const { namespace, name: groupName = "" } = group.metadata;
  const found = ({ resource, reader }: Source, name: string): readonly Orphan[] => {
    const object = reader.get({ namespace, name });
    return object === undefined ? [] : [{ resource, object }];
  };
  const adapters = { resource: scalingAdapterResource, reader: readers.adapters };
  const services = { resource: serviceResource, reader: readers.services };
  const configMaps = { resource: configMapResource, reader: readers.configMaps };
  const workloads = workloadsIn(readers).filter(({ kind }) => kind !== "Pod");
  return [
    ...spec.roles.flatMap(({ name, hasScalingAdapter }) => [
      ...workloads.flatMap((source) => found(source, workloadName(groupName, name))),
      ...(hasScalingAdapter ? found(adapters, scalingAdapterName(groupName, name)) : []),
      ...found(services, serviceName(groupName, name)),
    ]),
    ...found(configMaps, discoveryName(groupName)),
  ];
}

/** Pods under another workload are left to it: it is adopted itself. */
function byLabel(readers: GroupReaders, { group, spec }: OfGroup): readonly Orphan[] {
  const isPods = ({ workload }: DefaultedGroupSpec["roles"][number]): boolean =>
    workload.kind === "Pod";
  const roles = new Set(spec.roles.filter(isPods).map(({ name }) => name));
  const key = groupKey(group);
  const pods = roles.size === 0 ? [] : readers.pods.byIndex(groupIndex, key);
  return [
    ...pods
      .filter((pod) => roles.has(roleOf(pod)))
      .map((object) => ({ resource: podResource, object })),
    ...readers.revisions
      .byIndex(groupIndex, key)
      .map((object) => ({ resource: controllerRevisionResource, object })),
  ];
}

const labelsOf = ({ metadata }: KubeObject): Readonly<Record<string, string>> =>
  metadata.labels ?? {};

const roleOf = (object: KubeObject): string => labelsOf(object)[labelKeys.roleName] ?? "";
