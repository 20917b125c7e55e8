/** Whether a rollout that waits is stuck: only a person can help, or nothing has moved for its deadline. Pure. */
import { parseTime, timeText } from "../../api/time-text.ts";
import type { CoordinationDecision } from "../../planner/index.ts";
import { latestOf, movingSinceMs } from "../engine/progress-deadline.ts";
import type { RolloutState } from "../engine/rollout-conditions.ts";
import type { GroupRevision } from "./group-revisions.ts";
import type { Observed, ObservedRole } from "./observe.ts";
import { refusalOf } from "./refusals.ts";
import { newPods, ownRolloutOf, refusedState } from "./role-state.ts";
import type { RolePod } from "./role-workload.ts";
import type { Rollout } from "./rollouts.ts";

/** Waiting for these ends by a person's change only. */
const hopeless = /^(InvalidImageName|ErrImageNeverPull)\b/;

/** Pods that the rollout cannot do without: new ones, and old ones that it does not reach. */
function neededPods(
  { role, seen }: ObservedRole,
  decision: CoordinationDecision | undefined,
): readonly RolePod[] {
  const decided = decision?.roles.find((each) => each.role === role.name);
  return decided?.reason.code === "KeptUnitDown" ? seen.pods : newPods(seen);
}

type Stall = Pick<RolloutState, "reason" | "message">;

interface Waiting {
  /** What it waits for. */
  readonly sentence: string;
  readonly target: GroupRevision;
}

export function stallOf(
  observed: Observed,
  rollout: Rollout,
  { sentence, target }: Waiting,
): Stall | undefined {
  const { decision } = rollout;
  const refused = rollout.roles.find((each) => refusalOf(each, observed.refusal)?.isFinal);
  if (refused !== undefined) {
    const message = refusedState(refused, observed)?.message ?? "";
    return { reason: "NeedsChange", message: `${message}: only a change of the spec can help` };
  }
  if (decision?.kind === "advance" || decision?.kind === "begin") return undefined;
  const own = rollout.roles.flatMap((role) => ownRolloutOf(role, target)?.stand ?? []);
  if (own.includes("begins")) return undefined;
  const [needs] = rollout.roles.flatMap(({ seen }) => seen.needs ?? []);
  if (needs !== undefined) return { reason: "NeedsChange", message: needs };
  const isHopeless = rollout.roles.some((each) =>
    neededPods(each, decision).some(({ health }) => hopeless.test(health.trouble ?? "")),
  );
  if (isHopeless) {
    const isSaid = decision?.reason.code === "KeptUnitDown";
    const message = isSaid ? sentence : `${sentence}: only a change of the spec can help`;
    return { reason: "NeedsChange", message };
  }
  if (own.includes("late")) return { reason: "ProgressDeadlineExceeded", message: sentence };
  return overdue(observed, rollout, { sentence, target });
}

/** Undefined before the deadline. Said as a time, because a duration would be wrong as soon as it is written down. */
export function overdue(
  observed: Observed,
  waiting: Pick<Rollout, "roles" | "deadlineSeconds">,
  { sentence, target }: Waiting,
): Stall | undefined {
  const leftMs = stallsInMs(observed, waiting, target);
  if (leftMs > 0) return undefined;
  const sinceMs = observed.nowMs + leftMs - waiting.deadlineSeconds * 1000;
  const message = `no progress since ${timeText(sinceMs)}: ${sentence}`;
  return { reason: "ProgressDeadlineExceeded", message };
}

/** How long the rollout may still wait for what it waits for now. */
export function stallsInMs(
  { group, nowMs }: Pick<Observed, "group" | "nowMs">,
  { roles, deadlineSeconds }: Pick<Rollout, "roles" | "deadlineSeconds">,
  target: GroupRevision,
): number {
  const units = roles.flatMap(({ seen }) =>
    seen.units
      .filter(({ revision }) => revision === seen.templateRevision)
      .flatMap(({ createdAtMs, health, healthSinceMs }) => [
        createdAtMs,
        health === "available" ? healthSinceMs : undefined,
      ]),
  );
  const recorded = parseTime(target.object.metadata.creationTimestamp ?? "");
  const moments = [movingSinceMs(group.status, nowMs), recorded, ...units];
  return latestOf(moments, nowMs) + deadlineSeconds * 1000 - nowMs;
}
