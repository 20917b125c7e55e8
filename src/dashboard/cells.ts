/** What a page draws of a rollout: its pods or clusters as cells, and its counters as series. Pure. */
import type { BudgetView, Counts, RolloutNode, RolloutView } from "../rollouts/view.ts";

/** One pod, or one cluster in one PlacementDecision. */
export interface Cell {
  /** Of the cell; a cluster that is listed twice has two. */
  readonly key: string;
  readonly name: string;
  /** The outermost unit that it belongs to: `replica 1`, a role, a PlacementDecision. */
  readonly unit: string;
  /** What it belongs to inside of that: `decode 0 / worker`. */
  readonly part: string;
  readonly revision: string;
  readonly health: RolloutNode["health"];
  readonly isUpdated: boolean;
  readonly isSurge: boolean;
  readonly cause?: string;
  readonly node?: string;
  readonly restarts?: number;
}

/** How many units there are to be, serve, and are updated; `minimum` is what the budget promises. */
export interface Series {
  readonly name: string;
  readonly unit: string;
  readonly desired: number;
  readonly available: number;
  readonly updated: number;
  readonly minimum?: number;
}

const isLeaf = ({ kind }: RolloutNode): boolean => kind === "Pod" || kind === "Cluster";

export function cellsOf({ nodes }: RolloutView): readonly Cell[] {
  const leaves = nodes.flatMap((node) => leavesBelow(node, []));
  const listings = new Map<string, number>();
  for (const { node } of leaves) listings.set(node.name, (listings.get(node.name) ?? 0) + 1);
  return leaves.map(({ node, path }) => cellOf(node, path, (listings.get(node.name) ?? 1) > 1));
}

interface Leaf {
  readonly node: RolloutNode;
  readonly path: readonly string[];
}

function leavesBelow(node: RolloutNode, path: readonly string[]): readonly Leaf[] {
  if (isLeaf(node)) return [{ node, path }];
  return node.children.flatMap((child) => leavesBelow(child, [...path, node.label]));
}

function cellOf(node: RolloutNode, [unit = "", ...parts]: readonly string[], isTwice: boolean) {
  const { kind, name, revision, health, isUpdated, isSurge, cause, node: place, restarts } = node;
  const isCluster = kind === "Cluster";
  return {
    key: isCluster ? `${unit}/${name}` : name,
    name,
    unit,
    part: partText(parts),
    revision: revision === undefined ? "" : String(revision.number ?? revision.name),
    health,
    // What a Placement lists is what it selects now.
    isUpdated: isCluster || isUpdated === true,
    isSurge: isSurge === true || (isCluster && isTwice),
    ...(cause === undefined ? {} : { cause }),
    ...(place === undefined ? {} : { node: place }),
    ...(restarts === undefined ? {} : { restarts }),
  } satisfies Cell;
}

/** `decode`, `replica 0`, `leader` -> `decode 0 / leader`. */
const partText = (parts: readonly string[]): string =>
  parts.join(" / ").replaceAll(/ \/ replica (\d+)/g, " $1");

/** Curves of more components than these say nothing to a reader. */
const mostSeries = 24;

/** The whole first, then every part that has a budget of its own. */
export function seriesOf(view: RolloutView): readonly Series[] {
  const parts = view.nodes.flatMap((node) => seriesBelow(node, [])).slice(0, mostSeries);
  const { counts, budget, nodes } = view;
  const whole = seriesFrom("", counts, budget);
  const isSum = budget === undefined && parts.length > 0 && parts.length === nodes.length;
  return [isSum ? { ...whole, ...sumOf(parts) } : whole, ...parts];
}

function seriesBelow(node: RolloutNode, path: readonly string[]): readonly Series[] {
  if (isLeaf(node)) return [];
  const names = [...path, node.label];
  const { counts, budget } = node;
  if (counts !== undefined && budget !== undefined) {
    return [seriesFrom(names.join(" / "), counts, budget)];
  }
  return node.children.flatMap((child) => seriesBelow(child, names));
}

/** What serves is drawn, not what the budget counts: a unit may serve while it is being updated. */
function seriesFrom(name: string, counts: Counts, budget: BudgetView | undefined): Series {
  const { unit, desired, available, updated } = counts;
  const series = { name, unit, desired, available, updated };
  if (budget === undefined) return series;
  return { ...series, minimum: Math.max(0, desired - budget.unavailable.allowed) };
}

/** Where only the parts have a budget, their promises add up. */
function sumOf(parts: readonly Series[]): Pick<Series, "available" | "minimum"> {
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  return {
    available: sum(parts.map(({ available }) => available)),
    minimum: sum(parts.map(({ minimum = 0 }) => minimum)),
  };
}
