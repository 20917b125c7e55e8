/** Since when a gang has been broken, by its MinAvailableBreached condition, and for how long it may be. */
import { isTerminating } from "../../api/object.ts";
import { durationMs } from "../../api/duration.ts";
import { conditionReasons, conditionTypes } from "../../api/grove/conditions.ts";
import { parseTime } from "../../api/time-text.ts";
import { earliest } from "../engine/live-reads.ts";
import type { ConditionText, WithConditions } from "../engine/conditions.ts";
import { conditionOf } from "../engine/conditions.ts";

const fourHoursMs = 4 * 3_600_000;

interface Breachable {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly status?: WithConditions;
}

/** Undefined where nothing is breached, or it is not known yet. */
export function breachedSinceMs(object: Breachable | undefined): number | undefined {
  if (object === undefined || isTerminating(object)) return undefined;
  const condition = conditionOf(object.status, conditionTypes.minAvailableBreached);
  if (condition?.status !== "True") return undefined;
  return parseTime(condition.lastTransitionTime ?? "");
}

/** The user asked for no more: nothing is broken, and a restart would bring back no more than that. */
export function meantSmall(replicas: number, minAvailable: number): ConditionText | undefined {
  if (replicas >= minAvailable) return undefined;
  return {
    type: conditionTypes.minAvailableBreached,
    status: "Unknown",
    reason: conditionReasons.scaledBelowMinAvailable,
    message: `scaled to ${replicas}, below its minimum of ${minAvailable}: nothing is restarted for that`,
  };
}

export interface Overdue {
  /** Broken for too long. */
  readonly indices: readonly number[];
  /** When the next of them will have been. */
  readonly recheckAfterMs: number | undefined;
}

export function overdueAmong<R extends { readonly index: number }>(
  replicas: readonly R[],
  brokenSinceMs: (replica: R) => number | undefined,
  { terminationDelay, nowMs }: { readonly terminationDelay: string; readonly nowMs: number },
): Overdue {
  const delayMs = durationMs(terminationDelay) ?? fourHoursMs;
  const broken = replicas.flatMap((replica) => {
    const sinceMs = brokenSinceMs(replica);
    return sinceMs === undefined
      ? []
      : [{ index: replica.index, leftMs: sinceMs + delayMs - nowMs }];
  });
  return {
    indices: broken.filter(({ leftMs }) => leftMs <= 0).map(({ index }) => index),
    recheckAfterMs: earliest(broken.map(({ leftMs }) => leftMs).filter((leftMs) => leftMs > 0)),
  };
}
