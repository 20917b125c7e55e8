/** Events of a group: one whenever a coordination, or the group as a whole, enters another state. Pure. */
import type {
  CoordinationState,
  RoleBasedGroup,
  RoleBasedGroupStatus,
} from "../../api/rbg/rolebasedgroup.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import { rolloutConditionTypes } from "../engine/rollout-conditions.ts";

/** The reason of the event for each state; states that only lead to another one have none. */
const reasons: Readonly<Record<string, string>> = {
  Starting: "RolloutStarted",
  Progressing: "RolloutProgressing",
  Waiting: "RolloutWaiting",
  Paused: "RolloutPaused",
  AwaitingPromotion: "RolloutAwaitsPromotion",
  Failing: "RoleFailing",
  AtPartition: "RolloutAtPartition",
  Completed: "RolloutCompleted",
};

export function groupEvents(
  { status: before }: RoleBasedGroup,
  after: RoleBasedGroupStatus,
): readonly EventText[] {
  const states = after.coordinationState ?? [];
  const coordinated = states.flatMap((state) => {
    const old = before?.coordinationState?.find(({ name }) => name === state.name);
    const isSame = old?.state === state.state && old.revision === state.revision;
    return isSame ? [] : [stateEvent(state)];
  });
  return [...coordinated, ...wholeEvent(before, after, coordinated.length > 0)];
}

function stateEvent(coordination: CoordinationState): EventText {
  const { name, state, promotion } = coordination;
  const message = state === "Failing" ? failureText(coordination) : coordination.message;
  const how =
    promotion === undefined
      ? ""
      : `; promote it with the annotation lockstep.dev/promote: ${promotion}`;
  return {
    type: state === "Failing" ? "Warning" : "Normal",
    reason: reasons[state] ?? state,
    message: `${message ?? name}${how}`,
  };
}

/** The roles that fail, with what keeps their pods from serving; what waits for them follows from that. */
function failureText({ name, message, progress = {} }: CoordinationState): string | undefined {
  const failing = Object.values(progress).filter(({ state }) => state === "Failing");
  const texts = failing.map((role) => role.message ?? "");
  return texts.length === 0 ? message : `${name}: ${texts.join("; ")}`;
}

/** Roles on their own are reported by what the whole group does. */
function wholeEvent(
  before: RoleBasedGroupStatus | undefined,
  after: RoleBasedGroupStatus,
  isReported: boolean,
): readonly EventText[] {
  const condition = (status: RoleBasedGroupStatus | undefined) =>
    status?.conditions?.find(({ type }) => type === rolloutConditionTypes.progressing);
  const [old, next] = [condition(before), condition(after)];
  if (next === undefined || isReported || old?.reason === next.reason) return [];
  const type = next.reason === "RoleFailing" ? "Warning" : "Normal";
  return [{ type, reason: next.reason ?? "", message: next.message ?? "" }];
}
