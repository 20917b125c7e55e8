/** The tree of a rollout as lines: what is done is folded first where the terminal is too small. Pure. */
import type { NodeHealth, RolloutNode, RolloutView } from "../rollouts/view.ts";
import { podsOf, typed } from "../rollouts/view.ts";
import type { Colour, Line, Segment } from "./paint.ts";
import { coloured, columns, plain, stateColours, stateIcons } from "./paint.ts";
import { ageText, budgetText, shortRevision } from "./rollout-text.ts";

interface TreeSize {
  readonly rows: number;
  readonly nowMs: number;
}

interface Row {
  readonly node: RolloutNode;
  /** The branches before the name. */
  readonly branch: string;
  readonly isFolded: boolean;
}

export function treeLines(view: RolloutView, { rows, nowMs }: TreeSize): readonly Line[] {
  if (view.nodes.length === 0) return [[coloured("dim", "no pods")]];
  const room = rows - headerRows;
  const all = folds.map((fold) => branches(view.nodes, "", fold));
  const chosen = all.find((each) => each.length <= room) ?? all.at(-1) ?? [];
  const shown = chosen.length > room ? chosen.slice(0, Math.max(0, room - 1)) : chosen;
  const rest = chosen.length - shown.length;
  const root = [
    coloured(stateColours[view.state], `${stateIcons[view.state]} ${typed(view.object)}`),
    plain(view.target === undefined ? "" : shortRevision(view.target)),
    coloured(stateColours[view.state], view.state),
    plain(ageText(view.createdAt, nowMs)),
    plain(""),
  ];
  const header = ["NAME", "REV", "STATUS", "AGE", "INFO"].map((text) => coloured("dim", text));
  const more = rest === 0 ? [] : [[coloured("dim", `… ${rest} more lines; enlarge the terminal`)]];
  return [...columns([header, root, ...shown.map((row) => cellsOf(row, nowMs))]), ...more];
}

/** The tree gets this many lines before events are left out for it. */
const leastRows = 6;
const headerRows = 2;

/** A broken pod is worth more than what happened before: events are left out until it can be seen. */
export function rowsWanted({ nodes }: RolloutView): number {
  const isBroken = podsOf(nodes).some(({ health }) => health === "broken");
  return isBroken ? branches(nodes, "", served).length + headerRows : leastRows;
}

const isAvailable = ({ health }: RolloutNode): boolean => health === "available";

const hasPods = ({ children }: RolloutNode): boolean => children[0]?.kind === "Pod";

interface Fold {
  readonly isFolded: (node: RolloutNode) => boolean;
  /** Pods beside each other that one line can speak for, where they are alike. */
  readonly isGathered?: (pod: RolloutNode) => boolean;
}

/** What serves takes as few lines as it can. */
const served: Fold = { isFolded: isAvailable, isGathered: isAvailable };

const isGathered = ({ health }: RolloutNode): boolean => health !== "broken";

/** What is done is no news; then what waits, then pods that their clique can speak for, then whole groups. */
const folds: readonly Fold[] = [
  { isFolded: () => false },
  { isFolded: (node) => node.health === "available" && node.isUpdated === true },
  { isFolded: isAvailable },
  served,
  { isFolded: isAvailable, isGathered },
  {
    isFolded: (node) => isAvailable(node) || (hasPods(node) && node.health !== "broken"),
    isGathered,
  },
  { isFolded: (node) => isAvailable(node) || hasPods(node) },
  {
    isFolded: (node) => isAvailable(node) || node.kind !== "Replica" || node.children.length === 0,
  },
  { isFolded: () => true },
];

/** Runs of pods that are alike, each as one node. */
function gathered(
  nodes: readonly RolloutNode[],
  isOneOfThem: (pod: RolloutNode) => boolean,
): readonly RolloutNode[] {
  const runs: RolloutNode[][] = [];
  for (const node of nodes) {
    const run = runs.at(-1);
    const canJoin = node.kind === "Pod" && isOneOfThem(node);
    if (canJoin && run?.[0] !== undefined && isAlike(run[0], node)) run.push(node);
    else runs.push([node]);
  }
  return runs.flatMap((run) => (run.length < 3 ? run : [podRun(run)]));
}

const isAlike = (a: RolloutNode, b: RolloutNode): boolean =>
  a.kind === b.kind &&
  a.health === b.health &&
  a.isSurge === b.isSurge &&
  a.revision?.name === b.revision?.name;

function podRun(run: readonly RolloutNode[]): RolloutNode {
  const { name, label, ...first } = run[0] as RolloutNode;
  const { cause: _cause, node: _node, restarts: _restarts, ...alike } = first;
  return { ...alike, kind: "Pods", name, label: `${label} … ${run.at(-1)?.label}`, children: run };
}

function branches(nodes: readonly RolloutNode[], indent: string, fold: Fold): readonly Row[] {
  const { isFolded, isGathered: isOneOfThem } = fold;
  const shown = isOneOfThem === undefined ? nodes : gathered(nodes, isOneOfThem);
  return shown.flatMap((node, at) => {
    const isLast = at === shown.length - 1;
    const branch = `${indent}${isLast ? "└─" : "├─"} `;
    const folded = node.kind === "Pods" || (node.children.length > 0 && isFolded(node));
    const below = `${indent}${isLast ? "   " : "│  "}`;
    return [
      { node, branch, isFolded: folded },
      ...(folded ? [] : branches(node.children, below, fold)),
    ];
  });
}

const healthIcons: Readonly<Record<NodeHealth, string>> = {
  available: "✔",
  ready: "◌",
  starting: "◌",
  partial: "◌",
  broken: "✖",
  terminating: "◷",
  missing: "·",
};

const healthColours: Readonly<Record<NodeHealth, Colour>> = {
  available: "green",
  ready: "cyan",
  starting: "cyan",
  partial: "cyan",
  broken: "red",
  terminating: "dim",
  missing: "dim",
};

/** The target is green and what is left behind yellow. */
const revisionColour = (isUpdated: boolean | undefined): Colour | undefined =>
  isUpdated === undefined ? undefined : isUpdated ? "green" : "yellow";

function cellsOf({ node, branch, isFolded }: Row, nowMs: number): readonly Segment[] {
  const { health, revision, isUpdated, createdAt } = node;
  const colour = healthColours[health];
  const name = `${branch}${healthIcons[health]} ${node.label}${node.isSurge === true ? " (surge)" : ""}`;
  return [
    coloured(colour, name),
    coloured(revisionColour(isUpdated), revision === undefined ? "" : shortRevision(revision)),
    coloured(colour, health),
    plain(ageText(createdAt, nowMs)),
    plain(infoOf(node, isFolded)),
  ];
}

/** `15 pods`, or `100 clusters` of a PlacementDecision. */
function leavesOf(node: RolloutNode): string {
  const pods = podsOf([node]).length;
  return pods > 0 ? `${pods} pods` : `${node.children.length} ${node.counts?.unit ?? "part"}s`;
}

function infoOf(node: RolloutNode, isFolded: boolean): string {
  const { counts, budget, cause, restarts = 0, serves = false } = node;
  const parts = [
    ...(serves ? ["serves with what it has"] : []),
    ...(counts === undefined ? [] : [`${counts.available}/${counts.desired} ${counts.unit}s`]),
    ...(budget === undefined || isFolded ? [] : [budgetText(budget)]),
    ...(isFolded ? [`${leavesOf(node)} folded`] : []),
    ...(node.node === undefined ? [] : [node.node]),
    ...(restarts === 0 ? [] : [`${restarts} restarts`]),
    ...(cause === undefined ? [] : [cause]),
  ];
  return parts.join("  ");
}
