/** Assesses a spec where its definition cannot: what is wrong with it, and which settings have no effect. */
import { conditionTypes } from "../../../api/grove/conditions.ts";
import type { PodCliqueSet, PodCliqueSetStatus } from "../../../api/grove/podcliqueset.ts";
import { broaderThanAround, idlePreferences } from "../../../api/grove/topology.ts";
import { warningsOf } from "../../../api/grove/warnings.ts";
import { fieldErrorText } from "../../../api/field-error.ts";
import type { EventText } from "../../../runtime/event-recorder.ts";
import { specProblems } from "../accepted-spec.ts";
import type { ConditionText } from "../../engine/conditions.ts";
import { conditionOf, mergeConditions } from "../../engine/conditions.ts";
import { memoizeByIdentity } from "../../engine/memoize.ts";
import type { RolloutState } from "../../engine/rollout-conditions.ts";
import { rolloutConditions } from "../../engine/rollout-conditions.ts";
import { idleReplicas } from "./idle-replicas.ts";
import type { Observed } from "./observe.ts";
import { bindingOf } from "./topology-condition.ts";

export interface Acceptance {
  readonly isAccepted: boolean;
  readonly condition: ConditionText;
}

export function assessSpec(observed: Observed): Acceptance {
  const { set, spec } = observed;
  const levels = topologyLevels(observed);
  const misfits = broaderThanAround(spec.template, levels);
  // A binding may change under a set that runs: that is no reason to stop looking after it.
  const isNew = set.status?.currentGenerationHash === undefined;
  const problems = [...specProblems(set), ...(isNew ? misfits : [])].map(fieldErrorText);
  const warnings = [
    ...idleSettings(set),
    ...(isNew ? [] : misfits.map(fieldErrorText)),
    ...idlePreferences(spec.template, levels),
    ...idleReplicas(observed),
  ];
  const isAccepted = problems.length === 0;
  const inForce = isNew ? "nothing is created" : "the last accepted spec stays in force";
  return { isAccepted, condition: acceptedCondition(problems, warnings, inForce) };
}

const idleSettings = memoizeByIdentity((set: PodCliqueSet) => warningsOf(set));

const topologyLevels = (observed: Observed): readonly string[] =>
  bindingOf(observed)?.spec.levels.map(({ domain }) => domain) ?? [];

const listedAtMost = 10;

function acceptedCondition(
  problems: readonly string[],
  warnings: readonly string[],
  /** While the spec is rejected. */
  inForce: string,
): ConditionText {
  const type = conditionTypes.specAccepted;
  const listed = (texts: readonly string[]): string => texts.slice(0, listedAtMost).join("; ");
  if (problems.length > 0) {
    const message = `${inForce} until this is corrected: ${listed(problems)}`;
    return { type, status: "False", reason: "Invalid", message };
  }
  if (warnings.length > 0) {
    return { type, status: "True", reason: "SettingsWithoutEffect", message: listed(warnings) };
  }
  return { type, status: "True", reason: "Accepted", message: "the spec is accepted" };
}

/** One event for each thing there is to say: what the status says already was reported before. */
export function acceptanceEvents(
  { set }: Observed,
  { isAccepted, condition }: Acceptance,
): readonly EventText[] {
  const before = conditionOf(set.status, conditionTypes.specAccepted);
  const { message = "", reason = "" } = condition;
  if (before?.message === message) return [];
  if (!isAccepted) return [{ type: "Warning", reason: "SpecRejected", message }];
  if (reason === "SettingsWithoutEffect") return [{ type: "Warning", reason, message }];
  return before?.status === "False" ? [{ type: "Normal", reason: "SpecAccepted", message }] : [];
}

/** Only a person can correct a spec, so a set with a rejected one is stalled. */
export const rejectedState = ({ isAccepted, condition }: Acceptance): RolloutState | undefined =>
  isAccepted
    ? undefined
    : { phase: "stalled", reason: "SpecRejected", message: condition.message ?? "" };

/** The status as it was, with what is wrong: nothing else was assessed, and nothing was ever created. */
export function rejectedStatus(
  { set, spec, nowMs }: Observed,
  acceptance: Acceptance,
): PodCliqueSetStatus {
  const state = rejectedState(acceptance);
  const amounts = { available: 0, needed: 1, desired: spec.replicas, noun: "replica", causes: [] };
  const ours = [
    acceptance.condition,
    ...(state === undefined ? [] : rolloutConditions({ ...state, ...amounts })),
  ];
  return {
    ...set.status,
    observedGeneration: set.metadata.generation ?? 0,
    conditions: mergeConditions(set.status?.conditions, ours, nowMs),
  };
}
