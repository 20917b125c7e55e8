/** Where one role of a rollout stands, in a word and a sentence. Pure. */
import type { RoleDecision } from "../../planner/index.ts";
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

/** What the API server does not accept comes before everything that would follow. */
export function refusedState(place: ObservedRole, { refusal }: Observed): RoleState | undefined {
  const found = refusalOf(place, refusal);
  if (found === undefined) return undefined;
  const { name: role } = place.role;
  return { role, state: "Failing", message: `${role} is refused: ${found.message}` };
}

export function roleState(
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
export function ownRolloutOf(
  { role: { name }, seen }: Pick<ObservedRole, "role" | "seen">,
  { name: targetName, roleHashes }: GroupRevision,
): OwnRollout | undefined {
  const hash = roleHashes[name];
  if (seen.ownRollout === undefined || seen.templateRevision === hash) return seen.ownRollout;
  return { stand: "begins", message: `${name} starts to move to revision ${targetName}` };
}

const ownStates: Readonly<Partial<Record<OwnRollout["stand"], StateWord>>> = {
  begins: "Progressing",
  done: "Completed",
  paused: "Paused",
};

/** Old pods may be broken as well; those are about to be replaced. */
export const newPods = ({ pods, templateRevision }: ObservedRole["seen"]): readonly RolePod[] =>
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

/** Of a role, and of all together, where the decision says that they rest. */
export const restWords: Readonly<Partial<Record<RoleDecision["reason"]["code"], StateWord>>> = {
  Paused: "Paused",
  StepPause: "Paused",
  AwaitsPromotion: "AwaitingPromotion",
  PartitionReached: "AtPartition",
  RolledOut: "Completed",
};
