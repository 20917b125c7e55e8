/** The progress of a coordination with ordered steps: the current step, and the pause if one runs. */
import { goalOfSteps } from "./bound-roles.ts";
import type { CoordinationReason } from "./coordination-decision.ts";
import type {
  CoordinationSnapshot,
  CoordinationStep,
  CoordinationPace,
  StepProgress,
} from "./coordinated-roles.ts";
import type { RoleTally } from "./tally-role.ts";

export interface StepStand {
  readonly progress: StepProgress | undefined;
  /** The pause that holds every role now, if one does. */
  readonly pause: CoordinationReason | undefined;
  readonly recheckAfterMs: number | undefined;
}

/**
 * Passes every step that is reached and whose pause is over. The progress belongs to one revision;
 * without it the pauses are repeated, never left out.
 */
export function passSteps(
  snapshot: CoordinationSnapshot,
  pace: CoordinationPace,
  roles: readonly RoleTally[],
): StepStand {
  if (pace.kind !== "steps")
    return { progress: undefined, pause: undefined, recheckAfterMs: undefined };
  const { nowMs, targetRevision: revision, steps: recorded } = snapshot;
  let progress: StepProgress = recorded?.revision === revision ? recorded : { revision, passed: 0 };
  let step = pace.steps[progress.passed];
  while (step !== undefined && isReached(pace, progress.passed, roles)) {
    const reachedAtMs = progress.reachedAtMs ?? nowMs;
    const waitMs = pauseLeftMs(step, reachedAtMs, nowMs);
    if (waitMs > 0) {
      progress = { ...progress, reachedAtMs };
      const pause = explainPause(step, progress.passed + 1, pace.steps.length);
      return { progress, pause, recheckAfterMs: waitMs === Infinity ? undefined : waitMs };
    }
    progress = { revision, passed: progress.passed + 1 };
    step = pace.steps[progress.passed];
  }
  return { progress, pause: undefined, recheckAfterMs: undefined };
}

/** A partition that keeps back units of a step makes the step smaller. */
function isReached(pace: CoordinationPace, passed: number, roles: readonly RoleTally[]): boolean {
  return roles.every((role) => {
    const goal = Math.min(goalOfSteps(pace, passed, role), role.desired - role.partition);
    return role.confirmed >= goal;
  });
}

function pauseLeftMs({ pause }: CoordinationStep, reachedAtMs: number, nowMs: number): number {
  switch (pause.kind) {
    case "none":
      return 0;
    case "seconds":
      return Math.max(0, reachedAtMs + pause.seconds * 1000 - nowMs);
    case "untilPromoted":
      return Infinity;
  }
}

function explainPause({ pause }: CoordinationStep, number: number, of: number): CoordinationReason {
  const reached = `step ${number} of ${of} is reached`;
  if (pause.kind === "seconds") {
    return { code: "StepPause", message: `${reached}: pausing for ${pause.seconds} s` };
  }
  return { code: "AwaitsPromotion", message: `${reached}: waiting to be promoted` };
}
