/** When to decide again, and what a stuck rollout needs. */
import type { Remedy } from "./decision.ts";
import type { Fleet } from "./fleet.ts";
import { isStuck } from "./room.ts";
import { lowest } from "./slot-set.ts";

/** The next moment at which time alone changes the answer. */
export function recheckAfterMs(fleet: Fleet, answer: "step" | "hold"): number | undefined {
  const { nowMs, rollout } = fleet.shape;
  const moments = lowest(fleet.sets.waitingOut).flatMap(
    (slot) => fleet.unitAt(slot)?.availableAtMs ?? [],
  );
  const { deadline } = rollout;
  if (answer === "hold" && deadline !== undefined && !rollout.paused && !isStuck(fleet)) {
    moments.push(deadline.lastProgressAtMs + deadline.afterMs);
  }
  const earliestRequeue = moments.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return Number.isFinite(earliestRequeue) ? Math.max(0, earliestRequeue - nowMs) : undefined;
}

export function remedyFor(fleet: Fleet): Remedy {
  const { deadline, paused, previousRevision, targetRevision } = fleet.shape.rollout;
  if (paused || deadline === undefined || !isStuck(fleet)) return { kind: "none" };
  const canGoBack = previousRevision !== undefined && previousRevision !== targetRevision;
  if (deadline.onStuck !== "Rollback" || !canGoBack) return { kind: "none" };
  return { kind: "rollback", toRevision: previousRevision };
}
