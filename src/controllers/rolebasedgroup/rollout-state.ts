/** Where the rollout of a coordination, or of a role on its own, stands: for conditions, status and events. Pure. */
import type { CoordinationDecision } from "../../planner/index.ts";
import type { RolloutState } from "../engine/rollout-conditions.ts";
import type { GroupRevision } from "./group-revisions.ts";
import type { Observed } from "./observe.ts";
import type { GroupPlan } from "./plan.ts";
import type { RoleState, StateWord } from "./role-state.ts";
import { ownRolloutOf, refusedState, restWords, roleState } from "./role-state.ts";
import type { Rollout } from "./rollouts.ts";
import { stallOf } from "./stall.ts";

export interface RolloutStand extends RolloutState {
  readonly state: StateWord;
  readonly roles: readonly RoleState[];
  /** What keeps units from serving, the gravest first. */
  readonly causes: readonly string[];
}

export function standOf(
  observed: Observed,
  rollout: Rollout,
  { waiting, target }: Pick<GroupPlan, "waiting" | "target">,
): RolloutStand {
  const roles = haltedByFailing(
    rollout.roles.map(
      (each) => refusedState(each, observed) ?? roleState(each, rollout, { waiting, target }),
    ),
    rollout.decision,
  );
  const causes = rollout.roles.flatMap(({ seen }) => seen.causes);
  const state = wholeState(rollout.decision, roles);
  const message = sentenceOf(rollout, roles, target);
  const phase = phaseOf(state, rollout.decision);
  const sentence = rollout.decision?.reason.message ?? message;
  const stall = phase === "moving" ? stallOf(observed, rollout, { sentence, target }) : undefined;
  if (stall !== undefined) return { phase: "stalled", ...stall, state, roles, causes };
  const isStarting = rollout.roles.some(({ role }) => waiting.has(role.name));
  const reason = reasonOf(state, phase);
  const isBlocked = reason === "WaitsForDependencies" && !isStarting;
  return {
    phase,
    reason: isBlocked ? "WaitsForOldWorkload" : reason,
    message,
    state,
    roles,
    causes,
  };
}

/** What a failing role holds back is not merely on its way. */
function haltedByFailing(
  roles: readonly RoleState[],
  decision: CoordinationDecision | undefined,
): readonly RoleState[] {
  const failing = new Set(roles.filter(({ state }) => state === "Failing").map(({ role }) => role));
  return roles.map((each) => {
    const partner = decision?.roles.find(({ role }) => role === each.role)?.waitsForRole;
    const isHalted = each.state === "Progressing" && partner !== undefined && failing.has(partner);
    return isHalted ? { ...each, state: "Waiting" } : each;
  });
}

/** A failing role names the whole. */
function wholeState(
  decision: CoordinationDecision | undefined,
  roles: readonly RoleState[],
): StateWord {
  const has = (state: StateWord): boolean => roles.some((each) => each.state === state);
  if (has("Failing")) return "Failing";
  const stopped = decision === undefined ? undefined : restWords[decision.reason.code];
  if (has("Waiting") || has("Starting")) return has("Starting") ? "Starting" : "Waiting";
  if (stopped !== undefined) return stopped;
  if (roles.every(({ state }) => state === "Completed")) return "Completed";
  return has("Paused") ? "Paused" : "Progressing";
}

function sentenceOf(rollout: Rollout, roles: readonly RoleState[], target: GroupRevision): string {
  const { decision, name, coordination } = rollout;
  // What the decision is about is in its own sentence.
  const isDecided = (name: string): boolean =>
    decision?.roles.some(({ role }) => role === name) === true;
  const refused = roles.filter(({ message }) => message.includes(" is refused: "));
  const parts = roles
    .filter(({ role }) => !isDecided(role))
    .filter(({ state }) => state === "Waiting" || state === "Starting")
    .map(({ message }) => message);
  const decided = decision === undefined ? [] : [decision.reason.message];
  const own = rollout.roles.flatMap((role) => ownRolloutOf(role, target)?.message ?? []);
  const text = [...refused.map(({ message }) => message), ...parts, ...decided, ...own].join("; ");
  return coordination === undefined ? text : `${name}: ${text}`;
}

function phaseOf(
  state: StateWord,
  decision: CoordinationDecision | undefined,
): RolloutState["phase"] {
  // A pause of some seconds ends by itself.
  if (decision?.reason.code === "StepPause") return "moving";
  const rests: readonly StateWord[] = ["Paused", "AwaitingPromotion", "AtPartition", "Completed"];
  return rests.includes(state) ? "resting" : "moving";
}

function reasonOf(state: StateWord, phase: RolloutState["phase"]): string {
  switch (state) {
    case "Completed":
      return "RolledOut";
    case "Failing":
      return "RoleFailing";
    case "Waiting":
      return "WaitsForDependencies";
    case "Paused":
      return phase === "moving" ? "StepPause" : "Paused";
    case "Starting":
    case "Progressing":
      return "RollingOut";
    case "AwaitingPromotion":
    case "AtPartition":
      return state;
  }
}
