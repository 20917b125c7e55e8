/** Performs a plan: members are made, told of a new template, or deleted. Decides nothing. */
import { eventReasons } from "../../../api/grove/conditions.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import type { Client } from "../../../runtime/client.ts";
import type { EventRecorder } from "../../../runtime/event-recorder.ts";
import { controllerReferenceTo, createChild, keyOfObject } from "../../engine/child-writes.ts";
import { buildPodClique, retemplated } from "../pod-clique-object.ts";
import { allAtOnce, slowStart } from "../../engine/slow-start.ts";
import type { UnconfirmedDeletes } from "../../engine/unconfirmed-deletes.ts";
import type { Observed } from "./observe.ts";
import type { Birth, Plan } from "./plan.ts";

export interface ActOptions {
  readonly client: Client;
  readonly deletes: UnconfirmedDeletes;
  readonly events: EventRecorder;
  readonly owner: string;
}

export async function act(options: ActOptions, observed: Observed, plan: Plan): Promise<void> {
  const { client, deletes, owner } = options;
  tell(options.events, observed, plan);
  for (const wave of plan.deletes) {
    const tasks = wave.map((object) => () => {
      const uid = object.metadata.uid ?? "";
      const request = { resource: podCliqueResource, key: keyOfObject(object), uid };
      return deletes.delete(client, owner, request);
    });
    await slowStart(tasks, allAtOnce);
  }
  await slowStart([
    ...plan.births.map((birth) => async () => {
      await createChild(client, podCliqueResource, memberOf(observed, birth));
    }),
    ...plan.patches.map((birth) => () => patchMember(client, observed, birth)),
  ]);
}

export function memberOf(observed: Observed, { index, clique, revision }: Birth): PodClique {
  const { set, spec, setReplica, group, groupName, minAvailable } = observed;
  const template = spec.template.cliques.find(({ name }) => name === clique);
  return buildPodClique({
    place: {
      set: set.metadata.name ?? "",
      setReplica,
      clique,
      group: { name: groupName, replica: index, minAvailable },
    },
    namespace: group.metadata.namespace,
    spec,
    revision,
    owner: controllerReferenceTo(scalingGroupResource, group),
    replicas: template?.spec.replicas ?? 1,
    // The group replaces its members whole; no member moves its pods by itself.
    updateStrategy: { type: "OnDelete" },
  });
}

async function patchMember(client: Client, observed: Observed, birth: Birth): Promise<void> {
  const replica = observed.replicas.find(({ index }) => index === birth.index);
  const object = replica?.members.find(({ clique }) => clique === birth.clique)?.object;
  const next = object === undefined ? undefined : retemplated(object, memberOf(observed, birth));
  if (next !== undefined) await client.update(podCliqueResource, next);
}

function tell(events: EventRecorder, { group }: Observed, plan: Plan): void {
  for (const index of plan.terminated) {
    const message = `replica ${index} starts over: it was below minAvailable for longer than terminationDelay`;
    const reason = eventReasons.scalingGroupReplicaDeleted;
    events.record(group, { type: "Warning", reason, message });
  }
}
