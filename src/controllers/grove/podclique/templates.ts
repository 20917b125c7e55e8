/** The templates a clique's pods are made from: its own, and the one it comes from where a partition keeps that. */
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodSpec } from "../../../api/pod.ts";
import { templateHash } from "../clique-state.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";

export interface CliqueTemplate {
  readonly revision: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly podSpec: PodSpec;
}

export function targetTemplate(clique: PodClique): CliqueTemplate {
  const { [revisionAnnotation]: _revision, ...annotations } = clique.metadata.annotations ?? {};
  return {
    revision: templateHash(clique),
    labels: clique.metadata.labels ?? {},
    annotations,
    podSpec: clique.spec.podSpec,
  };
}

/** The template of an earlier revision; where nobody recorded it, the clique's own. */
export function templateOf(
  clique: PodClique,
  revision: string,
  recorded: readonly SetRevision[],
): CliqueTemplate {
  const target = targetTemplate(clique);
  if (revision === target.revision) return target;
  const found = recorded
    .flatMap(({ cliques, cliqueHashes }) =>
      cliques.filter(({ name }) => cliqueHashes[name] === revision),
    )
    .at(-1);
  if (found === undefined) return target;
  return {
    revision,
    labels: { ...found.labels, ...ownLabels(target.labels) },
    annotations: found.annotations ?? {},
    podSpec: found.spec.podSpec,
  };
}

/** What says whose the pods are, as against what the template of one revision wanted. */
function ownLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const own = new Set<string>(Object.values(labelKeys));
  return Object.fromEntries(Object.entries(labels).filter(([key]) => own.has(key)));
}

/** The hash of the whole set's revision that this clique was made for; undefined where it is not recorded. */
export function generationHash(
  clique: PodClique,
  recorded: readonly SetRevision[],
): string | undefined {
  const name = clique.metadata.annotations?.[revisionAnnotation];
  return recorded.find((revision) => revision.name === name)?.hash;
}

/**
 * The template hash that the newest revision of the set has for this clique: another than its own while it waits for
 * its turn. Undefined where its own revision is not recorded, or the newest has no such clique.
 */
export function newestTemplate(
  clique: PodClique,
  recorded: readonly SetRevision[],
): string | undefined {
  const own = clique.metadata.annotations?.[revisionAnnotation];
  const hashes = recorded.find((revision) => revision.name === own)?.cliqueHashes ?? {};
  const [name = ""] =
    Object.entries(hashes).find(([, hash]) => hash === templateHash(clique)) ?? [];
  return recorded.at(-1)?.cliqueHashes[name];
}

/** The hash of the newest recorded revision of the set in which a clique has this template. */
export const generationOf = (
  template: string,
  recorded: readonly SetRevision[],
): string | undefined =>
  recorded.findLast(({ cliqueHashes }) => Object.values(cliqueHashes).includes(template))?.hash;
