/** What one ordinal holds, as a small number, so that states stay short and compare fast. */
import type { UnitHealth } from "../../src/planner/unit.ts";

/** Relative to the target, so that endless retargeting has finitely many states. */
export const revisions = ["v2", "v1", "v0"] as const;
export const target = 0;
export const previous = 1;

export const conditions = [
  "unscheduled",
  "pending",
  "ready",
  "available",
  "unavailable",
  "failed",
  "terminating",
] as const;
export type Condition = (typeof conditions)[number];

export const empty = 0;
const width = conditions.length;
const indexOf = Object.fromEntries(conditions.map((name, at) => [name, at])) as Record<
  Condition,
  number
>;

export const slotOf = (revision: number, condition: Condition): number =>
  1 + revision * width + indexOf[condition];
export const revisionIn = (slot: number): number => Math.floor((slot - 1) / width);
export const conditionIn = (slot: number): Condition => conditions[(slot - 1) % width]!;
export const withCondition = (slot: number, condition: Condition): number =>
  slotOf(revisionIn(slot), condition);

export const isAvailable = (slot: number): boolean =>
  slot !== empty && conditionIn(slot) === "available";
export const isTerminating = (slot: number): boolean =>
  slot !== empty && conditionIn(slot) === "terminating";
export const isLive = (slot: number): boolean => slot !== empty && !isTerminating(slot);
export const isFailed = (slot: number): boolean => slot !== empty && conditionIn(slot) === "failed";

/** A new revision arrives: what was the target is the previous one now. */
export const afterRetarget = (slot: number): number =>
  slot === empty ? empty : slotOf(Math.min(2, revisionIn(slot) + 1), conditionIn(slot));

/** A rollback to the previous revision: the two swap places. */
export function afterRollback(slot: number): number {
  if (slot === empty || revisionIn(slot) > 1) return slot;
  return slotOf(1 - revisionIn(slot), conditionIn(slot));
}

export const healthOf: Readonly<Record<Condition, UnitHealth>> = {
  unscheduled: "pending",
  pending: "pending",
  ready: "ready",
  available: "available",
  unavailable: "unavailable",
  failed: "unavailable",
  terminating: "terminating",
};

const markOf: Readonly<Record<Condition, string>> = {
  unscheduled: "?",
  pending: ".",
  ready: "'",
  available: "",
  unavailable: "!",
  failed: "#",
  terminating: "~",
};

export const drawSlot = (slot: number): string =>
  slot === empty ? "-" : `${revisions[revisionIn(slot)]}${markOf[conditionIn(slot)]}`;
