/** Which objects of a replica have to be created, changed or deleted for its planned action. Pure. */
import { finalizers } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import type { KubeObject } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import type { CliqueState } from "../clique-state.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { retemplated } from "../pod-clique-object.ts";
import { holdsAnotherRevision } from "../replica-checks.ts";
import { isUnderWay } from "../update-condition.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import { buildScalingGroup, buildStandalone, redirected } from "./components.ts";
import { pausedClique, pausedGroup } from "./pause.ts";
import type { ReplicaState } from "./replica-state.ts";
import { standaloneCliques } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import type { ReplicaPlan } from "./plan.ts";
import type { ObsoleteComponent } from "./obsolete-components.ts";
import { hasCliques, isOfEarlierShape } from "./obsolete-components.ts";

/** A replica with what it should become, and of which revision. */
export interface PlannedReplica extends ReplicaPlan {
  readonly revision: SetRevision;
}

/** The revision that a replica which stays as it is was created from. */
export function ownRevision(
  { revisions }: Pick<Observed, "revisions">,
  { replica, startsFrom }: Pick<ReplicaPlan, "replica" | "startsFrom">,
  target: SetRevision,
): SetRevision {
  const { standalone = [], groups = [], obsolete = [] } = replica ?? {};
  const objects = [...standalone, ...groups, ...obsolete].flatMap(({ object }): KubeObject[] =>
    object === undefined ? [] : [object],
  );
  const names = objects.map(({ metadata }) => metadata.annotations?.[revisionAnnotation]);
  const own = names.find((name) => name !== target.name) ?? startsFrom;
  return revisions.find(({ name }) => name === own) ?? target;
}

interface GroupChange {
  readonly verb: "create" | "update";
  readonly object: PodCliqueScalingGroup;
}

export function groupChanges(observed: Observed, planned: PlannedReplica): GroupChange[] {
  return observed.spec.template.podCliqueScalingGroups.flatMap((template): GroupChange[] => {
    const wanted = buildScalingGroup(observed, planned.index, template, planned.revision);
    const known = planned.replica?.groups.find((group) => group.template.name === template.name);
    const object = known?.object;
    if (known === undefined || object === undefined) {
      return mayHave(planned, template.cliqueNames) ? [{ verb: "create", object: wanted }] : [];
    }
    if (isTerminating(object)) return [];
    const next =
      planned.action === "keep"
        ? pausedGroup(known, observed.revisions)
        : redirected(object, wanted);
    return next === undefined ? [] : [{ verb: "update", object: next }];
  });
}

/** A replica that waits for its turn gets only what its own revision has. */
const mayHave = (
  { action, replica, revision }: PlannedReplica,
  cliques: readonly string[],
): boolean =>
  hasCliques(revision, cliques) &&
  !(action === "keep" && replica !== undefined && isOfEarlierShape(replica));

/** Standalone cliques whose template or strategy has to change. */
export const updatedCliques = (observed: Observed, planned: PlannedReplica): PodClique[] =>
  (planned.replica?.standalone ?? []).flatMap(
    (known) => updatedClique(observed, planned, known) ?? [],
  );

function updatedClique(
  observed: Observed,
  { index, replica, revision, action }: PlannedReplica,
  known: CliqueState,
): PodClique | undefined {
  const { object, clique } = known;
  if (object === undefined || isTerminating(object)) return undefined;
  // Cliques that are about to be deleted are not updated. Those that stay must learn of the target.
  if (action === "recreate" && replica !== undefined && hasOutdated(replica, revision))
    return undefined;
  if (action === "keep") return pausedClique(known);
  return retemplated(object, buildStandalone(observed, index, clique, revision));
}

/** Whether some standalone clique is not there, whether its place is free or not. */
const lacksCliques = ({ spec }: Observed, { replica }: PlannedReplica): boolean =>
  standaloneCliques(spec).some(
    (clique) => replica?.standalone.find((each) => each.clique === clique)?.object === undefined,
  );

/**
 * Only in an update can there be anything of another revision, and only where something is to start does it matter what
 * is left of it. While a clique of another revision is there, an answer would be about an earlier state.
 */
export function mustAskForOldPods(observed: Observed, planned: PlannedReplica): boolean {
  const { set, spec } = observed;
  const { updateProgress, currentGenerationHash = planned.revision.hash } = set.status ?? {};
  const isPromised = spec.updateStrategy.type === "ReplicaRecreate";
  // What was observed does not show an update that begins with this very reconcile.
  const isUpdating = isUnderWay(updateProgress) || currentGenerationHash !== planned.revision.hash;
  if (!isPromised || !isUpdating) return false;
  if (holdsAnotherRevision(planned.replica?.cliques ?? [], planned.revision)) return false;
  return lacksCliques(observed, planned);
}

/** Standalone cliques that are not there and whose places are free. */
export function missingCliques(observed: Observed, planned: PlannedReplica): PodClique[] {
  const { index, replica, revision } = planned;
  if (!mayStart(observed, replica, revision)) return [];
  return standaloneCliques(observed.spec)
    .filter((clique) => mayHave(planned, [clique]))
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

/** Outdated cliques are deleted last, so that a half-deleted replica still shows that it has to be deleted. */
export function deletionWaves(
  { cliques }: Pick<Parts, "cliques">,
  target: SetRevision,
): readonly [first: readonly PodClique[], last: readonly PodClique[]] {
  const isOutdated = (object: PodClique): boolean => holdsAnotherRevision([object], target);
  return [cliques.filter((object) => !isOutdated(object)), cliques.filter(isOutdated)];
}

/** Obsolete components are deleted in their replica's turn; under OnDelete the user deletes them. */
export const obsoleteToDelete = (
  { spec }: Pick<Observed, "spec">,
  { action, replica }: Pick<ReplicaPlan, "action" | "replica">,
): readonly ObsoleteComponent[] =>
  action === "keep" || spec.updateStrategy.type === "OnDelete" ? [] : (replica?.obsolete ?? []);

/** Pods whose clique is gone: no clique's controller deletes them. */
export function podsWithoutClique({ cliques, pods }: Parts): Pod[] {
  const uids = new Set(cliques.map(({ metadata }) => metadata.uid));
  return pods.filter((pod) => !uids.has(controllerOf(pod)?.uid));
}

/**
 * The finalizer keeps a deleted clique until its own controller has seen the deletion and creates no more pods for it.
 * Cliques that were created under another strategy lack it: here they get it.
 */
export function cliquesToFinalize({ cliques }: Pick<Parts, "cliques">): PodClique[] {
  return cliques.flatMap((object) => {
    const { finalizers: held = [] } = object.metadata;
    if (isTerminating(object) || held.includes(finalizers.podClique)) return [];
    const metadata = { ...object.metadata, finalizers: [...held, finalizers.podClique] };
    return [{ ...object, metadata }];
  });
}
