/** The last spec of a set that was accepted: it stays in force while a later one is invalid. */
import type { DefaultedSetSpec } from "../../api/grove/defaults.ts";
import type {
  CliqueTemplate,
  PodCliqueSet,
  PodCliqueSetSpec,
} from "../../api/grove/podcliqueset.ts";
import { validatePodCliqueSet } from "../../api/grove/validate.ts";
import type { ControllerRevision } from "../../api/apps.ts";
import { canonicalJson } from "../../api/canonical-json.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import type { SetRevision } from "./set-revisions.ts";
import { parseRevision } from "./set-revisions.ts";

/** What is wrong with a spec, the same for every controller that works from it. */
export const specProblems = memoizeByIdentity((set: PodCliqueSet) => validatePodCliqueSet(set));

/** On the newest ControllerRevision of a set: the rest of the spec that it was last accepted with. */
export const acceptedAnnotation = "lockstep.dev/accepted-spec";

/**
 * All of a spec except what its revision records and the number of replicas: that is in the status, and scaling a set
 * every minute should not cause a write each time.
 */
export function acceptedText(spec: DefaultedSetSpec): string {
  const cliques = spec.template.cliques.map((clique) => {
    const { labels: _labels, annotations: _annotations, spec: own, ...rest } = clique;
    const { podSpec: _podSpec, ...numbers } = own;
    return { ...rest, spec: numbers };
  });
  const { replicas: _replicas, ...rest } = spec;
  return canonicalJson({ ...rest, template: { ...spec.template, cliques } });
}

/** Undefined where the newest revision of the set does not record it. */
export function lastAccepted(
  { status }: Pick<PodCliqueSet, "status">,
  newest: SetRevision | undefined,
): PodCliqueSetSpec | undefined {
  return newest === undefined ? undefined : acceptedWith(newest.object, status?.replicas);
}

const acceptedWith = memoizeByIdentity(
  (object: ControllerRevision, replicas: number | undefined): PodCliqueSetSpec | undefined => {
    const revision = parseRevision(object);
    const rest = parseSpec(object.metadata.annotations?.[acceptedAnnotation]);
    if (revision === undefined || rest === undefined || replicas === undefined) return undefined;
    return withPodsOf({ ...rest, replicas }, revision);
  },
);

function parseSpec(text: string | undefined): PodCliqueSetSpec | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as PodCliqueSetSpec);
  } catch {
    return undefined;
  }
}

/** The spec with the pods of a recorded revision; numbers, order and strategies stay as they are. */
export function withPodsOf(spec: PodCliqueSetSpec, revision: SetRevision): PodCliqueSetSpec {
  const cliques = spec.template.cliques.map((clique): CliqueTemplate => {
    const recorded = revision.cliques.find(({ name }) => name === clique.name);
    if (recorded === undefined) return clique;
    const { labels: _labels, annotations: _annotations, ...rest } = clique;
    const { labels, annotations } = recorded;
    return {
      ...rest,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      spec: { ...clique.spec, podSpec: recorded.spec.podSpec },
    };
  });
  return { ...spec, template: { ...spec.template, cliques } };
}
