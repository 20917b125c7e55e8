/** Chooses the order in which PlacementDecisions change their group labels. */
import { isSameGroup } from "./decisions.ts";
import type { DecisionWrite, GroupLabels, ObservedDecision, PlannedDecision } from "./decisions.ts";

interface Relabel {
  readonly name: string;
  readonly from: GroupLabels | undefined;
  readonly to: GroupLabels;
}

/**
 * The labels of a new decision: its final ones, unless its index still carries another name, under which older
 * decisions would be lost from sight. It then starts behind all others and is relabelled with them.
 */
export function labelsAtCreation(
  observed: readonly ObservedDecision[],
  planned: readonly PlannedDecision[],
): ReadonlyMap<string, GroupLabels> {
  const before = new Set(observed.map(({ name }) => name));
  const names = new GroupNames();
  for (const { group } of observed) names.add(group);
  const labels = new Map<string, GroupLabels>();
  for (const { name, group } of planned.filter((decision) => !before.has(decision.name))) {
    const label = names.isFreeFor(group) ? group : { index: names.behindAll(), name: group.name };
    labels.set(name, label);
    names.add(label);
  }
  return labels;
}

/**
 * Consumers rebuild the groups from the labels and lose sight of a group whose index carries two
 * names or lies behind a gap. So each relabel is the highest-numbered one that causes neither. Where
 * there is none, a decision steps aside to an index of its own first: that is how a group of
 * several decisions changes its name without a moment in which one index carries two.
 */
export function orderRelabels(
  observed: readonly ObservedDecision[],
  planned: readonly PlannedDecision[],
): readonly DecisionWrite[] {
  const created = labelsAtCreation(observed, planned);
  const held = new Map<string, GroupLabels | undefined>([
    ...observed.map(({ name, group }) => [name, group] as const),
    ...created,
  ]);
  const order = new RelabelOrder(held, planned);
  const ordered: DecisionWrite[] = [];
  for (let next = order.next(); next !== undefined; next = order.next()) {
    ordered.push({ kind: "relabel", name: next.name, group: next.to });
  }
  return ordered;
}

/** Chooses one relabel after the other; the labels in between are always ones that consumers can walk. */
class RelabelOrder {
  readonly #names = new GroupNames();
  readonly #held: Map<string, GroupLabels | undefined>;
  readonly #nameAt: ReadonlyMap<number, string>;
  /** Final labels of decisions that have yet to get them, highest number first. */
  readonly #waiting: Map<string, GroupLabels>;
  /** Those that may step aside once, highest number first; obsolete ones are only in the way. */
  readonly #aside: Set<string>;

  constructor(held: Map<string, GroupLabels | undefined>, planned: readonly PlannedDecision[]) {
    this.#held = held;
    for (const group of held.values()) this.#names.add(group);
    this.#nameAt = new Map(planned.map(({ group }) => [group.index, group.name]));
    this.#waiting = new Map(
      planned
        .filter(({ name, group }) => !isSameGroup(held.get(name), group))
        .map(({ name, group }) => [name, group] as const)
        .toReversed(),
    );
    const kept = new Set(planned.map(({ name }) => name));
    const obsolete = [...held.keys()].filter((name) => !kept.has(name)).toReversed();
    this.#aside = new Set([...obsolete, ...this.#waiting.keys()]);
  }

  next(): Relabel | undefined {
    const relabel = this.#direct() ?? this.#stepAside() ?? this.#first();
    if (relabel !== undefined) this.#apply(relabel);
    return relabel;
  }

  #direct(): Relabel | undefined {
    for (const [name, group] of this.#waiting) {
      const relabel = this.#relabel(name, group);
      if (this.#names.staysWholeAfter(relabel)) return relabel;
    }
    return undefined;
  }

  /** Whatever it does to consumers: the labels must become right in the end. */
  #first(): Relabel | undefined {
    const [first] = this.#waiting;
    return first && this.#relabel(...first);
  }

  #relabel(name: string, to: GroupLabels): Relabel {
    return { name, from: this.#held.get(name), to };
  }

  /** To the first index that nobody has, under the name that it will have in the end. */
  #stepAside(): Relabel | undefined {
    if (this.#waiting.size === 0) return undefined;
    const index = this.#names.firstFree();
    for (const name of this.#aside) {
      const own = this.#held.get(name);
      // Alone at its index, it need not move: there the final name does no harm.
      const at = this.#names.isAlone(own) ? (own?.index ?? index) : index;
      const to = { index: at, name: this.#nameAt.get(at) ?? own?.name ?? "" };
      const relabel = this.#relabel(name, to);
      const isInTheWay = own !== undefined && this.#nameAt.get(own.index) !== own.name;
      if (isInTheWay && !isSameGroup(own, to) && this.#names.staysWholeAfter(relabel))
        return relabel;
    }
    return undefined;
  }

  #apply({ name, from, to }: Relabel): void {
    const final = this.#waiting.get(name);
    if (final !== undefined && isSameGroup(final, to)) this.#waiting.delete(name);
    else this.#aside.delete(name);
    this.#names.remove(from);
    this.#names.add(to);
    this.#held.set(name, to);
  }
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

  /** Whether no other name is at this index. */
  isFreeFor({ index, name }: GroupLabels): boolean {
    return [...(this.#counts.get(index)?.keys() ?? [])].every((other) => other === name);
  }

  isAlone(group: GroupLabels | undefined): boolean {
    const names = [...(this.#counts.get(group?.index ?? -1)?.values() ?? [])];
    return names.length === 1 && names[0] === 1;
  }

  firstFree(): number {
    let index = 0;
    while (this.#has(index)) index += 1;
    return index;
  }

  behindAll(): number {
    return Math.max(-1, ...this.#counts.keys()) + 1;
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
