/** A role run by a LeaderWorkerSet: its units are leaders with their workers, and its partition is the cursor. */
import type { LeaderWorkerSet } from "../../api/leader-worker-set.ts";
import { leaderWorkerSetLabels, leaderWorkerSetResource } from "../../api/leader-worker-set.ts";
import { isTerminating } from "../../api/object.ts";
import { mergeTemplate } from "../../api/rbg/merge-template.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { includesJson } from "../../api/same-json.ts";
import type { Unit, UnitHealth } from "../../planner/index.ts";
import { isReadyUnit } from "../../planner/index.ts";
import { unitOfPod } from "../engine/pod-health.ts";
import type { Write } from "../engine/write.ts";
import { createOf, updateOf } from "../engine/write.ts";
import type { GroupReaders } from "./caches.ts";
import { causesOf, rolePods } from "./role-pods.ts";
import type {
  DesiredWorkload,
  ObservedWorkload,
  RolePlace,
  RolePod,
  RoleWorkload,
} from "./role-workload.ts";
import { nothingThere } from "./role-workload.ts";
import {
  hasMetadata,
  ownWorkload,
  templateRevisionOf,
  withMetadata,
  workloadMetadata,
} from "./workload-object.ts";

interface ObservedLeaders extends ObservedWorkload {
  readonly set: LeaderWorkerSet | undefined;
  readonly isServed: boolean;
}

export const leaderWorkerRole: RoleWorkload = {
  observe(readers, place): ObservedLeaders {
    // Lists of a preview are complete; a cache is, once the cluster serves the kind.
    const isServed = readers.leaderWorkerSets.hasSynced !== false;
    const set = ownWorkload(readers.leaderWorkerSets, place);
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
      size: set.spec.replicas ?? 1,
      template: set.spec.leaderWorkerTemplate.workerTemplate,
      templateRevision: templateRevisionOf(set, place),
      cursor: partition,
      isTopDownOnly: true,
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

function podsOfSet(readers: GroupReaders, place: RolePlace): readonly RolePod[] {
  return rolePods(readers, place, ({ metadata }) => {
    const index = metadata.labels?.[leaderWorkerSetLabels.groupIndex];
    return index === undefined ? undefined : Number(index);
  });
}

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
  return isReadyUnit({ health }) ? "pending" : health;
};

function buildSet(place: RolePlace, desired: DesiredWorkload): LeaderWorkerSet | undefined {
  const { role } = place;
  const { revision, cursor, maxUnavailable } = desired;
  const template = desired.templateOf(revision);
  if (template === undefined) return undefined;
  const { size, patchLeaderTemplate, patchWorkerTemplate } = role.leaderWorkerSet;
  const { maxSurge } = role.rollingUpdate;
  return {
    apiVersion: apiVersionOf(leaderWorkerSetResource),
    kind: leaderWorkerSetResource.kind,
    metadata: workloadMetadata(place, revision),
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
    hasMetadata(set, wanted.metadata);
  if (isSame) return [];
  return [
    updateOf(leaderWorkerSetResource, {
      ...set,
      metadata: withMetadata(set, wanted.metadata),
      spec: { ...set.spec, ...wanted.spec },
    }),
  ];
}
