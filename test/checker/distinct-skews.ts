/** The values of maxSkew worth verifying: one of all percentages that bound small roles alike. */
import { reachBeyond } from "../../src/planner/coordination/bound-roles.ts";

const percentages = Array.from({ length: 101 }, (_, percent) => percent);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

/** The smallest percentage of each kind, because the promise is checked against exactly that percentage. */
export function distinctSkews([first, second]: readonly [number, number]): number[] {
  const smallest = new Map<string, number>();
  for (const percent of percentages) {
    const reach = upTo(first).flatMap((a) =>
      upTo(second).flatMap((b) => [...reaches(a, b, percent), ...reaches(b, a, percent)]),
    );
    const kind = reach.join(" ");
    if (!smallest.has(kind)) smallest.set(kind, percent);
  }
  return [...smallest.values()];
}

/** How far a role of `desired` units gets beside a partner of `others`, however far that one is. */
const reaches = (desired: number, others: number, percent: number): number[] =>
  [0, ...upTo(others)].map((confirmed) =>
    reachBeyond({ confirmed, desired: others }, desired, percent),
  );
