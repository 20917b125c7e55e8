/** Which recorded revision `undo` goes back to, the same for every kind. Pure. */
import type { Steer } from "../kind.ts";
import { nothing, refused } from "../kind.ts";
import type { RevisionRecord } from "../revisions.ts";

export type UndoChoice =
  | {
      readonly kind: "revision";
      readonly to: RevisionRecord;
      readonly did: string;
      readonly takeBack: string;
    }
  | Exclude<Steer, { kind: "change" }>;

/** Without a number: the revision before the newest, as kubectl does. */
export function chooseUndo(
  records: readonly RevisionRecord[],
  toRevision: number | undefined,
  named: string,
): UndoChoice {
  const newest = records.at(-1);
  const to =
    toRevision === undefined ? records.at(-2) : records.find(({ number }) => number === toRevision);
  if (to === undefined || newest === undefined) return noRevision(records, toRevision, named);
  if (to === newest) return nothing(`is at revision ${to.number} (${to.name}) already`);
  return {
    kind: "revision",
    to,
    did: `rolled back to revision ${to.number} (${to.name})`,
    // Going back makes the old record the newest: today's newest keeps its number.
    takeBack: `lockstep undo ${named} --to-revision ${newest.number}`,
  };
}

function noRevision(
  records: readonly RevisionRecord[],
  toRevision: number | undefined,
  named: string,
): UndoChoice {
  const known = records.map(({ number }) => number).join(", ");
  const problem =
    toRevision === undefined
      ? `there is no earlier revision of ${named} to go back to`
      : `${named} has no revision ${toRevision}`;
  const fix =
    records.length === 0
      ? "none is recorded yet: is the operator running?"
      : `recorded are ${known}: see \`lockstep history ${named}\``;
  return refused(problem, fix);
}

/** How to go back to what is the newest revision now. */
export function undoCommand(records: readonly RevisionRecord[], named: string): string {
  const newest = records.at(-1);
  const to = newest === undefined ? "" : ` --to-revision ${newest.number}`;
  return `lockstep undo ${named}${to}`;
}
