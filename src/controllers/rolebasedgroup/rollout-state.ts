/** Where the rollout of a coordination, or of a role on its own, stands: for conditions, status and events. Pure. */
import { parseTime, timeText } from "../../api/time-text.ts";
import type { CoordinationDecision, RoleDecision } from "../../planner/index.ts";
import { latestOf, movingSinceMs } from "../engine/progress-deadline.ts";
import type { RolloutState } from "../engine/rollout-conditions.ts";
import { withCauses } from "../engine/rollout-conditions.ts";
import type { GroupRevision } from "./group-revisions.ts";
import type { Observed, ObservedRole } from "./observe.ts";
import type { GroupPlan } from "./plan.ts";
import { refusalOf } from "./refusals.ts";
import type { OwnRollout, RolePod } from "./role-workload.ts";
import type { Rollout } from "./rollouts.ts";

/** As `status.coordinationState` spells it, of a coordination and of each of its roles. */
export type StateWord =
  | "Starting"
  | "Progressing"
  | "Waiting"
  | "Paused"
  | "AwaitingPromotion"
  | "Failing"
  | "AtPartition"
  | "Completed";

export interface RoleState {
  readonly role: string;
  readonly state: StateWord;
  readonly message: string;
}

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

/** What the API server does not accept comes before everything that would follow. */
function refusedState(place: ObservedRole, { refusal }: Observed): RoleState | undefined {
  const found = refusalOf(place, refusal);
  if (found === undefined) return undefined;
  const { name: role } = place.role;
  return { role, state: "Failing", message: `${role} is refused: ${found.message}` };
}

function roleState(
  { role, seen }: ObservedRole,
  { decision }: Rollout,
  { waiting, target }: Pick<GroupPlan, "waiting" | "target">,
): RoleState {
  const { name } = role;
  const dependencies = waiting.get(name);
  if (dependencies !== undefined) {
    const are = dependencies.length === 1 ? "is" : "are";
    const message = `${name} is started once ${dependencies.join(" and ")} ${are} ready`;
    return { role: name, state: "Waiting", message };
  }
  if (!seen.exists) return { role: name, state: "Starting", message: `${name} is started` };
  if (seen.isTerminating) {
    return {
      role: name,
      state: "Waiting",
      message: `${name} waits for its old workload to be gone`,
    };
  }
  const own = ownRolloutOf({ role, seen }, target);
  if (own !== undefined) {
    const moving = isFailing(seen) ? "Failing" : "Progressing";
    const message = withCauses(own.message, seen.causes);
    return { role: name, state: ownStates[own.stand] ?? moving, message };
  }
  const decided = decision?.roles.find((each) => each.role === name);
  if (decided === undefined)
    return { role: name, state: "Starting", message: `${name} is started` };
  return decidedState(decided, seen);
}

/** What is said of another template says nothing of the one that it gets now. */
function ownRolloutOf(
  { role: { name }, seen }: Pick<ObservedRole, "role" | "seen">,
  { roleHashes }: GroupRevision,
): OwnRollout | undefined {
  const hash = roleHashes[name];
  if (seen.ownRollout === undefined || seen.templateRevision === hash) return seen.ownRollout;
  return { stand: "begins", message: `${name} starts to move to revision ${hash}` };
}

const ownStates: Readonly<Partial<Record<OwnRollout["stand"], StateWord>>> = {
  begins: "Progressing",
  done: "Completed",
  paused: "Paused",
};

/** Old pods may be broken as well; those are about to be replaced. */
const newPods = ({ pods, templateRevision }: ObservedRole["seen"]): readonly RolePod[] =>
  pods.filter(({ revision }) => revision === templateRevision);

const isFailing = (seen: ObservedRole["seen"]): boolean =>
  newPods(seen).some(({ health }) => health.trouble !== undefined);

function decidedState(decided: RoleDecision, seen: ObservedRole["seen"]): RoleState {
  const { role, reason } = decided;
  const message = withCauses(reason.message, seen.causes);
  const state = restWords[reason.code];
  if (state !== undefined) return { role, state, message };
  if (reason.code === "Starting") return { role, state: "Starting", message };
  const isBlocked = reason.code === "KeptUnitDown";
  return { role, state: isBlocked || isFailing(seen) ? "Failing" : "Progressing", message };
}

const restWords: Readonly<Partial<Record<RoleDecision["reason"]["code"], StateWord>>> = {
  Paused: "Paused",
  StepPause: "Paused",
  AwaitsPromotion: "AwaitingPromotion",
  PartitionReached: "AtPartition",
  RolledOut: "Completed",
};

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
    .filter(({ state }) => state === "Waiting" || (state === "Starting" && decision === undefined))
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

interface Waiting {
  /** What it waits for. */
  readonly sentence: string;
  readonly target: GroupRevision;
}

function stallOf(
  observed: Observed,
  rollout: Rollout,
  { sentence, target }: Waiting,
): Pick<RolloutState, "reason" | "message"> | undefined {
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
  const leftMs = stallsInMs(observed, rollout, target);
  if (leftMs > 0) return undefined;
  // Said as a time, because a duration would be wrong as soon as it is written down.
  const sinceMs = observed.nowMs + leftMs - rollout.deadlineSeconds * 1000;
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
