/** The words of placement planning: PlacementDecision objects as plain data, and writes to them. */

/** The group labels of a PlacementDecision; `index` counts from 0 over all groups. */
export interface GroupLabels {
  readonly index: number;
  readonly name: string;
}

/** A PlacementDecision that carries the placement's label, as the server holds it now. */
export interface ObservedDecision {
  readonly name: string;
  /** Undefined when the labels are missing or no number: they are then written again. */
  readonly group: GroupLabels | undefined;
  readonly clusters: readonly string[];
  /** False when its owner is not this very Placement, so that garbage collection may take it. */
  readonly isOwned: boolean;
}

/** Clusters that belong to one decision group, before they are cut into decisions. */
export interface DecisionGroup {
  readonly name: string;
  readonly clusters: readonly string[];
}

/** A PlacementDecision as it shall be when the change is over. */
export interface PlannedDecision {
  readonly name: string;
  readonly number: number;
  readonly group: GroupLabels;
  readonly clusters: readonly string[];
}

/** What scheduling found. A failure is no selection: it must never look like an empty one. */
export type Selection =
  | { readonly kind: "selected"; readonly groups: readonly DecisionGroup[] }
  | { readonly kind: "failed"; readonly problem: string };

/** `All` writes every decision in place; `RollingUpdate` keeps a moving cluster in sight. */
export type DecisionUpdateStrategy = "All" | "RollingUpdate";

export interface PlacementSnapshot {
  readonly placement: string;
  readonly observed: readonly ObservedDecision[];
  readonly selection: Selection;
}

/** One write to the API. A created decision is empty: the server drops status on create. */
export type DecisionWrite =
  | { readonly kind: "create"; readonly name: string; readonly group: GroupLabels }
  | { readonly kind: "adopt"; readonly name: string }
  | { readonly kind: "list"; readonly name: string; readonly clusters: readonly string[] }
  | { readonly kind: "relabel"; readonly name: string; readonly group: GroupLabels }
  | { readonly kind: "delete"; readonly name: string };

export type PhaseName = "surge" | "relabel" | "finalize" | "update" | "delete";

/** Writes in order. Whoever performs them enters a phase only if every earlier write succeeded. */
export interface WritePhase {
  readonly phase: PhaseName;
  readonly writes: readonly DecisionWrite[];
}

/** Byte-wise, as the original sorts them; cluster names are ASCII. Never locale-aware. */
export function byName(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function isSameGroup(a: GroupLabels | undefined, b: GroupLabels): boolean {
  return a !== undefined && a.index === b.index && a.name === b.name;
}

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((cluster, position) => cluster === b[position]);
}
