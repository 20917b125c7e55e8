/** Which recorded revision a set updates to and which it comes from; what must be written for that. */
import type { ControllerRevision, PodTemplate, StatefulSet } from "../../api/apps.ts";
import { canonicalJson } from "../../api/canonical-json.ts";
import { revisionData } from "./revision-data.ts";

export type RevisionWrite =
  | { readonly kind: "none"; readonly revision: ControllerRevision }
  /** A rollback: the old record becomes the newest one and keeps its name. */
  | { readonly kind: "renumber"; readonly revision: ControllerRevision; readonly number: number }
  | { readonly kind: "create"; readonly data: string; readonly number: number };

/** Oldest first; the order in which history is told and truncated. */
export function sortRevisions(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  return revisions.toSorted(
    (a, b) =>
      a.revision - b.revision ||
      compareText(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
      compareText(a.metadata.name ?? "", b.metadata.name ?? ""),
  );
}

export function chooseUpdateRevision(
  set: StatefulSet,
  sorted: readonly ControllerRevision[],
): RevisionWrite {
  const { template } = set.spec;
  const wanted = comparable(template, () => revisionData(template));
  const equal = sorted.filter((revision) => comparable(revision, () => revision.data) === wanted);
  const latest = sorted.at(-1);
  const found = equal.at(-1);
  const number = (latest?.revision ?? 0) + 1;
  if (found === undefined) {
    return { kind: "create", data: canonicalJson(revisionData(set.spec.template)), number };
  }
  return found === latest
    ? { kind: "none", revision: found }
    : { kind: "renumber", revision: found, number };
}

/** The template a revision recorded, as pods are made of it. */
export function templateOf(revision: Pick<ControllerRevision, "data">): PodTemplate {
  const data = revision.data as { spec?: { template?: PodTemplate & { $patch?: string } } };
  const { $patch: _directive, ...template } = data.spec?.template ?? {};
  return template;
}

/** What history may lose: revisions that nothing uses any more, oldest first, down to the limit. */
export function expiredRevisions(
  sorted: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit: number,
): ControllerRevision[] {
  if (limit < 0) return [];
  const idle = sorted.filter((revision) => !inUse.has(revision.metadata.name ?? ""));
  return idle.slice(0, Math.max(0, idle.length - limit));
}

/** Cached objects never change, so what was written out once need not be written out at every look. */
const written = new WeakMap<object, string>();

/** Versions up to 1.33 recorded `creationTimestamp: null`; that is no change of the template. */
function comparable(source: object, data: () => unknown): string {
  const known = written.get(source);
  if (known !== undefined) return known;
  const text = canonicalJson(withoutNulls(data()));
  written.set(source, text);
  return text;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
