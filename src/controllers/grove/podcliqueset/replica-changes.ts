/** Which objects of a replica have to be made, changed or deleted to bring it to its aim. Pure. */
import { finalizers } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import type { KubeObject } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import type { CliqueState } from "../clique-state.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { retemplated } from "../pod-clique-object.ts";
import { holdsAnotherRevision, isOpen } from "../replica-revision.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import { buildScalingGroup, buildStandalone, redirected } from "./components.ts";
import { stillClique, stillGroup } from "./hold-still.ts";
import type { ReplicaState } from "./replica-state.ts";
import { standaloneCliques } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import type { ReplicaPlan } from "./plan.ts";
import type { Stray } from "./strays.ts";
import { hasCliques, isOfEarlierShape } from "./strays.ts";

/** A replica with what it should become, and of which revision. */
export interface AimedReplica extends ReplicaPlan {
  readonly revision: SetRevision;
}

/** What a replica that stays as it is was made from. */
export function ownRevision(
  { revisions }: Pick<Observed, "revisions">,
  { replica, born }: Pick<ReplicaPlan, "replica" | "born">,
  target: SetRevision,
): SetRevision {
  const { standalone = [], groups = [], strays = [] } = replica ?? {};
  const objects = [...standalone, ...groups, ...strays].flatMap(({ object }): KubeObject[] =>
    object === undefined ? [] : [object],
  );
  const names = objects.map(({ metadata }) => metadata.annotations?.[revisionAnnotation]);
  const own = names.find((name) => name !== target.name) ?? born;
  return revisions.find(({ name }) => name === own) ?? target;
}

export interface GroupChange {
  readonly verb: "create" | "update";
  readonly object: PodCliqueScalingGroup;
}

export function groupChanges(observed: Observed, aimed: AimedReplica): GroupChange[] {
  return observed.spec.template.podCliqueScalingGroups.flatMap((template): GroupChange[] => {
    const wanted = buildScalingGroup(observed, aimed.index, template, aimed.revision);
    const known = aimed.replica?.groups.find((group) => group.template.name === template.name);
    const object = known?.object;
    if (known === undefined || object === undefined) {
      return mayHave(aimed, template.cliqueNames) ? [{ verb: "create", object: wanted }] : [];
    }
    if (isTerminating(object)) return [];
    const next =
      aimed.aim === "keep" ? stillGroup(known, observed.revisions) : redirected(object, wanted);
    return next === undefined ? [] : [{ verb: "update", object: next }];
  });
}

/** A replica that waits for its turn gets nothing that what it was made from did not have. */
const mayHave = ({ aim, replica, revision }: AimedReplica, cliques: readonly string[]): boolean =>
  hasCliques(revision, cliques) &&
  !(aim === "keep" && replica !== undefined && isOfEarlierShape(replica));

/** Standalone cliques that have to be told something else than they know. */
export const retoldCliques = (observed: Observed, aimed: AimedReplica): PodClique[] =>
  (aimed.replica?.standalone ?? []).flatMap((known) => retoldClique(observed, aimed, known) ?? []);

function retoldClique(
  observed: Observed,
  { index, replica, revision, aim }: AimedReplica,
  known: CliqueState,
): PodClique | undefined {
  const { object, clique } = known;
  if (object === undefined || isTerminating(object)) return undefined;
  // What is to be deleted is told nothing. Where only what the target has is left, that has to know it.
  if (aim === "recreate" && replica !== undefined && hasOutdated(replica, revision))
    return undefined;
  if (aim === "keep") return stillClique(known);
  return retemplated(object, buildStandalone(observed, index, clique, revision));
}

/** Whether some standalone clique is not there, be its place free or not. */
const lacksCliques = ({ spec }: Observed, { replica }: AimedReplica): boolean =>
  standaloneCliques(spec).some(
    (clique) => replica?.standalone.find((each) => each.clique === clique)?.object === undefined,
  );

/**
 * Only in an update can there be anything of another revision, and only where something is to start does it matter what
 * is left of it. While a clique of another revision is there, what is known was known of an earlier one.
 */
export function askedOfRemains(
  observed: Observed,
  aimed: AimedReplica,
): "nothing" | "forget" | "ask" {
  const { set, spec } = observed;
  const isPromised = spec.updateStrategy.type === "ReplicaRecreate";
  if (!isPromised || !isOpen(set.status?.updateProgress)) return "nothing";
  if (holdsAnotherRevision(aimed.replica?.cliques ?? [], aimed.revision)) return "forget";
  return lacksCliques(observed, aimed) ? "ask" : "nothing";
}

/** Standalone cliques that are not there and whose places are free. */
export function missingCliques(observed: Observed, aimed: AimedReplica): PodClique[] {
  const { index, replica, revision } = aimed;
  if (!mayStart(observed, replica, revision)) return [];
  return standaloneCliques(observed.spec)
    .filter((clique) => mayHave(aimed, [clique]))
    .filter((clique) => {
      const known = replica?.standalone.find((each) => each.clique === clique);
      return known?.object === undefined && (known?.leftovers.length ?? 0) === 0;
    })
    .map((clique) => buildStandalone(observed, index, clique, revision));
}

/** Under ReplicaRecreate nothing starts while anything of another revision is left in the replica. */
function mayStart(
  { spec }: Observed,
  replica: ReplicaState | undefined,
  revision: SetRevision,
): boolean {
  if (spec.updateStrategy.type !== "ReplicaRecreate" || replica === undefined) return true;
  return !holdsAnotherRevision([...replica.cliques, ...replica.pods], revision);
}

type Parts = Pick<ReplicaState, "cliques" | "pods">;

/** Whether anything that is there to stay is of another revision than the target. */
export const hasOutdated = ({ cliques, pods }: Parts, target: SetRevision): boolean =>
  holdsAnotherRevision(
    [...cliques, ...pods].filter((object) => !isTerminating(object)),
    target,
  );

/** What is outdated goes when the rest is gone: whoever finds a replica half deleted sees that it has to go. */
export function deletionWaves(
  { cliques }: Pick<Parts, "cliques">,
  target: SetRevision,
): readonly [first: readonly PodClique[], last: readonly PodClique[]] {
  const isOutdated = (object: PodClique): boolean => holdsAnotherRevision([object], target);
  return [cliques.filter((object) => !isOutdated(object)), cliques.filter(isOutdated)];
}

/** What the template has no place for goes in the replica's turn; under OnDelete that is the user's to say. */
export const straysToDelete = (
  { spec }: Pick<Observed, "spec">,
  { aim, replica }: Pick<ReplicaPlan, "aim" | "replica">,
): readonly Stray[] =>
  aim === "keep" || spec.updateStrategy.type === "OnDelete" ? [] : (replica?.strays ?? []);

/** Pods whose clique is not there: no controller of a clique deletes them. */
export function strayPods({ cliques, pods }: Parts): Pod[] {
  const uids = new Set(cliques.map(({ metadata }) => metadata.uid));
  return pods.filter((pod) => !uids.has(controllerOf(pod)?.uid));
}

/**
 * A clique that is deleted stays until its own controller has seen that and makes no more pods for it. Those of
 * another strategy were made without that: here they are with it.
 */
export function cliquesToHold({ cliques }: Pick<Parts, "cliques">): PodClique[] {
  return cliques.flatMap((object) => {
    const { finalizers: held = [] } = object.metadata;
    if (isTerminating(object) || held.includes(finalizers.podClique)) return [];
    const metadata = { ...object.metadata, finalizers: [...held, finalizers.podClique] };
    return [{ ...object, metadata }];
  });
}
