/** Reads gangs from PodGang objects and the pods they list. */
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodGang, PodGroup } from "../../api/grove/podgang.ts";
import type { Pod } from "../../api/pod.ts";
import { isFinished } from "../../api/pod.ts";
import type { Cache } from "../../runtime/cache.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { Gang, GangGroup, GangPart, GangSource, Membership, Pack } from "./gang.ts";

export interface PodGangsOptions {
  readonly gangs: Cache<PodGang>;
  readonly pods: Cache<Pod>;
}

export function podGangs({ gangs, pods }: PodGangsOptions): GangSource {
  const gangKey = ({ metadata }: Pod): string => {
    const name = metadata.labels?.[labelKeys.podGang];
    return name === undefined ? "" : `${metadata.namespace}/${name}`;
  };
  return {
    keyOf: gangKey,
    membershipOf: (pod) => membership(pod, gangKey(pod), { gangs, pods }),
    onChange: (listener) => gangs.onChange(listener),
  };
}

function membership(pod: Pod, key: string, { gangs, pods }: PodGangsOptions): Membership {
  if (key === "") return { kind: "alone" };
  const found = gangs.get(key);
  if (found === undefined) return { kind: "absent", message: `PodGang ${key} does not exist yet` };
  const gang = readGang(found, pods);
  const group = gang.parts
    .flatMap(({ groups }) => groups)
    .find((each) => each.pods.some((member) => keyOf(member) === keyOf(pod)));
  return group === undefined
    ? { kind: "absent", message: `PodGang ${key} does not list the pod yet` }
    : { kind: "member", gang, bundle: group.bundle };
}

function readGang(gang: PodGang, pods: Cache<Pod>): Gang {
  const { podgroups, topologyConstraint, topologyConstraintGroupConfigs = [] } = gang.spec;
  const groups = podgroups.map((group) => readGroup(group, pods));
  const packed = topologyConstraintGroupConfigs.map((config): GangPart => ({
    pack: packOf(config.topologyConstraint),
    groups: groups.filter(({ name }) => config.podGroupNames.includes(name)),
  }));
  const inParts = new Set(packed.flatMap((part) => part.groups));
  const others = groups
    .filter((group) => !inParts.has(group))
    .map((group): GangPart => ({ pack: {}, groups: [group] }));
  return { key: keyOf(gang), pack: packOf(topologyConstraint), parts: [...packed, ...others] };
}

function readGroup(group: PodGroup, pods: Cache<Pod>): GangGroup {
  const alive = group.podReferences
    .flatMap(({ namespace, name }) => pods.get({ namespace, name }) ?? [])
    .filter((pod) => pod.metadata.deletionTimestamp === undefined && !isFinished(pod))
    .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  return {
    name: group.name,
    bundle: bundleOf(group.name, alive[0]),
    minReplicas: group.minReplicas,
    pods: alive,
    pack: packOf(group.topologyConstraint),
  };
}

function bundleOf(group: string, pod: Pod | undefined): string {
  const labels = pod?.metadata.labels ?? {};
  const scalingGroup = labels[labelKeys.scalingGroup];
  if (scalingGroup === undefined) return group;
  return `${scalingGroup}/${labels[labelKeys.scalingGroupReplicaIndex] ?? ""}`;
}

const packOf = (constraint: PodGroup["topologyConstraint"]): Pack =>
  constraint?.packConstraint ?? {};
