/** PodCliqueSets: replicas of a whole serving graph. */
import type { Condition } from "../../api/apps.ts";
import { conditionTypes } from "../../api/grove/conditions.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import type { PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import { resolveBudget } from "../../planner/percent.ts";
import type { BudgetUnit } from "../counting.ts";
import { gauges, progressOf, servingCount } from "../counting.ts";
import type { KindView, Subject, ViewedKind } from "../kind.ts";
import { definitionsInstall, listed } from "../kind.ts";
import { revisionParts } from "../revisions.ts";
import type { Stated } from "../state.ts";
import { reportedState } from "../state.ts";
import type { BudgetView, RolloutNode } from "../view.ts";
import { groveObjects } from "./grove-objects.ts";
import { groveQueries, setRecords } from "./grove-revisions.ts";
import { unitsOfSet } from "./grove-units.ts";
import { isReplacedWhole, replicaNodes } from "./grove-tree.ts";

export const podCliqueSetRollout: ViewedKind = {
  resource: podCliqueSetResource,
  word: "podcliqueset",
  shortNames: ["pcs"],
  install: definitionsInstall,
  isTopLevel: () => true,
  rolloutOf: ({ metadata }) =>
    metadata.labels?.[labelKeys.podClique] === undefined
      ? undefined
      : metadata.labels[labelKeys.partOf],
  related: ({ metadata }) => groveQueries(metadata.name ?? ""),
  view: (subject) => viewOf(subject as Subject<PodCliqueSet>),
  revisions: ({ related }) => setRecords(related),
};

function viewOf({ object: set, related, nowMs }: Subject<PodCliqueSet>): KindView {
  const { spec, status } = set;
  const records = setRecords(related);
  const desired = spec.replicas ?? 0;
  const { units, nodes } = partsOf({ object: set, related, nowMs });
  const stated = statedOf(set);
  const { partition = 0, paused = false, type = "RollingRecreate" } = spec.updateStrategy ?? {};
  return {
    ...stated,
    strategy: type,
    isPaused: paused,
    ...(partition > 0 ? { partition } : {}),
    ...revisionParts(status?.currentRevision, status?.updateRevision, records),
    counts: {
      unit: "replica",
      desired,
      available:
        units.length === 0 ? (status?.availableReplicas ?? 0) : servingCount(desired, units),
      updated: status?.updatedReplicas ?? 0,
    },
    ...budgetOf(set, desired, units),
    progress: progressOf(nodes, {
      total: desiredPods(set, nodes),
      startedAt: startOf(set, stated),
      movesWhole: (parent) =>
        parent === undefined ? type === "ReplicaRecreate" : isReplacedWhole(type, parent),
    }),
    nodes,
    ...releasedIn([set, ...listed(related, "groups"), ...listed(related, "cliques")]),
    notes: notesOf(set),
  };
}

function partsOf({ object: set, related, nowMs }: Subject<PodCliqueSet>) {
  // A list asks for nothing but the sets themselves.
  if (related["pods"] === undefined) return { units: [], nodes: [] };
  const place = { set: set.metadata.name ?? "", target: set.status?.updateRevision, nowMs };
  const objects = groveObjects(related, place);
  const units = unitsOfSet(set, objects);
  return { units, nodes: replicaNodes(objects, set.spec.replicas ?? 0, units) };
}

type Part = PodClique | PodCliqueScalingGroup;

/** Where surge was given up, and why. */
export function releasedIn(objects: readonly (PodCliqueSet | Part)[]): Pick<KindView, "released"> {
  const released = objects.flatMap(({ metadata, status }) => {
    const conditions: readonly Condition[] = status?.conditions ?? [];
    const condition = conditions.find(({ type }) => type === conditionTypes.surgeReleased);
    return condition?.status === "True" ? [`${metadata.name}: ${condition.message}`] : [];
  });
  return released.length === 0 ? {} : { released };
}

const statedOf = (set: PodCliqueSet): Stated =>
  reportedState(set, set.status, set.status?.updateProgress?.updateStartedAt) ?? unreported;

const unreported: Stated = {
  state: "Progressing",
  reason: { code: "NotObserved", message: "the controller has not reported on it yet" },
};

/** Under the rolling strategies replicas go one at a time, and inside them each component has its own budget. */
function budgetOf(
  { spec }: PodCliqueSet,
  desired: number,
  units: readonly BudgetUnit[],
): { readonly budget?: BudgetView } {
  const { type = "RollingRecreate", rollingUpdate = {} } = spec.updateStrategy ?? {};
  if (type === "OnDelete" || units.length === 0) return {};
  const budget =
    type === "ReplicaRecreate"
      ? resolveBudget(rollingUpdate, desired)
      : { maxUnavailable: 1, maxSurge: 0 };
  return { budget: gauges(budget, desired, units) };
}

/**
 * Pods of the replicas that are to move. What has to be recreated does not exist for a moment, so sizes come from the
 * template where no object of a replica has one of its own.
 */
function desiredPods({ spec }: PodCliqueSet, nodes: readonly RolloutNode[]): number {
  const { partition = 0 } = spec.updateStrategy ?? {};
  const { cliques, podCliqueScalingGroups: groups = [] } = spec.template;
  const sizeOf = (name: string): number => {
    const size = cliques.find((clique) => clique.name === name)?.spec.replicas ?? 1;
    return Math.max(1, size);
  };
  const members = new Set(groups.flatMap(({ cliqueNames }) => cliqueNames));
  const live = (replica: RolloutNode | undefined, label: string): number | undefined =>
    replica?.children.find((node) => node.label === label)?.counts?.desired;
  const podsOf = (replica: RolloutNode | undefined): number => {
    const standalone = cliques
      .filter(({ name }) => !members.has(name))
      .map(({ name }) => live(replica, name) ?? sizeOf(name));
    const grouped = groups.map(({ name, replicas = 1, cliqueNames }) => {
      const pods = cliqueNames.reduce((sum, clique) => sum + sizeOf(clique), 0);
      return (live(replica, name) ?? replicas) * pods;
    });
    return [...standalone, ...grouped].reduce((sum, pods) => sum + pods, 0);
  };
  // Replicas that do not exist are all alike, however many there are.
  const { replicas = 0 } = spec;
  const existing = nodes.filter(({ ordinal = 0 }) => ordinal >= partition && ordinal < replicas);
  const others = Math.max(0, replicas - partition - existing.length) * podsOf(undefined);
  return existing.reduce((sum, replica) => sum + podsOf(replica), others);
}

function startOf({ status }: PodCliqueSet, { state }: Stated): string | undefined {
  const { updateStartedAt, updateEndedAt } = status?.updateProgress ?? {};
  return state === "Progressing" && updateEndedAt === undefined ? updateStartedAt : undefined;
}

function notesOf({ status, spec }: PodCliqueSet): readonly string[] {
  const accepted = status?.conditions?.find(({ type }) => type === "SpecAccepted");
  const idle = accepted?.reason === "SettingsWithoutEffect" ? [accepted.message ?? ""] : [];
  const held = [...(spec.template.cliques ?? []), ...(spec.template.podCliqueScalingGroups ?? [])]
    .filter(({ updateStrategy }) => (updateStrategy?.partition ?? 0) > 0)
    .map(({ name, updateStrategy }) => `${name} has partition ${updateStrategy?.partition}`);
  return [...idle, ...held];
}
