/** Chooses the order in which PlacementDecisions change their group labels. */
import { isSameGroup } from "./decisions.ts";
import type { DecisionWrite, GroupLabels, ObservedDecision, PlannedDecision } from "./decisions.ts";

interface Relabel {
  readonly name: string;
  readonly from: GroupLabels | undefined;
  readonly to: GroupLabels;
}

/**
 * Consumers rebuild the groups from the labels and lose sight of a group whose index carries two
 * names or lies behind a gap. So each relabel is the highest-numbered one that causes neither, and
 * only where none is left the highest of all: a group of several decisions that merely changes its
 * name cannot avoid a moment with two.
 */
export function orderRelabels(
  observed: readonly ObservedDecision[],
  planned: readonly PlannedDecision[],
): readonly DecisionWrite[] {
  const before = new Map(observed.map((decision) => [decision.name, decision]));
  const names = new GroupNames();
  for (const { group } of observed) names.add(group);
  for (const { name, group } of planned) if (!before.has(name)) names.add(group);

  let waiting: readonly Relabel[] = planned
    .flatMap(({ name, group }) => {
      const held = before.get(name);
      if (held === undefined || isSameGroup(held.group, group)) return [];
      return [{ name, from: held.group, to: group }];
    })
    .toReversed();
  const ordered: DecisionWrite[] = [];
  while (waiting.length > 0) {
    const safe = waiting.findIndex((relabel) => names.staysWholeAfter(relabel));
    const [next] = waiting.slice(Math.max(0, safe));
    if (next === undefined) break;
    names.remove(next.from);
    names.add(next.to);
    ordered.push({ kind: "relabel", name: next.name, group: next.to });
    waiting = waiting.filter((relabel) => relabel !== next);
  }
  return ordered;
}

/** How many decisions carry each name under each group index. */
class GroupNames {
  readonly #counts = new Map<number, Map<string, number>>();

  add(group: GroupLabels | undefined): void {
    this.#change(group, 1);
  }

  remove(group: GroupLabels | undefined): void {
    this.#change(group, -1);
  }

  staysWholeAfter({ from, to }: Relabel): boolean {
    this.remove(from);
    const others = this.#counts.get(to.index);
    const isOneName = others === undefined || [...others.keys()].every((name) => name === to.name);
    // Indices are filled from 0, so only the one left empty or the one newly taken can make a gap.
    const isEmptied = from !== undefined && from.index !== to.index && !this.#has(from.index);
    const leavesGap = isEmptied && this.#has(from.index + 1);
    const jumpsAhead = to.index > 0 && !this.#has(to.index - 1);
    this.add(from);
    return isOneName && !leavesGap && !jumpsAhead;
  }

  #has(index: number): boolean {
    return this.#counts.has(index);
  }

  #change(group: GroupLabels | undefined, by: number): void {
    if (group === undefined) return;
    const names = this.#counts.get(group.index) ?? new Map<string, number>();
    const count = (names.get(group.name) ?? 0) + by;
    if (count > 0) names.set(group.name, count);
    else names.delete(group.name);
    if (names.size > 0) this.#counts.set(group.index, names);
    else this.#counts.delete(group.index);
  }
}
