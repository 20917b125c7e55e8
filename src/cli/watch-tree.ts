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
  const all = folds.map((isFolded) => branches(view.nodes, "", isFolded));
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
  return isBroken ? branches(nodes, "", isAvailable).length + headerRows : leastRows;
}

const isAvailable = ({ health }: RolloutNode): boolean => health === "available";

const hasPods = ({ children }: RolloutNode): boolean => children[0]?.kind === "Pod";

/** What is done is no news; then what waits, then pods that their clique can speak for, then whole groups. */
const folds: readonly ((node: RolloutNode) => boolean)[] = [
  () => false,
  (node) => node.health === "available" && node.isUpdated === true,
  isAvailable,
  (node) => node.health === "available" || (hasPods(node) && node.health !== "broken"),
  (node) => node.health === "available" || hasPods(node),
  (node) => node.health === "available" || node.kind !== "Replica" || node.children.length === 0,
  () => true,
];

function branches(
  nodes: readonly RolloutNode[],
  indent: string,
  isFolded: (node: RolloutNode) => boolean,
): readonly Row[] {
  return nodes.flatMap((node, at) => {
    const isLast = at === nodes.length - 1;
    const branch = `${indent}${isLast ? "└─" : "├─"} `;
    const folded = node.children.length > 0 && isFolded(node);
    const below = `${indent}${isLast ? "   " : "│  "}`;
    return [
      { node, branch, isFolded: folded },
      ...(folded ? [] : branches(node.children, below, isFolded)),
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
