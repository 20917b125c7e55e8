/** Changes of a selection that move clusters between decisions: the scenarios, the rows, and random ones. */
import type { DecisionGroup } from "../../src/planner/index.ts";
import type { Random } from "../../src/sim/random.ts";
import { clusters, groupsOf } from "../builders/placement.ts";

export interface SelectionChange {
  readonly from: readonly DecisionGroup[];
  readonly to: readonly DecisionGroup[];
}

const one = (first: number, last: number): DecisionGroup[] => groupsOf(clusters(first, last));
const by50 = groupsOf(clusters(1, 250), 50);

export const scenarios: Readonly<Record<string, SelectionChange>> = {
  "scenario 1: a cluster in front moves the hundredth": { from: one(1, 150), to: one(0, 150) },
  "scenario 2: without the first the hundredth moves back": { from: one(0, 150), to: one(1, 150) },
  "scenario 3: groups of 50 instead of one": { from: one(1, 250), to: by50 },
};

export const rows: Readonly<Record<string, SelectionChange>> = {
  "150, insert first": { from: one(1, 150), to: one(0, 150) },
  "151, delete first": { from: one(0, 150), to: one(1, 150) },
  "250, one group to groups of 50": { from: one(1, 250), to: by50 },
  "250, groups of 50 to one": { from: by50, to: one(1, 250) },
  "200, insert first": { from: one(1, 200), to: one(0, 200) },
  "201, delete first": { from: one(0, 200), to: one(1, 200) },
  "1000, insert first": { from: one(1, 1000), to: one(0, 1000) },
  "1000, insert 50 first": { from: one(51, 1050), to: one(1, 1050) },
  "1000, insert 100 first": { from: one(101, 1100), to: one(1, 1100) },
  "1000, append last": { from: one(1, 1000), to: one(1, 1001) },
  "1000, all replaced": { from: one(1, 1000), to: one(1001, 2000) },
  "3500, insert first": { from: one(1, 3500), to: one(0, 3500) },
};

/** Those that hide clusters where decisions are written in place, in ascending order. */
export const losingRows = Object.entries(rows).filter(([name]) =>
  /insert|to groups of 50/.test(name),
);

/** Of a small fleet, so that decisions of three clusters split and merge. */
export const smallFleet = clusters(1, 14);
export const smallLimit = 3;

/** Some of the fleet, as one group, as groups of a few, or with a canary in front. */
export function randomSelection(random: Random): DecisionGroup[] {
  const share = 2 + random.below(8);
  const selected = smallFleet.filter(() => random.below(10) < share);
  const shape = random.below(3);
  if (shape === 0) return groupsOf(selected);
  if (shape === 1) return groupsOf(selected, 1 + random.below(6));
  const canary = 1 + random.below(9);
  return [
    { name: "canary", clusters: selected.slice(0, canary) },
    { name: "", clusters: selected.slice(canary) },
  ];
}
