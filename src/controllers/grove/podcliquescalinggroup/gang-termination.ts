/** Replicas of a scaling group whose gang has been broken for too long: they start over, if enough others are whole. */
import { breachedSinceMs, earliest, terminationDelayMs } from "../breach.ts";
import { isUnderWay } from "../update-condition.ts";
import type { GroupReplica, Observed } from "./observe.ts";
import { isWhole } from "./replica-state.ts";

export interface Overdue {
  readonly indices: readonly number[];
  readonly recheckAfterMs: number | undefined;
}

const sinceOf = ({ members }: GroupReplica): number | undefined =>
  earliest(members.map(({ object }) => breachedSinceMs(object)));

export function overdueReplicas(observed: Observed): Overdue {
  const { group, spec, nowMs, minAvailable, replicas } = observed;
  const desired = group.spec.replicas ?? 1;
  const broken = replicas
    .filter(({ index }) => index < desired)
    .flatMap((replica) => {
      const sinceMs = sinceOf(replica);
      return sinceMs === undefined ? [] : [{ index: replica.index, sinceMs }];
    });
  // Too few replicas are whole: the set restarts the whole replica that the group is in.
  const whole = replicas.filter((replica) => replica.index < desired && isWhole(replica));
  if (isUnderWay(group.status?.updateProgress) || whole.length < minAvailable) {
    return { indices: [], recheckAfterMs: undefined };
  }
  const delayMs = terminationDelayMs(spec.template.terminationDelay);
  const due = broken.filter(({ sinceMs }) => nowMs - sinceMs >= delayMs);
  const nextMs = earliest(
    broken.filter((each) => !due.includes(each)).map(({ sinceMs }) => sinceMs + delayMs - nowMs),
  );
  return { indices: due.map(({ index }) => index), recheckAfterMs: nextMs };
}
