/** Revisions and history: the record of a template, its hash, the writes for it, and what may be forgotten. Pure. */
import type { ControllerRevision } from "../../api/apps.ts";
import { controllerRevisionResource } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import { isSameJson } from "../../api/same-json.ts";
import { memoizeByIdentity } from "./memoize.ts";
import type { CreateWrite, DeleteWrite, NameConflictAnswer } from "./write.ts";
import { createOf, deletesOf } from "./write.ts";

interface Recorded {
  readonly name: string;
  readonly number: number;
}

/** Reads the revisions of a kind, oldest first; the very same list for the same records. */
export const revisionsReadBy = <R extends Recorded>(
  parse: (record: ControllerRevision) => R | undefined,
): ((records: readonly ControllerRevision[]) => readonly R[]) =>
  memoizeByIdentity((records: readonly ControllerRevision[]) =>
    records
      .flatMap((record) => parse(record) ?? [])
      .toSorted((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1)),
  );

/** What history may lose: revisions that nothing uses any more, oldest first, down to the limit. */
export function expiredRevisions(
  oldestFirst: readonly ControllerRevision[],
  inUse: ReadonlySet<string | undefined>,
  limit: number,
): ControllerRevision[] {
  if (limit < 0) return [];
  const idle = oldestFirst.filter(({ metadata }) => !inUse.has(metadata.name));
  return idle.slice(0, Math.max(0, idle.length - limit));
}

export const revisionDeletes = (expired: readonly ControllerRevision[]): DeleteWrite[] =>
  deletesOf(controllerRevisionResource, expired);

/** A record that is there already is our own write, which the cache did not show yet, if owner and data agree. */
function isOwnRecord(found: KubeObject, draft: ControllerRevision): boolean {
  const owner = draft.metadata.ownerReferences?.[0]?.uid;
  const isOurs = found.metadata.ownerReferences?.some(({ uid }) => uid === owner) ?? false;
  return isOurs && isSameJson(found["data"], draft.data);
}

/** Records a new revision; `otherwise` answers a record of this name that is not ours. */
export const revisionCreate = (
  draft: ControllerRevision,
  otherwise: () => NameConflictAnswer,
): CreateWrite => ({
  ...createOf(controllerRevisionResource, draft),
  ifExists: (found) => {
    const name = draft.metadata.name ?? "";
    if (found === undefined) return { problem: `ControllerRevision ${name} was deleted meanwhile` };
    return isOwnRecord(found, draft) ? "accept" : otherwise();
  },
});

const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** FNV-1a over 64 bits in letters that spell no words. The prefix is the version of this way of hashing. */
export function hashOf(text: string): string {
  let sum = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(`lockstep/1\n${text}`, "utf8")) {
    sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  const base = BigInt(alphabet.length);
  let letters = "";
  for (let rest = sum; letters.length < 10; rest /= base) letters += alphabet[Number(rest % base)];
  return letters;
}
