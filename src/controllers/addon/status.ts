/** The status of a ClusterManagementAddOn: counts, what is going on, and how far each Placement is. */
import type { ClusterManagementAddOn, ClusterManagementAddOnStatus } from "../../api/ocm/addon.ts";
import { isTerminating } from "../../api/object.ts";
import { aFew } from "../engine/action-events.ts";
import type { ConditionText } from "../engine/conditions.ts";
import { isConditionTrue, mergeConditions } from "../engine/conditions.ts";
import type { Failure } from "../engine/reconcile.ts";
import type { RolloutState } from "../engine/rollout-conditions.ts";
import {
  rolloutConditions,
  rolloutConditionTypes,
  withCauses,
} from "../engine/rollout-conditions.ts";
import { knownCluster, troubleOf } from "./addon-state.ts";
import type { Observed } from "./observe.ts";
import type { AddOnPlan, PlacementPlan } from "./plan.ts";
import type { AddOnRefusals } from "./writes.ts";

export interface AddOnCounts {
  readonly selected: number;
  readonly installed: number;
  readonly available: number;
  readonly failed: number;
}

export function countAddOns({ selected, installed, placements }: AddOnPlan): AddOnCounts {
  const there = [...selected].flatMap((name) => {
    const addOn = installed.get(name);
    return addOn === undefined || isTerminating(addOn) ? [] : [knownCluster(addOn)];
  });
  const lost = placements.flatMap(({ rollout }) => [
    ...(rollout?.failed ?? []),
    ...(rollout?.timedOut ?? []),
  ]);
  return {
    selected: selected.size,
    installed: there.length,
    available: there.filter(({ state }) => state === "Succeeded").length,
    failed: new Set(lost).size,
  };
}

interface Reporting {
  readonly refusals: AddOnRefusals;
  readonly failure: Failure | undefined;
}

export function addOnStatus(
  { management, nowMs }: Observed,
  plan: AddOnPlan,
  { refusals, failure }: Reporting,
): ClusterManagementAddOnStatus {
  const counts = countAddOns(plan);
  const state = failure === undefined ? stateOf(plan) : failed(failure);
  const conditions = rolloutConditions({
    ...state,
    available: counts.available,
    needed: counts.selected,
    desired: counts.selected,
    noun: "add-on",
    causes: causesOf(plan, refusals),
  });
  const written = management.status;
  return {
    observedGeneration: management.metadata.generation,
    selectedClusters: counts.selected,
    installedAddOns: counts.installed,
    availableAddOns: counts.available,
    conditions: mergeConditions(written?.conditions, conditions, nowMs),
    installProgressions: plan.placements.map((placement) => progression(placement, written, nowMs)),
  };
}

/** The first of what keeps it from being over, gravest first. */
function stateOf(plan: AddOnPlan): RolloutState {
  const { placements, install, remove, kept, doubts, unknown } = plan;
  const states = placements.map(placementState);
  const worst = states.find(({ phase }) => phase === "stalled");
  if (worst !== undefined) return worst;
  const moving = (reason: string, message: string): RolloutState => ({
    phase: "moving",
    reason,
    message,
  });
  if (kept.length > 0) {
    const clusters = kept.map(({ metadata }) => metadata.namespace ?? "");
    const message = `keeping the add-on of ${aFew(clusters)}, which no decision lists: ${doubts.join("; ")}`;
    return moving("SelectionUnsure", message);
  }
  if (doubts.length > 0) return moving("SelectionUnsure", doubts.join("; "));
  if (unknown.length > 0 && install.length === 0) {
    return moving(
      "ClusterNotFound",
      `waiting for ManagedCluster ${aFew(unknown)}, which decisions list`,
    );
  }
  if (remove.length > 0) {
    const clusters = remove.map(({ metadata }) => metadata.namespace ?? "");
    return moving(
      "Removing",
      `removing the add-on from ${aFew(clusters)}: no Placement selects it any more`,
    );
  }
  const open = states.find(({ phase }) => phase === "moving");
  return (
    open ?? { phase: "resting", reason: "RolledOut", message: `installed on ${inWords(plan)}` }
  );
}

const inWords = ({ selected }: AddOnPlan): string =>
  `${selected.size} cluster${selected.size === 1 ? "" : "s"}`;

/** A failed write is repeated with backoff; it says what the server said. */
const failed = ({ message }: Failure): RolloutState => ({
  phase: "moving",
  reason: "WriteFailed",
  message: `a write failed and is repeated: ${message}`,
});

function placementState({
  reference,
  placement,
  selection,
  problem,
  rollout,
}: PlacementPlan): RolloutState {
  const named = `Placement ${reference.namespace}/${reference.name}`;
  if (problem !== undefined)
    return { phase: "stalled", reason: "InvalidRolloutStrategy", message: problem };
  if (placement === undefined && selection.clusters.size === 0) {
    const message = `${named} does not exist, so it selects nothing: create it or remove it from spec.installStrategy`;
    return { phase: "stalled", reason: "PlacementNotFound", message };
  }
  if (selection.doubt !== undefined) {
    return { phase: "moving", reason: "SelectionUnsure", message: selection.doubt };
  }
  const { code, message } = rollout?.reason ?? { code: "RolledOut" as const, message: "" };
  if (code === "RolledOut")
    return { phase: "resting", reason: code, message: `${named}: ${message}` };
  const phase = code === "TooManyFailures" ? "stalled" : "moving";
  return { phase, reason: code, message: `${named}: ${message}` };
}

/** What keeps add-ons from being installed or available, each with its cluster. */
function causesOf(
  { placements, installed, unknown }: AddOnPlan,
  { refused }: AddOnRefusals,
): string[] {
  const waiting = placements.flatMap(({ rollout }) => [
    ...(rollout?.failed ?? []),
    ...(rollout?.timedOut ?? []),
    ...(rollout?.underWay ?? []).map(({ name }) => name),
  ]);
  return [
    ...[...refused].map(([cluster, { message }]) => `${cluster}: ${message}`),
    ...unknown.map((cluster) => `${cluster}: there is no ManagedCluster of this name`),
    ...[...new Set(waiting)].flatMap((cluster) => {
      const addOn = installed.get(cluster);
      const isFine = addOn === undefined || knownCluster(addOn).state === "Succeeded";
      return isFine ? [] : [troubleOf(addOn)];
    }),
  ];
}

type Progression = NonNullable<ClusterManagementAddOnStatus["installProgressions"]>[number];

function progression(
  plan: PlacementPlan,
  written: ClusterManagementAddOnStatus | undefined,
  nowMs: number,
): Progression {
  const { namespace, name, configs = [] } = plan.reference;
  const before = written?.installProgressions?.find(
    (each) => each.namespace === namespace && each.name === name,
  );
  const { phase, reason, message } = placementState(plan);
  const unused =
    configs.length > 0
      ? ["configs has no effect: Lockstep installs add-ons, it does not configure them"]
      : [];
  const progressing: ConditionText = {
    type: rolloutConditionTypes.progressing,
    status: phase === "moving" ? "True" : "False",
    reason,
    message: withCauses(message, unused),
  };
  return { namespace, name, conditions: mergeConditions(before?.conditions, [progressing], nowMs) };
}

/** Somebody waits for: a stall, the end, and what the latest spec leads to. */
export function isUrgentStatus(
  { status: before }: ClusterManagementAddOn,
  after: ClusterManagementAddOnStatus,
): boolean {
  const { stalled, progressing, available } = rolloutConditionTypes;
  return (
    before?.observedGeneration !== after.observedGeneration ||
    [stalled, progressing, available].some(
      (type) => isConditionTrue(before, type) !== isConditionTrue(after, type),
    )
  );
}
