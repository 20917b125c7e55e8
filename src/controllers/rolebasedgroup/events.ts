/** Events of a group: one whenever a coordination, or the group as a whole, enters another state. Pure. */
import type {
  CoordinationState,
  RoleBasedGroup,
  RoleBasedGroupStatus,
} from "../../api/rbg/rolebasedgroup.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import { batchStrategy } from "./batch-state.ts";
import { rolloutConditionTypes } from "../engine/rollout-conditions.ts";

/** The reason of the event for each state; states that only lead to another one have none. */
const rolloutReasons: Readonly<Record<string, string>> = {
  Starting: "RolloutStarted",
  Progressing: "RolloutProgressing",
  Waiting: "RolloutWaiting",
  Paused: "RolloutPaused",
  AwaitingPromotion: "RolloutAwaitsPromotion",
  Failing: "RoleFailing",
  AtPartition: "RolloutAtPartition",
  Completed: "RolloutCompleted",
};

/** Where no other revision was there before, roles come up for the first time: nothing is rolled out. */
const reasonsFor = (
  { revision }: CoordinationState,
  old: CoordinationState | undefined,
): Readonly<Record<string, string>> =>
  old === undefined || old.revision === revision
    ? { ...rolloutReasons, Starting: "RolesStarting" }
    : rolloutReasons;

/** The same where roles are placed in batches. */
const batchReasons: Readonly<Record<string, string>> = {
  Progressing: "BatchesIncomplete",
  Waiting: "BatchesWaiting",
  Failing: "RoleFailing",
  Completed: "BatchesReady",
};

export function groupEvents(
  { status: before }: RoleBasedGroup,
  after: RoleBasedGroupStatus,
): readonly EventText[] {
  const states = after.coordinationState ?? [];
  const oldOf = (state: CoordinationState): CoordinationState | undefined =>
    before?.coordinationState?.find(({ name }) => name === state.name);
  const entered = states.filter((state) => {
    const old = oldOf(state);
    return old?.state !== state.state || old.revision !== state.revision;
  });
  const rolling = entered.filter((state) => !areBatches(state));
  return [
    ...rolling.map((state) => stateEvent(state, reasonsFor(state, oldOf(state)))),
    ...entered.filter(areBatches).map((state) => stateEvent(state, batchReasons)),
    ...wholeEvent(before, after, rolling.length > 0),
  ];
}

const areBatches = ({ progress = {} }: CoordinationState): boolean =>
  Object.values(progress).some(({ strategy }) => strategy === batchStrategy);

function stateEvent(
  coordination: CoordinationState,
  reasons: Readonly<Record<string, string>>,
): EventText {
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
