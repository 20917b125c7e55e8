/** The pod that had a name before: what its events still say of it. Pure. */
import type { EventObject } from "./events.ts";
import { eventView } from "./events.ts";
import type { RevisionRecord } from "./revisions.ts";
import { changesBetween, revisionText } from "./revisions.ts";
import type { RolloutNode } from "./view.ts";

/** What is known of a pod besides its rollout as it is now. */
export interface PodPast {
  /** Oldest first. */
  readonly records: readonly RevisionRecord[];
  /** Events of pods of this name. */
  readonly events: readonly EventObject[];
  readonly uid: string;
}

interface Predecessor {
  /** When it was first heard of. */
  readonly since: string;
  /** What was heard last, where that is more than a start. */
  readonly end?: string;
}

const starts: ReadonlySet<string> = new Set([
  "Scheduled",
  "Pulling",
  "Pulled",
  "Created",
  "Started",
]);

export function predecessorOf({ events, uid }: PodPast): Predecessor | undefined {
  const uids = events.map(({ involvedObject }) => involvedObject?.uid ?? "");
  const seen = events
    .map((event, at) => ({ ...eventView(event), uid: uids[at] }))
    .filter((event) => event.uid !== uid && event.uid !== "")
    .toSorted((a, b) => compare(a.lastSeen, b.lastSeen));
  const last = seen.at(-1);
  if (last === undefined) return undefined;
  const own = seen.filter((event) => event.uid === last.uid);
  const end = own.findLast(({ reason }) => !starts.has(reason));
  return {
    since: own.map(({ firstSeen }) => firstSeen).toSorted(compare)[0] ?? last.firstSeen,
    ...(end === undefined ? {} : { end: `${end.reason}: ${end.message} (${end.lastSeen})` }),
  };
}

/**
 * ` in place of a pod of 1 (web-abc): app image v1 -> v2`, where the pod before is older than the revision of this one;
 * empty where nobody knows: a revision that comes back keeps its time.
 */
export function inPlaceOf(past: PodPast, revision: string | undefined): string {
  const at = past.records.findIndex(({ name }) => name === revision);
  const [record, before] = [past.records[at], past.records[at - 1]];
  const since = predecessorOf(past)?.since;
  if (record?.createdAt === undefined || before === undefined || since === undefined) return "";
  if (since >= record.createdAt) return "";
  const isOfThat = before.createdAt !== undefined && since >= before.createdAt;
  const changes = changesBetween(before, record);
  const what = isOfThat ? revisionText(before) : "an earlier revision";
  return ` in place of a pod of ${what}${changes === "" ? "" : `: ${changes}`}`;
}

/** Its labels alone were changed: what it runs is the same in both revisions. */
export function isRelabelled({ records }: PodPast, { revision, createdAt }: RolloutNode): boolean {
  const recordedAt = records.find(({ name }) => name === revision?.name)?.createdAt;
  return recordedAt !== undefined && createdAt !== undefined && createdAt < recordedAt;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
