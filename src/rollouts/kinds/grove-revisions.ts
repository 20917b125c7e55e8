/** The recorded revisions of a PodCliqueSet, for the set and for the parts of it. Pure. */
import { controllerRevisionResource } from "../../api/apps.ts";
import { labelKeys, managedLabels, selectorText } from "../../api/grove/labels.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import type { KubeObject } from "../../api/object.ts";
import { podResource } from "../../api/pod.ts";
import type { SetRevision } from "../../controllers/grove/set-revisions.ts";
import { sortRevisions } from "../../controllers/grove/set-revisions.ts";
import type { Related, RelatedQuery } from "../kind.ts";
import { listed } from "../kind.ts";
import type { RevisionRecord } from "../revisions.ts";
import { recordOf } from "../revisions.ts";

export const setNameOf = ({ metadata }: KubeObject): string =>
  metadata.labels?.[labelKeys.partOf] ?? "";

/** Everything of one set, or of one part of it. */
export function groveQueries(
  set: string,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, RelatedQuery>> {
  const labelSelector = selectorText({ ...managedLabels(set), ...more });
  return {
    cliques: { resource: podCliqueResource, labelSelector },
    groups: { resource: scalingGroupResource, labelSelector },
    pods: { resource: podResource, labelSelector },
    ...revisionQuery(set),
  };
}

export const revisionQuery = (set: string): Readonly<Record<string, RelatedQuery>> => ({
  revisions: {
    resource: controllerRevisionResource,
    labelSelector: selectorText(managedLabels(set)),
  },
});

/** Oldest first. */
export const setRevisions = (related: Related): readonly SetRevision[] =>
  sortRevisions(listed(related, "revisions"));

/** Cliques by name: paths in a difference are `frontend.spec.podSpec...` without the words around them. */
export const setRecords = (related: Related): readonly RevisionRecord[] =>
  setRevisions(related).map(({ object, cliques }) =>
    recordOf(
      object,
      Object.fromEntries(
        cliques.map(({ name, labels, annotations, spec }) => [
          name,
          {
            ...(labels === undefined ? {} : { labels }),
            ...(annotations === undefined ? {} : { annotations }),
            ...spec.podSpec,
          },
        ]),
      ),
    ),
  );
