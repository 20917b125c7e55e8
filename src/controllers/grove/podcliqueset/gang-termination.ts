/** Replicas of a set whose gang has been broken for longer than terminationDelay: they start over as a whole. */
import { memoizeOnce } from "../../engine/memoize.ts";
import { breachedSinceMs, earliest, terminationDelayMs } from "../breach.ts";
import type { GroupState, ReplicaState } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import { cliquesToRestart, isMarked } from "./restart.ts";

export interface Overdue {
  /** Broken for too long. */
  readonly indices: readonly number[];
  /** Begun by an earlier reconcile that did not finish. */
  readonly halfway: readonly number[];
  readonly recheckAfterMs: number | undefined;
}

/** Replicas that are being updated are skipped: what is missing there is missing on purpose. */
export function overdueReplicas(
  observed: Observed,
  replicas: readonly ReplicaState[],
  updating: ReadonlySet<number>,
): Overdue {
  const { spec, nowMs } = observed;
  const delayMs = terminationDelayMs(spec.template.terminationDelay);
  const halfway = replicas
    .filter((replica) => cliquesToRestart(observed, replica).length > 0)
    .map(({ index }) => index);
  const broken = replicas
    .filter(({ index }) => index < spec.replicas && !updating.has(index))
    .filter(({ index }) => !halfway.includes(index))
    .map((replica) => ({ index: replica.index, sinceMs: brokenSinceMs(replica) }))
    .filter((each): each is Broken => each.sinceMs !== undefined);
  const due = broken.filter(({ sinceMs }) => nowMs - sinceMs >= delayMs);
  const recheckAfterMs = earliest(
    broken.filter((each) => !due.includes(each)).map(({ sinceMs }) => sinceMs + delayMs - nowMs),
  );
  return { indices: due.map(({ index }) => index), halfway, recheckAfterMs };
}

interface Broken {
  readonly index: number;
  readonly sinceMs: number;
}

const brokenSinceMs = memoizeOnce(({ standalone, groups }: ReplicaState) => {
  // A replica that lacks a clique is being restored already.
  if (standalone.some(({ object }) => object === undefined)) return undefined;
  return earliest([
    ...standalone.map(({ object }) => breachedSinceMs(object)),
    ...groups.filter((group) => !isRestarting(group)).map(({ object }) => breachedSinceMs(object)),
  ]);
});

/** One restart per episode: the condition stays True until the group is whole again. */
const isRestarting = ({ object }: GroupState): boolean => object !== undefined && isMarked(object);
