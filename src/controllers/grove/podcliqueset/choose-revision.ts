/** Which revision a set should be of, what must be written to record it, and which old ones may go. Pure. */
import type { ControllerRevision } from "../../../api/apps.ts";
import { controllerRevisionResource } from "../../../api/apps.ts";
import { managedLabels } from "../../../api/grove/labels.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import { controllerReferenceTo } from "../../engine/ownership.ts";
import { expiredRevisions, revisionCreate, revisionDeletes } from "../../engine/history.ts";
import type { Write } from "../../engine/write.ts";
import { updateOf } from "../../engine/write.ts";
import { acceptedAnnotation, acceptedText } from "../accepted-spec.ts";
import type { SetRevision } from "../set-revisions.ts";
import {
  parseRevision,
  recordedCliques,
  revisionAnnotation,
  revisionData,
  revisionName,
  revisionOf,
} from "../set-revisions.ts";
import type { Observed } from "./observe.ts";

export interface ChosenRevision {
  readonly target: SetRevision;
  /** Performed before anything refers to the revision by name. */
  readonly record: readonly Write[];
}

export function chooseRevision(observed: Observed): ChosenRevision {
  const { revisions, set, spec } = observed;
  const found = revisionOf(recordedCliques(set.spec.template.cliques), revisions);
  const newest = revisions.at(-1);
  const isNewest = found !== undefined && found === newest;
  const accepted = acceptedText(spec);
  if (isNewest && found.object.metadata.annotations?.[acceptedAnnotation] === accepted)
    return { target: found, record: [] };
  const number = isNewest ? found.number : (newest?.number ?? 0) + 1;
  if (found !== undefined) {
    const object = renewed(found, { number, accepted });
    return { target: parsed(object), record: [updateOf(controllerRevisionResource, object)] };
  }
  const object = drafted(observed, number);
  const problem = `ControllerRevision ${object.metadata.name} belongs to another set: it has to go first`;
  return { target: parsed(object), record: [revisionCreate(object, () => ({ problem }))] };
}

function parsed(object: ControllerRevision): SetRevision {
  const revision = parseRevision(object);
  if (revision === undefined) throw new Error(`${object.metadata.name} is no revision of a set`);
  return revision;
}

/** Going back makes the old record the newest one; it keeps its name, and units still on it are current again. */
function renewed(
  { object }: SetRevision,
  { number, accepted }: { readonly number: number; readonly accepted: string },
): ControllerRevision {
  const annotations = { ...object.metadata.annotations, [acceptedAnnotation]: accepted };
  return { ...object, metadata: { ...object.metadata, annotations }, revision: number };
}

function drafted(
  { set, spec, name, namespace, revisions }: Observed,
  number: number,
): ControllerRevision {
  const data = revisionData(recordedCliques(set.spec.template.cliques), revisions);
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: revisionName(name, data.hash),
      namespace,
      labels: managedLabels(name),
      annotations: { [acceptedAnnotation]: acceptedText(spec) },
      ownerReferences: [controllerReferenceTo(podCliqueSetResource, set)],
    },
    data,
    revision: number,
  };
}

const historyLimit = 10;

/** Deletes revisions that nothing uses any more, oldest first. */
export function historyWrites(
  { revisions, set, name, replicas }: Observed,
  target: SetRevision,
): readonly Write[] {
  if (revisions.length <= historyLimit) return [];
  const objects = [...replicas.values()].flatMap(({ cliques, groups }) => [...cliques, ...groups]);
  const inUse = new Set([
    target.name,
    set.status?.currentRevision,
    ...objects.flatMap(({ metadata, status }) => [
      metadata.annotations?.[revisionAnnotation],
      // What is lost below a partition comes back as this.
      revisionName(name, status?.currentPodCliqueSetGenerationHash ?? ""),
    ]),
  ]);
  const recorded = revisions.map(({ object }) => object);
  const kept = Math.max(0, historyLimit - inUse.size);
  return revisionDeletes(expiredRevisions(recorded, inUse, kept));
}
