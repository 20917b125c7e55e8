/** Revisions of a PodCliqueSet: what is recorded of its cliques, and the hashes that units carry. */
import type { ControllerRevision } from "../../api/apps.ts";
import type { CliqueTemplate } from "../../api/grove/podcliqueset.ts";
import { canonicalJson } from "../../api/canonical-json.ts";
import { canonicalPodSpec } from "./canonical-pod-spec.ts";
import { hashOf, revisionsReadBy } from "../engine/history.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import { templateChanges } from "../engine/template-changes.ts";

/** On children and revisions: the ControllerRevision that an object was made from or should move to. */
export const revisionAnnotation = "lockstep.dev/revision";

/** A revision is found by its hash too: status fields of children hold no names. */
export const revisionName = (set: string, hash: string): string => `${set}-${hash}`;

/** The part of a clique that makes a revision: what its pods are made of, not how many there are. */
interface RecordedClique {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: Pick<CliqueTemplate["spec"], "podSpec">;
}

/** `data` of the ControllerRevision; `spec` can be applied to the set as it is. */
export interface RevisionData {
  readonly format: 1;
  readonly hash: string;
  readonly cliqueHashes: Readonly<Record<string, string>>;
  readonly spec: { readonly template: { readonly cliques: readonly RecordedClique[] } };
}

export interface SetRevision {
  readonly name: string;
  readonly number: number;
  readonly hash: string;
  readonly cliqueHashes: Readonly<Record<string, string>>;
  readonly cliques: readonly RecordedClique[];
  readonly object: ControllerRevision;
}

/** Sorted by name: the order in which cliques are written down is no change of them. */
export const recordedCliques = memoizeByIdentity(
  (cliques: readonly CliqueTemplate[]): readonly RecordedClique[] =>
    cliques
      .map(({ name, labels, annotations, spec }) => ({
        name,
        ...(isEmpty(labels) ? {} : { labels }),
        ...(isEmpty(annotations) ? {} : { annotations }),
        spec: { podSpec: spec.podSpec },
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
);

const isEmpty = (record: object | undefined): boolean =>
  record === undefined || Object.keys(record).length === 0;

/** Equal for templates that mean the same, however they are written. */
const cliqueText = ({ spec, ...clique }: RecordedClique): string =>
  canonicalJson({ ...clique, spec: { ...spec, podSpec: canonicalPodSpec(spec.podSpec) } });

const cliquesText = memoizeByIdentity((cliques: readonly RecordedClique[]) =>
  cliques.map(cliqueText).join("\n"),
);

/** Undefined for revisions that are not ours or that a later format wrote. */
export const parseRevision = memoizeByIdentity(
  (object: ControllerRevision): SetRevision | undefined => {
    const data = object.data as Partial<RevisionData> | undefined;
    if (data?.format !== 1 || data.hash === undefined || data.spec === undefined) return undefined;
    return {
      name: object.metadata.name ?? "",
      number: object.revision,
      hash: data.hash,
      cliqueHashes: data.cliqueHashes ?? {},
      cliques: data.spec.template.cliques,
      object,
    };
  },
);

/** Oldest first. */
export const sortRevisions = revisionsReadBy(parseRevision);

/**
 * Data of a new revision. A clique that an earlier revision recorded just so keeps the hash it had then, so a
 * later way of hashing never makes running pods outdated.
 */
export function revisionData(
  cliques: readonly RecordedClique[],
  earlier: readonly SetRevision[],
): RevisionData {
  const cliqueHashes = Object.fromEntries(
    cliques.map((clique) => [
      clique.name,
      knownHash(clique, earlier) ?? hashOf(cliqueText(clique)),
    ]),
  );
  const hash = hashOf(canonicalJson(cliqueHashes));
  return { format: 1, hash, cliqueHashes, spec: { template: { cliques } } };
}

function knownHash(clique: RecordedClique, earlier: readonly SetRevision[]): string | undefined {
  const text = cliqueText(clique);
  const known = earlier.findLast(({ cliques }) =>
    cliques.some((other) => other.name === clique.name && cliqueText(other) === text),
  );
  return known?.cliqueHashes[clique.name];
}

/** The newest revision that records exactly these cliques. */
export function revisionOf(
  cliques: readonly RecordedClique[],
  revisions: readonly SetRevision[],
): SetRevision | undefined {
  const text = cliquesText(cliques);
  return revisions.findLast((revision) => cliquesText(revision.cliques) === text);
}

/** What differs between the cliques of two revisions, in words. */
const revisionChanges = (before: SetRevision, after: SetRevision): string =>
  templateChanges(byName(before), byName(after));

/** A revision with what is different in it: `chat-7f9 (front app image v1 -> v2)`. */
export function revisionInWords(revision: SetRevision, other: SetRevision | undefined): string {
  const changes = other === undefined ? "" : revisionChanges(other, revision);
  return changes === "" ? revision.name : `${revision.name} (${changes})`;
}

const byName = ({ cliques }: SetRevision): Readonly<Record<string, RecordedClique>> =>
  Object.fromEntries(cliques.map((clique) => [clique.name, clique]));
