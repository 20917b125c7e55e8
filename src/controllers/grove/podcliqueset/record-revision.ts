/** Makes sure that the set's template is recorded before anything is decided with the revision's name. */
import type { ControllerRevision } from "../../../api/apps.ts";
import { controllerRevisionResource } from "../../../api/apps.ts";
import { managedLabels } from "../../../api/grove/labels.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import { isAlreadyExists } from "../../../api/status.ts";
import { isSameJson } from "../../../api/same-json.ts";
import type { Client } from "../../../runtime/client.ts";
import { acceptedAnnotation, acceptedText } from "../accepted-spec.ts";
import { controllerReferenceTo, deleteChild } from "../../engine/child-writes.ts";
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

export async function recordRevision(client: Client, observed: Observed): Promise<SetRevision> {
  const { revisions, set, spec } = observed;
  const found = revisionOf(recordedCliques(set.spec.template.cliques), revisions);
  const newest = revisions.at(-1);
  const isNewest = found !== undefined && found === newest;
  const accepted = acceptedText(spec);
  if (isNewest && found.object.metadata.annotations?.[acceptedAnnotation] === accepted)
    return found;
  const number = isNewest ? found.number : (newest?.number ?? 0) + 1;
  const object =
    found === undefined
      ? await create(client, observed, number)
      : await renew(client, found, { number, accepted });
  const recorded = parseRevision(object);
  if (recorded === undefined)
    throw new Error(`${object.metadata.name} is no revision of a PodCliqueSet`);
  return recorded;
}

/** Going back makes the old record the newest one; it keeps its name, and units still on it are current again. */
function renew(
  client: Client,
  { object }: SetRevision,
  { number, accepted }: { readonly number: number; readonly accepted: string },
): Promise<ControllerRevision> {
  const annotations = { ...object.metadata.annotations, [acceptedAnnotation]: accepted };
  const metadata = { ...object.metadata, annotations };
  return client.update(controllerRevisionResource, { ...object, metadata, revision: number });
}

async function create(
  client: Client,
  { set, spec, name, namespace, revisions }: Observed,
  number: number,
): Promise<ControllerRevision> {
  const data = revisionData(recordedCliques(set.spec.template.cliques), revisions);
  const draft: ControllerRevision = {
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
  try {
    return await client.create(controllerRevisionResource, draft);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  // Our own write that the cache did not show yet, or one that a deleted set of this name left behind.
  const key = { namespace, name: draft.metadata.name ?? "" };
  const found = await client.get<ControllerRevision>(controllerRevisionResource, key);
  const isOurs =
    found.metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid) ?? false;
  if (isOurs && isSameJson(found.data, data)) return found;
  throw new Error(`ControllerRevision ${key.name} belongs to another set: it has to go first`);
}

const historyLimit = 10;

/** Forgets revisions that nothing uses any more, oldest first. */
export async function truncateHistory(
  client: Client,
  { revisions, set, name, replicas }: Observed,
  target: SetRevision,
): Promise<void> {
  if (revisions.length <= historyLimit) return;
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
  const idle = revisions.filter((revision) => !inUse.has(revision.name));
  const kept = Math.max(0, historyLimit - inUse.size);
  for (const { object } of idle.slice(0, Math.max(0, idle.length - kept))) {
    await deleteChild(client, controllerRevisionResource, object);
  }
}
