/** Batches of an AffinityScheduling coordination: who is in which, and what keeps them together and apart. Pure. */
import type { PodTemplate } from "../../api/apps.ts";
import type { PodAffinityTerm } from "../../api/pod.ts";
import type { AffinityCoordination } from "../../api/rbg/coordination.ts";
import { isAffinity } from "../../api/rbg/coordination.ts";
import type { DefaultedGroupSpec } from "../../api/rbg/defaults.ts";
import { batchKey, coordinationKey, coordinationMember, labelKeys } from "../../api/rbg/labels.ts";
import { mostParts } from "../../api/size-limit.ts";
import type { BatchLayout } from "../../planner/index.ts";
import { layOutBatches } from "../../planner/index.ts";

/** The place of one pod. */
export interface BatchPlace {
  readonly coordination: AffinityCoordination;
  /** From 1. */
  readonly batch: number;
  /** Of the group: batches of two groups do not know each other. */
  readonly groupKey: string;
}

export const affinityOf = (
  { coordinations }: DefaultedGroupSpec,
  role: string,
): AffinityCoordination | undefined =>
  coordinations.filter(isAffinity).find(({ roles }) => roles.includes(role));

/** Sizes of the roles that are in the coordination decide how many batches there are. */
export function layoutOf(
  { ratios, roles: members }: AffinityCoordination,
  { roles }: DefaultedGroupSpec,
): BatchLayout {
  const placed = roles
    .filter(({ name }) => members.includes(name))
    .map(({ name, replicas }) => ({ role: name, desired: replicas, ratio: ratios[name] ?? 0 }));
  const pods = placed.reduce((sum, { desired }) => sum + desired, 0);
  // The group is refused for its size; until somebody lowers it, no batch is written down either.
  if (pods <= mostParts) return layOutBatches(placed);
  const problem = `${pods} pods are too many for batches`;
  return { kind: "invalid", problem, fix: `lower replicas to ${mostParts} in all` };
}

export const batchOf = ({ ratios }: AffinityCoordination, role: string, ordinal: number): number =>
  Math.floor(ordinal / (ratios[role] ?? 1)) + 1;

/**
 * Every member has to be where its batch is; the first of a batch may be anywhere, since it matches its own term. No
 * member may be where another batch is. What the user wrote about affinity holds beside that.
 */
export function placedInBatch(template: PodTemplate, place: BatchPlace): PodTemplate {
  const { coordination, batch, groupKey } = place;
  const { affinity } = template.spec ?? {};
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const near = termOf(place, "In");
  const apart = termOf(place, "NotIn");
  return {
    ...template,
    metadata: {
      ...template.metadata,
      labels: {
        ...template.metadata?.labels,
        [labelKeys.groupKey]: groupKey,
        [coordinationKey(coordination.name)]: coordinationMember,
        [batchKey(coordination.name)]: String(batch),
      },
    },
    spec: {
      containers: [],
      ...template.spec,
      affinity: {
        ...affinity,
        podAffinity: { ...podAffinity, [required]: [...(podAffinity?.[required] ?? []), near] },
        podAntiAffinity: {
          ...podAntiAffinity,
          [required]: [...(podAntiAffinity?.[required] ?? []), apart],
        },
      },
    },
  };
}

function termOf(
  { coordination: { name, topologyKey }, batch, groupKey }: BatchPlace,
  operator: "In" | "NotIn",
): PodAffinityTerm {
  return {
    topologyKey,
    labelSelector: {
      matchLabels: {
        [labelKeys.groupKey]: groupKey,
        [coordinationKey(name)]: coordinationMember,
      },
      matchExpressions: [{ key: batchKey(name), operator, values: [String(batch)] }],
    },
  };
}
