/** Makes sure that the set's template is recorded as a revision before anything is decided with its name. */
import type { ControllerRevision, PodTemplate, StatefulSet } from "../../api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../api/apps.ts";
import { isSameJson } from "../../api/same-json.ts";
import { isAlreadyExists } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import { controllerReferenceTo } from "../engine/child-writes.ts";
import type { Observed } from "./observe.ts";
import type { RevisionNames } from "./plan.ts";
import { revisionHash, revisionName } from "./revision-data.ts";
import { chooseUpdateRevision, templateOf } from "./revisions.ts";

export interface Recorded {
  readonly names: RevisionNames;
  readonly collisionCount: number;
  /** The template that a pod of this revision is made from. */
  template(revision: string): PodTemplate;
}

const hashLabel = "controller.kubernetes.io/hash";

export async function recordRevision(client: Client, observed: Observed): Promise<Recorded> {
  const { set, revisions } = observed;
  const choice = chooseUpdateRevision(set, revisions);
  let collisionCount = set.status?.collisionCount ?? 0;
  let update: ControllerRevision;
  if (choice.kind === "create") {
    // After a collision the label keeps the first hash, as upstream writes it.
    const hash = revisionHash(choice.data, collisionCount);
    const created = await create(client, set, { ...choice, hash }, collisionCount);
    update = created.revision;
    collisionCount = created.collisionCount;
  } else if (choice.kind === "renumber") {
    const renumbered = { ...choice.revision, revision: choice.number };
    update = await client.update(controllerRevisionResource, renumbered);
  } else {
    update = choice.revision;
  }
  const all = [
    ...revisions.filter(({ metadata }) => metadata.name !== update.metadata.name),
    update,
  ];
  const current =
    all.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  return {
    names: { current: current.metadata.name ?? "", update: update.metadata.name ?? "" },
    collisionCount,
    template: (name) => templateOf(all.find(({ metadata }) => metadata.name === name) ?? update),
  };
}

interface Draft {
  readonly data: string;
  readonly number: number;
  readonly hash: string;
}

async function create(
  client: Client,
  set: StatefulSet,
  wanted: Draft,
  collisionCount: number,
): Promise<{ revision: ControllerRevision; collisionCount: number }> {
  const draft = buildRevision(set, wanted, collisionCount);
  try {
    const revision = await client.create(controllerRevisionResource, draft);
    return { revision, collisionCount };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const key = { namespace: set.metadata.namespace, name: draft.metadata.name ?? "" };
  const found = await client.get<ControllerRevision>(controllerRevisionResource, key);
  const isOurs =
    found.metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid) ?? false;
  // Our own write that the cache did not show yet, or a hash that two templates share.
  if (isOurs && isSameJson(found.data, draft.data)) return { revision: found, collisionCount };
  return create(client, set, wanted, collisionCount + 1);
}

function buildRevision(
  set: StatefulSet,
  { data, number, hash }: Draft,
  collisionCount: number,
): ControllerRevision {
  const { name = "", namespace, annotations } = set.metadata;
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: revisionName(name, data, collisionCount),
      namespace,
      labels: {
        ...set.spec.template.metadata?.labels,
        [hashLabel]: hash,
      },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReferenceTo(statefulSetResource, set)],
    },
    data: JSON.parse(data) as unknown,
    revision: number,
  };
}
