/** Available, Progressing, Reconciling and Stalled: what every kind says of itself, in the same way. */
import { timeText } from "../../api/time-text.ts";
import type { Deadline, Decision, Policy } from "../../planner/index.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import { aFew } from "./action-events.ts";
import type { ConditionText, WithConditions } from "./conditions.ts";
import { conditionOf, isConditionTrue } from "./conditions.ts";

export const rolloutConditionTypes = {
  available: "Available",
  progressing: "Progressing",
  /** The same fact as Progressing, under the name that kstatus reads. */
  reconciling: "Reconciling",
  stalled: "Stalled",
} as const;

/** What a rollout does now: it moves or waits to move, it rests, or only a person can help. */
export interface RolloutState {
  readonly phase: "moving" | "resting" | "stalled";
  readonly reason: string;
  /** One sentence. */
  readonly message: string;
}

export interface RolloutReport extends RolloutState {
  readonly available: number;
  /** How many the promise asks for at any moment. */
  readonly needed: number;
  readonly desired: number;
  /** In the singular: `pod`, `replica`. */
  readonly noun: string;
  /** What an available unit is called, where it is something else. */
  readonly served?: string;
  /** What keeps units from serving, each with the unit's name, the gravest first. */
  readonly causes: readonly string[];
}

const causesShown = 3;

/** A sentence with the gravest of the causes. */
export const withCauses = (sentence: string, causes: readonly string[]): string =>
  [sentence, ...together(causes).slice(0, causesShown)].join("; ");

/** Units with the same cause share it: `web-3, web-4: ImagePullBackOff: ...`. */
function together(causes: readonly string[]): readonly string[] {
  const unitsByText = new Map<string, string[]>();
  for (const cause of new Set(causes)) {
    const [named = ""] = cause.split(": ", 1);
    const text = cause.slice(named.length);
    // A cause that is quoted from another condition may name several units already.
    const units = text === "" ? [named] : named.split(", ");
    unitsByText.set(text, [...(unitsByText.get(text) ?? []), ...units]);
  }
  return [...unitsByText].flatMap(([text, units]) =>
    text === "" ? units : [`${aFew([...new Set(units)])}${text}`],
  );
}

const stallCodes: ReadonlySet<string> = new Set(["ProgressDeadlineExceeded", "NoBudget"]);
const restReasons: Readonly<Record<string, string>> = { PartitionReached: "AtPartition" };

export function rolloutState({ kind, reason: { code, message } }: Decision): RolloutState {
  if (stallCodes.has(code)) return { phase: "stalled", reason: code, message };
  const phase = kind === "done" || code === "Paused" ? "resting" : "moving";
  return { phase, reason: restReasons[code] ?? code, message };
}

const failed = ", but that failed: ";

/** What was tried, and what the server answered. */
export const failedStep = (tried: string, answer: string): string => `${tried}${failed}${answer}`;

const refusedPod = /^pods "([^"]+)" is forbidden: (.+)$/s;

/**
 * Pods that the server refused to create are causes like any other: `web-1: not created: exceeded quota: pods`. So they
 * are quoted on every level, and those with the same cause share it. Undefined where something else failed.
 */
export function refusedPodIn(failedText: string): string | undefined {
  const [tried = "", answer = ""] = failedText.split(failed, 2);
  const [, pod, why] = tried.startsWith("creating ") ? (refusedPod.exec(answer) ?? []) : [];
  return pod === undefined ? undefined : `${pod}: not created: ${why}`;
}

/** A step that was refused is no progress: it is said with what was answered, and stalls with the deadline. */
export function refusedStep(
  state: RolloutState,
  refusal: string,
  { nowMs, deadline }: { readonly nowMs: number; readonly deadline: Deadline },
): RolloutState & Pick<RolloutReport, "causes"> {
  const text = failedStep(state.message, refusal);
  const pod = refusedPodIn(text);
  const [message, causes] = pod === undefined ? [text, []] : [state.message, [pod]];
  const { lastProgressAtMs, afterMs } = deadline;
  if (state.phase !== "moving" || nowMs < lastProgressAtMs + afterMs)
    return { ...state, message, causes };
  return {
    phase: "stalled",
    reason: "ProgressDeadlineExceeded",
    message: `no progress since ${timeText(lastProgressAtMs)}: ${message}`,
    causes,
  };
}

/** How many units must be available at any moment: one at least, and all where updates take nothing down. */
export function neededUnits({ kind, budget }: Policy, desired: number): number {
  if (kind === "onDelete") return desired;
  return Math.max(Math.min(1, desired), desired - budget.maxUnavailable);
}

export function rolloutConditions(report: RolloutReport): ConditionText[] {
  const { phase, reason, causes } = report;
  const message = withCauses(report.message, causes);
  const progress = { status: phase === "moving" ? "True" : "False", reason, message } as const;
  const { available, progressing, reconciling, stalled } = rolloutConditionTypes;
  return [
    { type: available, ...availability(report) },
    { type: progressing, ...progress },
    { type: reconciling, ...progress },
    phase === "stalled"
      ? { type: stalled, status: "True", reason, message }
      : { type: stalled, status: "False", ...(overdue[reason] ?? notStalled[phase]) },
  ];
}

const notStalled = {
  moving: { reason: "Moving", message: "it moves, or what it waits for is not overdue yet" },
  resting: { reason: "AtRest", message: "it is at rest: nothing is overdue" },
} as const;

/** Of a part whose owner takes back what it waits for. */
export const awaitingRollbackReason = "AwaitingRollback";

const overdue: Readonly<Record<string, { readonly reason: string; readonly message: string }>> = {
  [awaitingRollbackReason]: {
    reason: awaitingRollbackReason,
    message: "what it waits for is overdue, and is rolled back by its owner",
  },
};

function availability(report: RolloutReport): Omit<ConditionText, "type"> {
  const { available, needed, desired, noun, served = "available", causes } = report;
  const nouns = desired === 1 ? noun : `${noun}s`;
  const counted = `${available} of ${desired} ${nouns} ${served}`;
  if (available >= needed) return { status: "True", reason: "MinimumAvailable", message: counted };
  const message = withCauses(`${counted}, ${needed} needed`, causes);
  return { status: "False", reason: "MinimumUnavailable", message };
}

/** A person holds it, or its owner does: it does not move again. */
const heldReasons: ReadonlySet<string> = new Set(["Paused", "AwaitingTurn"]);

/** Whether the answer to "is it stuck" is another one than before. */
export const stallTurns = (before: WithConditions | undefined, after: WithConditions): boolean =>
  isConditionTrue(before, rolloutConditionTypes.stalled) !==
  isConditionTrue(after, rolloutConditionTypes.stalled);

/**
 * A Warning when a rollout stalls, and an event when it moves again, without the causes: what a part said of itself
 * while it was stuck may be over. Whoever pauses it knows.
 */
export function stallEvents(
  before: WithConditions | undefined,
  after: WithConditions,
): readonly EventText[] {
  if (!stallTurns(before, after)) return [];
  const { stalled, progressing } = rolloutConditionTypes;
  if (isConditionTrue(after, stalled)) {
    return [
      { type: "Warning", reason: "Stalled", message: conditionOf(after, stalled)?.message ?? "" },
    ];
  }
  const { reason, message = "" } = conditionOf(after, progressing) ?? {};
  if (heldReasons.has(reason ?? "")) return [];
  const [sentence = ""] = message.split("; ", 1);
  return [{ type: "Normal", reason: "Resumed", message: sentence }];
}
