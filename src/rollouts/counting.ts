/** Sums over the tree: how many pods serve on the target, what uses a budget, how a parent is doing. Pure. */
import type { BudgetView, NodeHealth, ProgressView, RolloutNode } from "./view.ts";
import { podsOf } from "./view.ts";

export const isServing = ({ health }: Pick<RolloutNode, "health">): boolean =>
  health === "available";

/** Of a unit that is replaced whole, no pod is done before all of them are of the target: by what it is part of. */
type MovesWhole = (parent: RolloutNode | undefined) => boolean;

/** Units that are missing count as not done: `total` is how many there are to be. */
export function progressOf(
  nodes: readonly RolloutNode[],
  { total, startedAt, movesWhole = () => false }: Course,
): ProgressView {
  const done = donePods(nodes, movesWhole);
  const isStopped = podsOf(nodes).some((pod) => pod.isUpdated === true && isStuck(pod));
  const since =
    startedAt === undefined || isStopped
      ? {}
      : { startedAt, doneSince: createdSince(done, startedAt) };
  return { unit: "pod", done: Math.min(done.length, total), total, ...since };
}

/** What it stops has no pace. */
const isStuck = ({ health, cause = "" }: RolloutNode): boolean =>
  health === "broken" || cause.startsWith("not scheduled");

interface Course {
  readonly total: number;
  readonly startedAt?: string | undefined;
  readonly movesWhole?: MovesWhole;
}

/** Surge serves in place of others, whole replicas of it too: it is never one of those that are to be done. */
const donePods = (
  nodes: readonly RolloutNode[],
  movesWhole: MovesWhole,
  parent?: RolloutNode,
): readonly RolloutNode[] =>
  nodes.flatMap((node) => {
    if (node.isSurge === true) return [];
    if (node.kind === "Pod") return node.isUpdated === true && isServing(node) ? [node] : [];
    if (movesWhole(parent) && node.isUpdated !== true) return [];
    return donePods(node.children, movesWhole, node);
  });

const createdSince = (pods: readonly RolloutNode[], startedAt: string): number =>
  pods.filter(({ createdAt = "" }) => createdAt >= startedAt).length;

/** What a budget is about: a pod, a replica of a scaling group or of a set. */
export interface BudgetUnit {
  readonly name: string;
  readonly isSurge: boolean;
  /** Something of it is not terminating. */
  readonly isThere: boolean;
  /** Enough of it is available. */
  readonly serves: boolean;
  /** It does not count against the budget. */
  readonly isUp: boolean;
}

export const podUnit = (pod: RolloutNode): BudgetUnit => ({
  name: pod.name,
  isSurge: pod.isSurge === true,
  isThere: pod.health !== "terminating" && pod.health !== "missing",
  serves: isServing(pod),
  isUp: isServing(pod),
});

export function gauges(
  budget: { readonly maxUnavailable: number; readonly maxSurge: number },
  desired: number,
  units: readonly BudgetUnit[],
): BudgetView {
  const used = Math.max(0, desired - units.filter(({ isUp }) => isUp).length);
  const serving = units.filter(({ serves, isUp }) => serves && !isUp).slice(0, used);
  return {
    unavailable: {
      used,
      allowed: budget.maxUnavailable,
      ...(serving.length === 0 ? {} : { serving: serving.map(({ name }) => name) }),
    },
    surge: {
      used: units.filter(({ isSurge, isThere }) => isSurge && isThere).length,
      allowed: budget.maxSurge,
    },
  };
}

/** Why a budget is used although that much serves; empty where what is used is down. */
export function servingText({ unavailable: { serving = [] } }: BudgetView): string {
  const [first, ...others] = serving;
  if (first === undefined) return "";
  return others.length === 0
    ? `${first} counts until it is whole on the target, but serves`
    : `${first} and ${others.length} more count until they are whole on the target, but serve`;
}

/** A surge that serves stands in for a unit that does not. */
export const servingCount = (desired: number, units: readonly BudgetUnit[]): number =>
  Math.min(desired, units.filter(({ serves }) => serves).length);

/** A parent serves when its children do. */
export function healthOfAll(children: readonly Pick<RolloutNode, "health">[]): NodeHealth {
  const has = (health: NodeHealth): boolean => children.some((child) => child.health === health);
  if (children.length === 0) return "missing";
  if (children.every(isServing)) return "available";
  if (has("broken")) return "broken";
  if (children.every(({ health }) => health === "terminating")) return "terminating";
  if (has("available") || has("partial")) return "partial";
  if (has("ready")) return "ready";
  return has("starting") ? "starting" : "missing";
}

export const byOrdinal = (a: RolloutNode, b: RolloutNode): number =>
  (a.ordinal ?? 0) - (b.ordinal ?? 0) || (a.name < b.name ? -1 : 1);
