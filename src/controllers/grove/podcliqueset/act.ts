/** Performs a plan replica by replica. What each should become was decided; how to get there is here. */
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { headlessServiceName } from "../../../api/grove/names.ts";
import type { KubeObject } from "../../../api/object.ts";
import { podResource } from "../../../api/pod.ts";
import type { Resource } from "../../../api/resource.ts";
import { serviceResource } from "../../../api/service.ts";
import type { Client } from "../../../runtime/client.ts";
import { createChild, NameTakenError } from "../../engine/child-writes.ts";
import type { SetRevision } from "../set-revisions.ts";
import { allAtOnce, slowStart } from "../../engine/slow-start.ts";
import { liveReplicasAnnotation, replicasToRemember } from "./components.ts";
import type { ActOptions } from "./delete-one.ts";
import { deleteOne } from "./delete-one.ts";
import { markRestarting } from "./mark-restarting.ts";
import type { ReplicaState } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import { objectsOf } from "./observe.ts";
import type { Plan, ReplicaPlan } from "./plan.ts";
import type { AimedReplica } from "./replica-changes.ts";
import {
  askedOfRemains,
  cliquesToHold,
  deletionWaves,
  groupChanges,
  hasOutdated,
  missingCliques,
  ownRevision,
  retoldCliques,
  strayPods,
  straysToDelete,
} from "./replica-changes.ts";
import { cliquesToRestart, restartMark } from "./restart-mark.ts";
import type { SettledReplicas } from "./settled-replicas.ts";
import { noticingWrites } from "./settled-replicas.ts";
import { removeLeftOver, supportReplica } from "./support.ts";

/** Few enough that the first replicas of a large set start while the last are still to be made. */
const replicasAtOnce = 6;

/** What one look changes at most: before it goes on, a large set hears what has changed and tells how far it is. */
const replicasPerLook = 64;

export interface Acted {
  /** Something could not start because of what the caches do not show. */
  readonly isHeldUp: boolean;
  /** More is to be done than one look does. */
  readonly isCutShort: boolean;
}

export async function act(
  options: ActOptions,
  settled: SettledReplicas,
  observed: Observed,
  plan: Plan,
): Promise<Acted> {
  let isHeldUp = false;
  const taken: NameTakenError[] = [];
  let isCutShort = false;
  let changed = 0;
  const kept = plan.aims.filter(({ aim }) => aim !== "remove");
  const open = plan.aims.filter((aimed) => !settled.has(observed, plan, aimed));
  const tasks = [
    ...open.map((aimed) => async () => {
      if (changed >= replicasPerLook) {
        isCutShort = true;
        return;
      }
      const { client, hasWritten } = noticingWrites(options.client);
      const acting = actOnReplica({ ...options, client }, observed, plan, aimed);
      const isDone = await acting.catch((error: unknown) => {
        // What is in the way of one replica is in the way of no other.
        if (!(error instanceof NameTakenError)) throw error;
        taken.push(error);
        return false;
      });
      // What had nothing to write would have nothing to write again. Who is held up must not hold up others.
      if (isDone && hasWritten()) changed += 1;
      else if (isDone) settled.add(observed, plan, aimed);
      isHeldUp ||= !isDone;
    }),
    () => removeLeftOver(options, observed, new Set(kept.map(({ index }) => index))),
  ];
  // A set that has replicas has shown that its objects are accepted.
  await slowStart(tasks, plan.replicas.length > 0 ? allAtOnce : 1, replicasAtOnce);
  if (taken[0] !== undefined) throw taken[0];
  return { isHeldUp, isCutShort };
}

/** False where something could not start yet. */
export async function actOnReplica(
  options: ActOptions,
  observed: Observed,
  { target }: Plan,
  aimed: ReplicaPlan,
): Promise<boolean> {
  const { aim, index, replica } = aimed;
  if (aim === "remove") {
    if (replica !== undefined) await remove(options, observed, replica);
    return true;
  }
  await supportReplica(options, observed, aimed);
  for (const { resource, object } of straysToDelete(observed, aimed)) {
    await deleteOne(options, resource, object);
  }
  const goes = aim === "recreate" && replica !== undefined && hasOutdated(replica, target);
  if (goes) await tearDown(options, observed, replica, target);
  if (aim === "restart" && replica !== undefined) {
    await restart(options, observed, replica);
    return true;
  }
  const revision = aim === "keep" ? ownRevision(observed, aimed, target) : target;
  if (!goes) await ensureGroups(options.client, observed, { index, replica, revision, aim });
  return ensureStandalone(options, observed, { index, replica, revision, aim });
}

async function ensureGroups(
  client: Client,
  observed: Observed,
  aimed: AimedReplica,
): Promise<void> {
  for (const { verb, object } of groupChanges(observed, aimed)) {
    if (verb === "create") await createChild(client, scalingGroupResource, object);
    else await client.update(scalingGroupResource, object);
  }
}

async function ensureStandalone(
  options: ActOptions,
  observed: Observed,
  aimed: AimedReplica,
): Promise<boolean> {
  const { client } = options;
  for (const next of retoldCliques(observed, aimed)) await client.update(podCliqueResource, next);
  if (!(await areRemainsKnown(options, observed, aimed))) return false;
  for (const wanted of missingCliques(observed, aimed))
    await createChild(client, podCliqueResource, wanted);
  return true;
}

async function areRemainsKnown(
  { client, remains, owner }: ActOptions,
  observed: Observed,
  aimed: AimedReplica,
): Promise<boolean> {
  const question = askedOfRemains(observed, aimed);
  if (question === "forget") remains.forgetReplica(owner, aimed.index);
  return question !== "ask" || remains.areKnown(client, owner, observed, aimed);
}

/**
 * Whole or not at all: scaling groups learn of the target first, so that they do not bring back what goes; then every
 * clique of the replica goes. Its gangs stay: once nobody of them is left, their scheduling starts over by itself.
 */
async function tearDown(
  options: ActOptions,
  observed: Observed,
  replica: ReplicaState,
  target: SetRevision,
): Promise<void> {
  const aimed = { index: replica.index, replica, revision: target, aim: "recreate" } as const;
  await ensureGroups(options.client, observed, aimed);
  for (const held of cliquesToHold(replica)) await options.client.update(podCliqueResource, held);
  await remember(options.client, observed, replica);
  for (const wave of deletionWaves(replica, target)) {
    await deleteAll(options, podCliqueResource, wave);
  }
  await deleteAll(options, podResource, strayPods(replica));
}

/** Whoever takes over in the middle finds the mark and deletes the rest of what it speaks of, nothing newer. */
async function restart(
  options: ActOptions,
  observed: Observed,
  replica: ReplicaState,
): Promise<void> {
  const left = cliquesToRestart(observed, replica);
  if (left.length === 0) {
    await remember(options.client, observed, replica, restartMark(replica));
    await markRestarting(options.client, observed, replica);
    await deleteAll(options, podCliqueResource, replica.cliques);
    return;
  }
  await markRestarting(options.client, observed, replica);
  for (const object of left) await deleteOne(options, podCliqueResource, object);
}

async function deleteAll(
  options: ActOptions,
  resource: Resource,
  objects: readonly KubeObject[],
): Promise<void> {
  await slowStart(
    objects.map((object) => () => deleteOne(options, resource, object)),
    allAtOnce,
  );
}

/** On the service of the replica, which outlives its cliques. */
async function remember(
  client: Client,
  observed: Observed,
  replica: ReplicaState,
  marks: Readonly<Record<string, string>> = {},
): Promise<void> {
  const text = replicasToRemember(observed, replica);
  const annotations = {
    ...marks,
    ...(text === undefined ? {} : { [liveReplicasAnnotation]: text }),
  };
  if (Object.keys(annotations).length === 0) return;
  const key = {
    namespace: observed.namespace,
    name: headlessServiceName(observed.name, replica.index),
  };
  await client.patch(serviceResource, key, { type: "merge", body: { metadata: { annotations } } });
}

/** Groups take their members along; the rest of the replica follows in `removeLeftOver`. */
async function remove(
  options: ActOptions,
  observed: Observed,
  replica: ReplicaState,
): Promise<void> {
  for (const group of objectsOf(observed, replica.index).groups) {
    await deleteOne(options, scalingGroupResource, group);
  }
  for (const { object } of replica.standalone) {
    if (object !== undefined) await deleteOne(options, podCliqueResource, object);
  }
}
