/** Says in one sentence what happens or what is waited for, naming the unit and the rule. */
import type { Action, HoldCode, Reason, Step, StepCode, Wait } from "./decision.ts";
import type { Fleet } from "./fleet.ts";
import { hasReleasedSurge, isStuck, spareUnits, surgeAllowed } from "./room.ts";
import { roundIsOpen } from "./pace.ts";
import type { UnitNoun } from "./rollout.ts";

const namesShown = 3;

/** The first few by name, the others by number. */
function listed<T>(items: readonly T[], called: (item: T) => string): string {
  const shown = items.slice(0, namesShown).map(called).join(", ");
  return items.length > namesShown ? `${shown} and ${items.length - namesShown} more` : shown;
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const nounOf = ({ shape }: Fleet): UnitNoun => shape.rollout.noun ?? "unit";

export function explainStep(fleet: Fleet, kind: Step["kind"], actions: readonly Action[]): Reason {
  const called = (action: Action): string =>
    action.kind === "create" ? `${fleet.shape.rollout.name}-${action.ordinal}` : action.unit;
  const names = listed(
    actions.filter((action) => action.kind === kind),
    called,
  );
  const code = stepCode(kind, actions);
  switch (code) {
    case "Replacing":
      return { code, message: replacing(fleet, names) };
    case "Surging":
      return {
        code,
        message: `creating ${names} (surge) before an outdated ${nounOf(fleet)} is deleted`,
      };
    case "ScalingIn":
      return {
        code,
        message: `deleting ${names}: ${plural(fleet.desired, nounOf(fleet))} desired`,
      };
    case "ReleasingSurge":
      return { code, message: `deleting ${names}${whyReleased(fleet, actions)}` };
    case "Creating":
      return { code, message: `creating ${names}` };
  }
}

function stepCode(kind: Step["kind"], actions: readonly Action[]): StepCode {
  const every = (code: Action["code"]): boolean =>
    actions.every((action) => action.kind !== kind || action.code === code);
  if (kind === "replace") return "Replacing";
  if (kind === "create") return every("Surge") ? "Surging" : "Creating";
  return every("ScaleIn") ? "ScalingIn" : "ReleasingSurge";
}

/** Units that move on their own terms are updated, not replaced, and their number is the only limit. */
function replacing(fleet: Fleet, names: string): string {
  const { policy, rollout } = fleet.shape;
  const atATime = policy.kind === "rolling" ? policy.maxInFlight : undefined;
  return atATime === undefined
    ? `replacing ${names} by ${rollout.targetRevision}: ${budgetInWords(fleet)}`
    : `updating ${names} to ${rollout.targetRevision}, ${atATime} at a time`;
}

/** An outdated one above the desired number was surge, or it is what scaling in left over: nobody remembers which. */
function whyReleased(fleet: Fleet, actions: readonly Action[]): string {
  if (actions.some(({ code }) => code === "SurgeReleased")) {
    return hasReleasedSurge(fleet)
      ? " (surge): it did not become available before the progress deadline"
      : " (surge): less surge is allowed now";
  }
  if (actions.some(({ code }) => code === "SurgeOutdated"))
    return `: outdated, and above the ${fleet.desired} desired`;
  return ` (surge): every other ${nounOf(fleet)} is available again`;
}

/** `1 pod is down, at most 2 may be`. */
export function downInWords(down: number, maxUnavailable: number, noun: UnitNoun): string {
  if (down === 0 && maxUnavailable === 0) return `no ${noun} may be down`;
  return `${plural(down, noun)} ${down === 1 ? "is" : "are"} down, at most ${maxUnavailable} may be`;
}

function budgetInWords(fleet: Fleet): string {
  const { maxUnavailable, maxSurge } = fleet.shape.policy.budget;
  const surge = maxSurge > 0 ? `, ${maxSurge} surge allowed` : "";
  return `${maxUnavailable === 0 ? "none" : maxUnavailable} may be down${surge}`;
}

export function explainDone(fleet: Fleet): Reason {
  const { policy, rollout } = fleet.shape;
  const noun = nounOf(fleet);
  const left = fleet.sets.outdated.size;
  if (left === 0) {
    const message = `${plural(fleet.desired, noun)} available on ${rollout.targetRevision}`;
    return { code: "RolledOut", message };
  }
  if (policy.kind === "onDelete") {
    const remain = left === 1 ? "remains" : "remain";
    const message = `${plural(left, `outdated ${noun}`)} ${remain} until you delete ${removed(noun, left)}`;
    return { code: "OutdatedLeftToDelete", message };
  }
  const message = `partition ${policy.partition} keeps ${plural(left, noun)} on another revision`;
  return { code: "PartitionReached", message };
}

/** Nobody deletes a replica: it goes with its pods. */
function removed(noun: UnitNoun, count: number): string {
  if (noun === "replica") return `${count === 1 ? "its" : "their"} outdated pods`;
  return count === 1 ? "it" : "them";
}

export function explainHold(fleet: Fleet, waits: readonly Wait[], waitingFor: number): Reason {
  const reason = holdReason(fleet, waits, waitingFor);
  const { deadline, paused } = fleet.shape.rollout;
  if (paused || deadline === undefined || !isStuck(fleet)) return reason;
  const message = `no progress since ${timeText(deadline.lastProgressAtMs)}: ${reason.message}`;
  return { code: "ProgressDeadlineExceeded", message };
}

/** Said as a time, because a duration would be wrong as soon as it is written down. */
const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

function holdReason(fleet: Fleet, waits: readonly Wait[], waitingFor: number): Reason {
  const { rollout } = fleet.shape;
  const outdated = fleet.sets.replaceable.size;
  if (rollout.paused && fleet.sets.unfinished.size > 0) {
    const message =
      outdated > 0
        ? `paused with ${plural(outdated, `outdated ${nounOf(fleet)}`)} left`
        : pausedText(fleet, waits, waitingFor);
    return { code: "Paused", message };
  }
  const code = holdCode(fleet, waits[0]);
  if (code === "NoBudget") return { code, message: noBudget(fleet) };
  return { code, message: `${waitingText(fleet, waits, waitingFor)}${rule(fleet, code)}` };
}

/** A unit that is updated in parts stays where it is: its parts are paused too. */
const pausedText = (fleet: Fleet, waits: readonly Wait[], waitingFor: number): string =>
  isServingAt(fleet, waits[0])
    ? `paused while ${waits[0]?.unit} is being updated`
    : `paused, ${waitingText(fleet, waits, waitingFor)}`;

function waitingText(fleet: Fleet, waits: readonly Wait[], waitingFor: number): string {
  const [first] = waits;
  const others = waitingFor > 1 ? ` and ${waitingFor - 1} more` : "";
  const who =
    first === undefined ? `${nounOf(fleet)}s` : `${first.unit} (${stateOf(fleet, first)})${others}`;
  const isLeaving = waits.every((wait) => wait.code === "Terminating");
  const awaited = isServingAt(fleet, first) ? "be complete" : "become available";
  return `waiting for ${who} to ${isLeaving ? "terminate" : awaited}`;
}

/** Whether the unit that is waited for first serves, although its update is not complete. */
const isServingAt = (fleet: Fleet, wait: Wait | undefined): boolean =>
  wait !== undefined && fleet.unitAt(wait.ordinal - fleet.ordinalAt(0))?.isServing === true;

function holdCode(fleet: Fleet, first: Wait | undefined): HoldCode {
  const { policy } = fleet.shape;
  const isUpdating = fleet.sets.replaceable.size > 0;
  if (isUpdating && policy.budget.maxUnavailable + surgeAllowed(fleet) === 0) return "NoBudget";
  if (fleet.sets.missing.size > 0) return "PredecessorNotAvailable";
  if (isUpdating && fleet.sets.extraDown.size > 0 && spareUnits(fleet) <= 0)
    return "SurgeNotAvailable";
  if (isServingAt(fleet, first)) return "Updating";
  if (isUpdating && spareUnits(fleet) <= 0) return "BudgetSpent";
  if (isUpdating && policy.pacing !== "parallel" && !roundIsOpen(fleet)) return "RoundNotOver";
  return fleet.sets.down.size + fleet.sets.extraDown.size > 0
    ? "UnitNotAvailable"
    : "UnitTerminating";
}

function stateOf(fleet: Fleet, wait: Wait): string {
  const slot = wait.ordinal - fleet.ordinalAt(0);
  if (slot < 0 || slot >= fleet.desired) return fleet.sets.leaving.size > 0 ? "leaving" : "surge";
  if (isServingAt(fleet, wait)) return "updating";
  return fleet.isOutdatedAt(slot) ? "old" : "new";
}

function rule(fleet: Fleet, code: HoldCode): string {
  const { policy } = fleet.shape;
  const noun = nounOf(fleet);
  const { maxUnavailable } = policy.budget;
  const atATime = policy.kind === "rolling" ? policy.maxInFlight : undefined;
  const down = Math.max(0, fleet.desired - fleet.available);
  switch (code) {
    case "BudgetSpent":
    case "SurgeNotAvailable":
      return atATime === undefined
        ? `: ${downInWords(down, maxUnavailable, noun)}`
        : `: ${noun}s are updated ${atATime} at a time`;
    case "Updating":
      return fleet.sets.replaceable.size > 0 && atATime !== undefined
        ? `: ${noun}s are updated ${atATime} at a time`
        : "";
    case "RoundNotOver":
      return ": the next round starts when this one is available";
    case "PredecessorNotAvailable":
      return `: ${noun}s start one after another`;
    case "Paused":
    case "UnitNotAvailable":
    case "UnitTerminating":
    case "ProgressDeadlineExceeded":
    case "NoBudget":
      return "";
  }
}

function noBudget(fleet: Fleet): string {
  const { size } = fleet.sets.replaceable;
  const noun = nounOf(fleet);
  const left = `${plural(size, `outdated ${noun}`)} ${size === 1 ? "remains" : "remain"}`;
  const [why, fix] = hasReleasedSurge(fleet)
    ? whyNotAgain(fleet)
    : ["no surge is allowed", "raise maxUnavailable or maxSurge"];
  return `${left}, but no ${noun} may be down and ${why}: ${fix}`;
}

function whyNotAgain({ shape: { rollout } }: Fleet): readonly [why: string, fix: string] {
  const [failed, fix] =
    rollout.surgeLackedRoom === true
      ? ["fit", "make room"]
      : ["become available", "fix what kept it"];
  return [
    `the surge was released because it did not ${failed}`,
    `${fix} and restart the rollout (lockstep restart), or change the template`,
  ];
}
