/** Performs a plan replica by replica. What each should become was decided; how to get there is here. */
import { finalizers } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import { podGangResource } from "../../api/grove/podgang.ts";
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import { headlessServiceName } from "../../api/grove/names.ts";
import type { KubeObject } from "../../api/object.ts";
import { serviceResource } from "../../api/service.ts";
import type { Client } from "../../runtime/client.ts";
import { createChild } from "../child-writes.ts";
import type { JudgedClique } from "../judge-clique.ts";
import { isGoing, templateHash } from "../judge-clique.ts";
import { retemplated } from "../pod-clique-object.ts";
import { holdsAnotherRevision, isOpen, isReallyClear } from "../replica-revision.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import { allAtOnce, slowStart } from "../slow-start.ts";
import {
  buildScalingGroup,
  buildStandalone,
  liveReplicasAnnotation,
  redirected,
  replicasToRemember,
} from "./components.ts";
import type { ActOptions } from "./delete-one.ts";
import { deleteOne } from "./delete-one.ts";
import { stillClique, stillGroup } from "./hold-still.ts";
import { markRestarting } from "./mark-restarting.ts";
import type { JudgedReplica } from "./judge-replicas.ts";
import { standaloneCliques } from "./judge-replicas.ts";
import type { Observed } from "./observe.ts";
import { objectsOf } from "./observe.ts";
import type { Plan, ReplicaPlan } from "./plan.ts";
import { cliquesToRestart, restartMark } from "./restart-mark.ts";
import type { SettledReplicas } from "./settled-replicas.ts";
import { noticingWrites } from "./settled-replicas.ts";
import { removeLeftOver, supportReplica } from "./support.ts";

/** Few enough that the first replicas of a large set start while the last are still to be made. */
const replicasAtOnce = 8;

/** True where something could not start because of what the caches do not show. */
export async function act(
  options: ActOptions,
  settled: SettledReplicas,
  observed: Observed,
  plan: Plan,
): Promise<boolean> {
  let isHeldUp = false;
  const kept = plan.aims.filter(({ aim }) => aim !== "remove");
  const open = plan.aims.filter((aimed) => !settled.has(observed, plan, aimed));
  const tasks = [
    ...open.map((aimed) => async () => {
      const { client, hasWritten } = noticingWrites(options.client);
      const isDone = await actOnReplica({ ...options, client }, observed, plan, aimed);
      // What had nothing to write would have nothing to write again.
      if (isDone && !hasWritten()) settled.add(observed, plan, aimed);
      isHeldUp ||= !isDone;
    }),
    () => removeLeftOver(options, observed, new Set(kept.map(({ index }) => index))),
  ];
  // A set that has replicas has shown that its objects are accepted.
  await slowStart(tasks, plan.replicas.length > 0 ? allAtOnce : 1, replicasAtOnce);
  return isHeldUp;
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
  if (aim === "recreate" && replica !== undefined)
    await tearDown(options, observed, replica, target);
  if (aim === "restart" && replica !== undefined) {
    await restart(options, observed, replica);
    return true;
  }
  const revision = aim === "keep" ? ownRevision(observed, aimed, target) : target;
  await ensureGroups(options.client, observed, { index, replica, revision, aim });
  return ensureStandalone(options.client, observed, { index, replica, revision, aim });
}

/** What a replica that stays as it is was made from. */
function ownRevision(
  { revisions }: Observed,
  { replica, born }: ReplicaPlan,
  target: SetRevision,
): SetRevision {
  const objects = [...(replica?.standalone ?? []), ...(replica?.groups ?? [])].flatMap(
    ({ object }): KubeObject[] => (object === undefined ? [] : [object]),
  );
  const names = objects.map(({ metadata }) => metadata.annotations?.[revisionAnnotation]);
  const own = names.find((name) => name !== target.name) ?? born;
  return revisions.find(({ name }) => name === own) ?? target;
}

interface Aimed extends ReplicaPlan {
  readonly revision: SetRevision;
}

async function ensureGroups(client: Client, observed: Observed, aimed: Aimed): Promise<void> {
  for (const template of observed.spec.template.podCliqueScalingGroups) {
    const wanted = buildScalingGroup(observed, aimed.index, template, aimed.revision);
    const known = aimed.replica?.groups.find((group) => group.template.name === template.name);
    const object = known?.object;
    if (known === undefined || object === undefined)
      await createChild(client, scalingGroupResource, wanted);
    else if (!isGoingObject(object)) {
      const next =
        aimed.aim === "keep" ? stillGroup(known, observed.revisions) : redirected(object, wanted);
      if (next !== undefined) await client.update(scalingGroupResource, next);
    }
  }
}

async function ensureStandalone(
  client: Client,
  observed: Observed,
  aimed: Aimed,
): Promise<boolean> {
  for (const known of aimed.replica?.standalone ?? []) {
    const next = retoldClique(observed, aimed, known);
    if (next !== undefined) await client.update(podCliqueResource, next);
  }
  const missing = missingCliques(observed, aimed);
  if (missing.length > 0 && (await isHeldUp(client, observed, aimed))) return false;
  for (const wanted of missing) await createChild(client, podCliqueResource, wanted);
  return true;
}

function retoldClique(
  observed: Observed,
  { index, revision, aim }: Aimed,
  known: JudgedClique,
): PodClique | undefined {
  const { object, clique } = known;
  if (object === undefined || aim === "recreate" || isGoing(object)) return undefined;
  if (aim === "keep") return stillClique(known);
  return retemplated(object, buildStandalone(observed, index, clique, revision));
}

function missingCliques(observed: Observed, { index, replica, revision }: Aimed): PodClique[] {
  if (!mayStart(observed, replica, revision)) return [];
  return standaloneCliques(observed.spec)
    .filter((clique) => {
      const known = replica?.standalone.find((each) => each.clique === clique);
      return known?.object === undefined && (known?.leftovers.length ?? 0) === 0;
    })
    .map((clique) => buildStandalone(observed, index, clique, revision));
}

/** Only in an update can there be anything of another revision. */
async function isHeldUp(client: Client, observed: Observed, aimed: Aimed): Promise<boolean> {
  const { set, spec, name, namespace } = observed;
  const isPromised = spec.updateStrategy.type === "ReplicaRecreate";
  if (!isPromised || !isOpen(set.status?.updateProgress)) return false;
  const { index, revision } = aimed;
  return !(await isReallyClear(client, { namespace, set: name, index }, revision));
}

/** Under ReplicaRecreate nothing starts while anything of another revision is left in the replica. */
function mayStart(
  { spec }: Observed,
  replica: JudgedReplica | undefined,
  revision: SetRevision,
): boolean {
  if (spec.updateStrategy.type !== "ReplicaRecreate" || replica === undefined) return true;
  return !holdsAnotherRevision([...replica.cliques, ...replica.pods], revision);
}

const isGoingObject = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined;

/**
 * Whole or not at all: scaling groups learn of the target first, so that they do not bring back what goes; then every
 * clique of the replica goes, with the gangs, whose scheduling starts over.
 */
async function tearDown(
  options: ActOptions,
  observed: Observed,
  replica: JudgedReplica,
  target: SetRevision,
): Promise<void> {
  const hashes = new Set(Object.values(target.cliqueHashes));
  const isOutdated = (object: PodClique): boolean => !hashes.has(templateHash(object));
  const hasOutdated =
    replica.cliques.some((object) => isOutdated(object) && !isGoing(object)) ||
    replica.pods.some((pod) => !hashes.has(templateHash(pod)) && !isGoing(pod));
  if (!hasOutdated) return;
  const aimed = { index: replica.index, replica, revision: target, aim: "recreate" } as const;
  await ensureGroups(options.client, observed, aimed);
  await holdCliques(options.client, replica);
  // What is outdated goes last: whoever finds the replica half deleted sees that it has to go.
  const cliques = replica.cliques.toSorted((a, b) => Number(isOutdated(a)) - Number(isOutdated(b)));
  await deleteCliques(options, observed, { ...replica, cliques });
}

/**
 * A clique that is deleted stays until its own controller has seen that and makes no more pods for it. Those of
 * another strategy were made without that.
 */
async function holdCliques(client: Client, { cliques }: JudgedReplica): Promise<void> {
  for (const object of cliques) {
    const { finalizers: held = [] } = object.metadata;
    if (isGoing(object) || held.includes(finalizers.podClique)) continue;
    const metadata = { ...object.metadata, finalizers: [...held, finalizers.podClique] };
    await client.update(podCliqueResource, { ...object, metadata });
  }
}

/** Whoever takes over in the middle finds the mark and deletes the rest of what it speaks of, nothing newer. */
async function restart(
  options: ActOptions,
  observed: Observed,
  replica: JudgedReplica,
): Promise<void> {
  const left = cliquesToRestart(observed, replica);
  if (left.length === 0) {
    await remember(options.client, observed, replica, restartMark(replica));
    await markRestarting(options.client, observed, replica);
    await deleteAll(options, observed, replica);
    return;
  }
  await markRestarting(options.client, observed, replica);
  for (const object of left) await deleteOne(options, podCliqueResource, object);
}

async function deleteCliques(
  options: ActOptions,
  observed: Observed,
  replica: JudgedReplica,
): Promise<void> {
  await remember(options.client, observed, replica);
  await deleteAll(options, observed, replica);
}

async function deleteAll(
  options: ActOptions,
  observed: Observed,
  replica: JudgedReplica,
): Promise<void> {
  const going = replica.cliques.filter((object) => !isGoing(object));
  const { gangs } = objectsOf(observed, replica.index);
  await slowStart(
    [
      ...going.map((object) => () => deleteOne(options, podCliqueResource, object)),
      ...gangs.map((gang) => () => deleteOne(options, podGangResource, gang)),
    ],
    allAtOnce,
  );
}

/** On the service of the replica, which outlives its cliques. */
async function remember(
  client: Client,
  observed: Observed,
  replica: JudgedReplica,
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
  replica: JudgedReplica,
): Promise<void> {
  for (const group of objectsOf(observed, replica.index).groups) {
    if (!isGoingObject(group)) await deleteOne(options, scalingGroupResource, group);
  }
  for (const { object } of replica.standalone) {
    if (object !== undefined && !isGoing(object)) {
      await deleteOne(options, podCliqueResource, object);
    }
  }
}
