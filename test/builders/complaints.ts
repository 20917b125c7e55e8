/** Complaints of every scenario that a test starts, checked after it whether or not the test looked. */
import { Complaints } from "../../src/simulation/complaints.ts";

/** Of all scenarios that were started since the last check. */
const unchecked = new Set<Complaints>();

const shownAtMost = 5;

export function checkedComplaints(expected: readonly RegExp[] = []): Complaints {
  const complaints = new Complaints(expected);
  unchecked.add(complaints);
  return complaints;
}

/** Throws where a scenario has complaints that its test does not expect. Runs after every test. */
export function assertNoComplaints(): void {
  const all = [...unchecked];
  unchecked.clear();
  assertNone(all);
}

export function assertNone(all: readonly Complaints[]): void {
  const texts = all.flatMap((complaints) => complaints.unanswered());
  if (texts.length === 0) return;
  const shown = texts.slice(0, shownAtMost);
  const left = texts.length - shown.length;
  throw new Error([...shown, ...(left > 0 ? [`and ${left} more`] : [])].join("\n"));
}
