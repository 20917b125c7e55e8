/** Which replicas of a set an earlier reconcile chose to update, and which of those the set goes on with now. */
import { isRolling } from "../../../api/grove/update-strategy.ts";
import { templateHash } from "../clique-state.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import type { Observed } from "./observe.ts";
import type { ReplicaState } from "./replica-state.ts";

interface Replicas {
  readonly replicas: readonly ReplicaState[];
  readonly maxUnavailable: number;
}

/** What an earlier reconcile chose and recorded, as far as the set goes on with it. */
export function replicasUnderWay(
  observed: Observed,
  target: SetRevision,
  chosenFrom: Replicas,
): ReadonlySet<number> {
  const { set, spec } = observed;
  const { currentGenerationHash, updateProgress } = set.status ?? {};
  const { type } = spec.updateStrategy;
  if (type === "OnDelete") return new Set();
  const updating = updateProgress?.currentlyUpdating ?? [];
  const recorded = new Set(updating.map(({ replicaIndex }) => replicaIndex));
  const { replicas } = chosenFrom;
  if (currentGenerationHash !== target.hash) return stillRolled(observed, replicas, recorded);
  if (isRolling(type)) return withoutUntouched(replicas, recorded);
  return stillRecreated(observed, chosenFrom, recorded);
}

/**
 * A replica that was chosen because it was down may serve again, and one that was rolled may serve with a part of it
 * gone when the strategy becomes ReplicaRecreate: where the budget does not cover it, it is decided once more. One that
 * a partition keeps by now, and that came back as it was, is not under way.
 */
function stillRecreated(
  { spec }: Observed,
  { replicas, maxUnavailable }: Replicas,
  recorded: ReadonlySet<number>,
): ReadonlySet<number> {
  const { partition = 0 } = spec.updateStrategy;
  const kept = replicas.filter((replica) => replica.index < partition && isAsItWas(replica));
  const moving = without(recorded, kept);
  if (moving.size === 0) return moving;
  const others = replicas.filter(({ index, isAvailable }) => isAvailable && !moving.has(index));
  if (others.length >= spec.replicas - maxUnavailable) return moving;
  return without(
    moving,
    replicas.filter(({ isAvailable, needsUpdate }) => isAvailable && needsUpdate),
  );
}

/**
 * Where replicas are rolled one at a time, a new target goes on with the one that was on its way to the target before:
 * its parts move by themselves, and may be taking a pod this very moment. What is down anyway may go before it.
 */
function stillRolled(
  { spec }: Observed,
  replicas: readonly ReplicaState[],
  recorded: ReadonlySet<number>,
): ReadonlySet<number> {
  const { type, partition = 0, paused = false } = spec.updateStrategy;
  const mayMove = (index: number): boolean => index >= partition && index < spec.replicas;
  const isDown = ({ index, isAvailable, needsUpdate }: ReplicaState): boolean =>
    mayMove(index) && needsUpdate && !isAvailable && !recorded.has(index);
  if (!isRolling(type) || paused || replicas.some(isDown)) return new Set();
  return withoutUntouched(replicas, new Set([...recorded].filter(mayMove)));
}

/**
 * One replica at a time is rolled, but ReplicaRecreate may have chosen several: those that serve as they were wait for
 * their turn, since nothing of them is on its way.
 */
function withoutUntouched(
  replicas: readonly ReplicaState[],
  recorded: ReadonlySet<number>,
): ReadonlySet<number> {
  if (recorded.size <= 1) return recorded;
  const waiting = replicas.filter(
    (each) => each.isAvailable && each.needsUpdate && isAsItWas(each),
  );
  return without(recorded, waiting);
}

function without(
  recorded: ReadonlySet<number>,
  replicas: readonly ReplicaState[],
): ReadonlySet<number> {
  const indices = new Set(replicas.map(({ index }) => index));
  return new Set([...recorded].filter((index) => !indices.has(index)));
}

/** All its parts are of one revision, and all its pods are theirs. */
function isAsItWas({ cliques, groups, pods }: ReplicaState): boolean {
  const parts = [...cliques, ...groups.flatMap(({ object }) => object ?? [])];
  const revisions = new Set(
    parts.map(({ metadata }) => metadata.annotations?.[revisionAnnotation]),
  );
  const templates = new Set(cliques.map(templateHash));
  return revisions.size <= 1 && pods.every((pod) => templates.has(templateHash(pod)));
}
