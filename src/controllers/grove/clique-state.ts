/** The state of one PodClique, assessed by its pods: its status lags behind them, and budgets must not. */
import type { WithConditions } from "../engine/conditions.ts";
import { conditionOf } from "../engine/conditions.ts";
import { conditionTypes } from "../../api/grove/conditions.ts";
import { annotationKeys, labelKeys } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { parseTime } from "../../api/time-text.ts";
import type { UnitHealth } from "../../planner/index.ts";
import { controllerOf } from "../engine/ownership.ts";
import type { PodState } from "../engine/pod-health.ts";
import { causesIn, isBroken, isScheduled, podHealth } from "../engine/pod-health.ts";
import { refusedPodIn } from "../engine/rollout-conditions.ts";
import { numberLabel } from "./set-members.ts";

export interface CliqueState {
  /** The clique's name in the template. */
  readonly clique: string;
  /** Undefined where only pods of an earlier incarnation are left, or nothing. */
  readonly object: PodClique | undefined;
  readonly replicas: number;
  readonly minAvailable: number;
  /** Its pods that are not terminating. */
  readonly live: readonly Pod[];
  /** Live pods at indices beyond the clique's size: surge, or pods that scaling in has yet to delete. */
  readonly beyond: number;
  /** Pods of an earlier incarnation of this name. */
  readonly leftovers: readonly Pod[];
  readonly ready: number;
  readonly scheduled: number;
  readonly updated: number;
  /** Of the updated ones, those beyond its size. */
  readonly updatedBeyond: number;
  /** Its own template, or some pod of it, is not of the target. */
  readonly isOutdated: boolean;
  readonly trouble: string | undefined;
  /** What keeps its pods from serving, each with the pod's name, the gravest first. */
  readonly causes: readonly string[];
}

interface CliqueView {
  readonly clique: string;
  readonly object: PodClique | undefined;
  /** Every pod labelled with this PodClique's name. */
  readonly pods: readonly Pod[];
  readonly targetHash: string;
}

export const templateHash = ({ metadata }: PodClique | Pod): string =>
  metadata.labels?.[labelKeys.podTemplateHash] ?? "";

export function assessClique({ clique, object, pods, targetHash }: CliqueView): CliqueState {
  const uid = object?.metadata.uid;
  const own = pods.filter((pod) => uid !== undefined && controllerOf(pod)?.uid === uid);
  const live = own.filter((pod) => !isTerminating(pod));
  // Ready means available here, so the time does not matter: the same objects have the same state at any time.
  const states = live.map((pod) => ({ pod, health: podHealth(pod, 0, 0) }));
  const replicas = object?.spec.replicas ?? 0;
  const isCurrent = (pod: Pod): boolean => templateHash(pod) === targetHash;
  const beyond = live.filter((pod) => (numberLabel(pod, labelKeys.podIndex) ?? 0) >= replicas);
  return {
    clique,
    object,
    replicas,
    minAvailable: object?.spec.minAvailable ?? replicas,
    live,
    beyond: beyond.length,
    leftovers: pods.filter((pod) => !own.includes(pod)),
    ready: states.filter(({ health }) => health.health === "available").length,
    scheduled: live.filter(isScheduled).length,
    updated: live.filter(isCurrent).length,
    updatedBeyond: beyond.filter(isCurrent).length,
    isOutdated:
      object !== undefined && (templateHash(object) !== targetHash || !live.every(isCurrent)),
    trouble: states.find(isBroken)?.health.trouble,
    causes: causesOf(object, states),
  };
}

/** Broken pods first, then what the API server refused, then pods that nobody finds a place for. */
function causesOf(
  object: PodClique | undefined,
  states: readonly Pick<PodState, "pod" | "health">[],
): readonly string[] {
  const refused = (object?.status?.lastErrors ?? []).map(
    ({ description }) => refusedPodIn(description) ?? `${object?.metadata.name}: ${description}`,
  );
  return [
    ...causesIn(states.filter(isBroken)),
    ...refused,
    ...causesIn(states.filter((state) => !isBroken(state))),
    ...heldBack(
      object,
      states.map(({ pod }) => pod),
    ),
  ];
}

/** Why pods are kept from the scheduler, as the clique itself says, once it does. */
function heldBack(object: PodClique | undefined, pods: readonly Pod[]): string[] {
  const isHeld = pods.some(({ spec }) => (spec.schedulingGates ?? []).length > 0);
  const condition = conditionOf(object?.status, conditionTypes.podCliqueScheduled);
  return isHeld && condition?.status === "False" && heldBackReason(object ?? {}) !== undefined
    ? [`${object?.metadata.name}: ${condition.message}`]
    : [];
}

/** Enough pods for the clique to be available; a new one must be whole, an old one may have lost some. */
export function cliqueHealth(state: CliqueState, mustBeWhole: boolean): UnitHealth {
  if (state.object === undefined) return state.leftovers.length > 0 ? "terminating" : "missing";
  if (isTerminating(state.object)) return "terminating";
  const needed = mustBeWhole ? Math.max(state.replicas, state.minAvailable) : state.minAvailable;
  if (state.ready >= needed) return "available";
  return state.trouble === undefined ? "pending" : "unavailable";
}

/** Every pod is there and of the target, and no surge is left over. */
const isOnTarget = (state: CliqueState): boolean =>
  state.object !== undefined &&
  !state.isOutdated &&
  state.leftovers.length + state.beyond === 0 &&
  state.live.length === state.replicas;

export const isComplete = (state: CliqueState): boolean =>
  isOnTarget(state) && state.ready === state.replicas;

/** Enough of them serve: one that is not ready is updated all the same. */
export const isUpdated = (state: CliqueState): boolean =>
  isOnTarget(state) && state.ready >= state.minAvailable;

export const createdAtMs = (
  object: { metadata: { creationTimestamp?: string } } | undefined,
): number => parseTime(object?.metadata.creationTimestamp ?? "") ?? 0;

const before = " held back: ";

/** `3 held back: their PodGang does not exist yet`; `2 are held back: ...` as a sentence. */
export const heldBackText = (count: number, reason: string, verb = ""): string =>
  `${count}${verb}${before}${reason}`;

/** Undefined where it keeps none, or has yet to say so. */
export const heldBackReason = ({
  status,
}: {
  readonly status?: WithConditions;
}): string | undefined =>
  conditionOf(status, conditionTypes.podCliqueScheduled)?.message?.split(before, 2)[1];

/** Whether a set lets its gangs go although they do not fit. */
export const isGangFitIgnored = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[annotationKeys.gangFit] === "Ignore";
