/** A role run by a LeaderWorkerSet: its units are leaders with their workers, and its partition is the cursor. */
import type { LeaderWorkerSet } from "../../api/leader-worker-set.ts";
import { leaderWorkerSetLabels, leaderWorkerSetResource } from "../../api/leader-worker-set.ts";
import { isTerminating } from "../../api/object.ts";
import { annotationKeys, labelKeys, roleRevisionKey } from "../../api/rbg/labels.ts";
import { mergeTemplate } from "../../api/rbg/merge-template.ts";
import { workloadName } from "../../api/rbg/names.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { includesJson } from "../../api/same-json.ts";
import type { Unit, UnitHealth } from "../../planner/index.ts";
import { controllerReferenceTo } from "../engine/adopt.ts";
import { controllerOf } from "../engine/ownership.ts";
import { podHealth, unitOfPod } from "../engine/pod-health.ts";
import type { Write } from "../engine/write.ts";
import { createOf, updateOf } from "../engine/write.ts";
import type { GroupReaders } from "./caches.ts";
import { roleIndex, roleKey } from "./caches.ts";
import { selectorOf } from "./pod-template.ts";
import { causesOf } from "./role-pods.ts";
import type {
  DesiredWorkload,
  ObservedWorkload,
  RolePlace,
  RolePod,
  RoleWorkload,
} from "./role-workload.ts";
import { nothingThere } from "./role-workload.ts";

interface ObservedLeaders extends ObservedWorkload {
  readonly set: LeaderWorkerSet | undefined;
  readonly isServed: boolean;
}

export const leaderWorkerRole: RoleWorkload = {
  observe(readers, place): ObservedLeaders {
    // Lists of a preview are complete; a cache is, once the cluster serves the kind.
    const isServed = readers.leaderWorkerSets.hasSynced !== false;
    const set = setOf(readers, place);
    if (set === undefined) {
      if (isServed) return { ...nothingThere, set, isServed };
      // Until the first answer it is not known whether the cluster serves the kind.
      const isRefused = readers.leaderWorkerSets.isServed === false;
      const needs = notServed(place);
      return { ...nothingThere, causes: [needs], set, isServed, ...(isRefused ? { needs } : {}) };
    }
    const { role } = place;
    const pods = podsOfSet(readers, place);
    const { partition = 0 } = set.spec.rolloutStrategy?.rollingUpdateConfiguration ?? {};
    return {
      ...nothingThere,
      exists: true,
      isTerminating: isTerminating(set),
      templateRevision: set.metadata.labels?.[roleRevisionKey(role.name)],
      cursor: partition,
      // A new template comes with a closed partition in one write, so nothing was let through before it.
      isStatusCurrent: true,
      units: unitsOf(pods, role.leaderWorkerSet.size),
      pods,
      causes: causesOf(pods),
      set,
      isServed,
    };
  },
  writes(place, observed, desired) {
    const { set, isServed } = observed as ObservedLeaders;
    const wanted = buildSet(place, desired);
    if (!isServed || wanted === undefined || observed.isTerminating) return [];
    return set === undefined ? [createOf(leaderWorkerSetResource, wanted)] : changes(set, wanted);
  },
};

const notServed = ({ role }: RolePlace): string =>
  `role ${role.name} is to be run by a LeaderWorkerSet, which this cluster does not serve: install LeaderWorkerSet, ` +
  "or set workload.kind StatefulSet";

function setOf(readers: GroupReaders, { group, role }: RolePlace): LeaderWorkerSet | undefined {
  const { namespace, name = "", uid } = group.metadata;
  const found = readers.leaderWorkerSets.get({ namespace, name: workloadName(name, role.name) });
  return found !== undefined && controllerOf(found)?.uid === uid ? found : undefined;
}

function podsOfSet(readers: GroupReaders, { group, role, nowMs }: RolePlace): readonly RolePod[] {
  return readers.pods
    .byIndex(roleIndex, roleKey(group, role.name))
    .flatMap((pod) => {
      const { labels = {} } = pod.metadata;
      const index = labels[leaderWorkerSetLabels.groupIndex];
      if (index === undefined) return [];
      const health = podHealth(pod, role.minReadySeconds, nowMs);
      const revision = labels[labelKeys.roleRevision] ?? "";
      return [{ pod, ordinal: Number(index), revision, health }];
    })
    .toSorted((a, b) => a.ordinal - b.ordinal || (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ pod }: RolePod): string => pod.metadata.name ?? "";

/** A leader without all of its workers serves nobody. */
function unitsOf(pods: readonly RolePod[], size: number): readonly Unit[] {
  const byOrdinal = new Map<number, RolePod[]>();
  for (const each of pods)
    byOrdinal.set(each.ordinal, [...(byOrdinal.get(each.ordinal) ?? []), each]);
  return [...byOrdinal.values()].flatMap((members) => {
    const leader = members.find(isLeader) ?? members[0];
    if (leader === undefined) return [];
    const states = members.map(unitOfPod);
    const unit = unitOfPod(leader);
    const isComplete = members.length >= size;
    return [
      {
        ...unit,
        health: isComplete ? worst(states) : incomplete(states),
        scheduled: states.every(({ scheduled }) => scheduled),
      },
    ];
  });
}

const isLeader = ({ pod }: RolePod): boolean =>
  pod.metadata.labels?.[leaderWorkerSetLabels.workerIndex] === "0";

const fromWorst: readonly UnitHealth[] = [
  "terminating",
  "unavailable",
  "missing",
  "pending",
  "ready",
  "available",
];

const worst = (units: readonly Unit[]): UnitHealth =>
  fromWorst.find((health) => units.some((unit) => unit.health === health)) ?? "missing";

const incomplete = (units: readonly Unit[]): UnitHealth => {
  const health = worst(units);
  return health === "ready" || health === "available" ? "pending" : health;
};

function buildSet(
  { group, role }: RolePlace,
  desired: DesiredWorkload,
): LeaderWorkerSet | undefined {
  const { revision, cursor, maxUnavailable } = desired;
  const { name = "", namespace } = group.metadata;
  const template = desired.templateOf(revision);
  if (template === undefined) return undefined;
  const { size, patchLeaderTemplate, patchWorkerTemplate } = role.leaderWorkerSet;
  const { maxSurge } = role.rollingUpdate;
  return {
    apiVersion: apiVersionOf(leaderWorkerSetResource),
    kind: leaderWorkerSetResource.kind,
    metadata: {
      name: workloadName(name, role.name),
      namespace,
      labels: {
        ...role.labels,
        ...selectorOf(group, role.name),
        [roleRevisionKey(role.name)]: revision,
      },
      annotations: { ...role.annotations, [annotationKeys.roleSize]: String(role.replicas) },
      ownerReferences: [controllerReferenceTo(roleBasedGroupResource, group)],
    },
    spec: {
      replicas: role.replicas,
      leaderWorkerTemplate: {
        size,
        restartPolicy: role.restartPolicy === "None" ? "None" : "RecreateGroupOnPodRestart",
        ...(patchLeaderTemplate === undefined
          ? {}
          : { leaderTemplate: mergeTemplate(template, patchLeaderTemplate) }),
        workerTemplate: mergeTemplate(template, patchWorkerTemplate),
      },
      rolloutStrategy: {
        type: "RollingUpdate",
        rollingUpdateConfiguration: { partition: cursor, maxUnavailable, maxSurge },
      },
    },
  };
}

/** Templates are compared by their revision: the server fills in fields that nobody wrote. */
function changes(set: LeaderWorkerSet, wanted: LeaderWorkerSet): readonly Write[] {
  const { replicas, rolloutStrategy } = wanted.spec;
  const isSame =
    set.spec.replicas === replicas &&
    includesJson(set.spec.rolloutStrategy, rolloutStrategy) &&
    includesJson(set.metadata.labels, wanted.metadata.labels) &&
    includesJson(set.metadata.annotations, wanted.metadata.annotations);
  if (isSame) return [];
  return [
    updateOf(leaderWorkerSetResource, {
      ...set,
      metadata: {
        ...set.metadata,
        labels: { ...set.metadata.labels, ...wanted.metadata.labels },
        annotations: { ...set.metadata.annotations, ...wanted.metadata.annotations },
      },
      spec: { ...set.spec, ...wanted.spec },
    }),
  ];
}
