/** Sums over the tree: how many pods serve on the target, and how a parent is doing by its children. Pure. */
import type { NodeHealth, ProgressView, RolloutNode } from "./view.ts";
import { podsOf } from "./view.ts";

export const isServing = ({ health }: Pick<RolloutNode, "health">): boolean =>
  health === "available";

/** Units that are missing count as not done: `total` is how many there are to be. */
export function progressOf(
  nodes: readonly RolloutNode[],
  total: number,
  startedAt: string | undefined,
): ProgressView {
  const done = podsOf(nodes).filter(
    (pod) => pod.isUpdated === true && pod.isSurge !== true && isServing(pod),
  ).length;
  return {
    unit: "pod",
    done: Math.min(done, total),
    total,
    ...(startedAt === undefined ? {} : { startedAt }),
  };
}

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
