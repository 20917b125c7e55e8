/** Decides which groups of a set are made, updated and deleted. An update changes a group in place. */
import { isTerminating } from "../../../api/object.ts";
import { percentOf } from "../../../api/int-or-percent.ts";
import type { RoleBasedGroup } from "../../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../../api/rbg/rolebasedgroup.ts";
import type { RoleBasedGroupSet } from "../../../api/rbg/rolebasedgroupset.ts";
import { parseTime } from "../../../api/time-text.ts";
import type { Action, Budget, Decision, Unit } from "../../../planner/index.ts";
import {
  decide,
  nothingRequested,
  replicaRecreatePolicy,
  resolveBudget,
} from "../../../planner/index.ts";
import { isConditionTrue } from "../../engine/conditions.ts";
import { rolloutConditionTypes } from "../../engine/rollout-conditions.ts";
import type { Planned } from "../../engine/reconcile.ts";
import { mostCreates } from "../../engine/size-limits.ts";
import type { Write, WritePlan } from "../../engine/write.ts";
import { createOf, deletesOf, updateOf } from "../../engine/write.ts";
import { newMember, templateHashAnnotation, updatedMember } from "./member.ts";
import type { Member, Observed } from "./observe.ts";

export const annotationNames = {
  maxUnavailable: "lockstep.dev/max-unavailable",
  paused: "lockstep.dev/paused",
} as const;

export interface MemberState extends Member {
  readonly unit: Unit;
}

export interface GroupSetPlan extends Planned {
  readonly states: readonly MemberState[];
  readonly decision: Decision;
  readonly budget: Budget;
}

export const desiredGroups = ({ spec }: RoleBasedGroupSet): number => spec.replicas ?? 1;

export function plan(observed: Observed): GroupSetPlan {
  const { set, revision, members, nowMs } = observed;
  const states = members.map((member) => ({ ...member, unit: unitOf(member) }));
  const budget = budgetOf(set);
  const snapshot = {
    nowMs,
    rollout: {
      name: set.metadata.name ?? "",
      noun: "group" as const,
      targetRevision: revision,
      desired: desiredGroups(set),
      paused: set.metadata.annotations?.[annotationNames.paused] === "true",
    },
    units: states.map(({ unit }) => unit),
    requested: nothingRequested,
  };
  const decision = decide(snapshot, replicaRecreatePolicy(budget));
  return {
    states,
    decision,
    budget,
    phases: [setWrites(observed, decision)],
    requeueAfterMs: decision.recheckAfterMs,
  };
}

/** One group after the other, unless the annotation lets more of them change at once. */
function budgetOf(set: RoleBasedGroupSet): Budget {
  const written = set.metadata.annotations?.[annotationNames.maxUnavailable]?.trim() ?? "";
  const amount = percentOf(written) === undefined ? Number(written) : written;
  const isUsable = typeof amount === "string" || (Number.isInteger(amount) && amount > 0);
  return resolveBudget({ maxUnavailable: isUsable ? amount : 1 }, desiredGroups(set));
}

/**
 * A group serves once it is ready and at rest with the spec it was given: while it changes, the next one waits. A group
 * that stalls is broken, so that a new template reaches it first.
 */
function unitOf({ index, group }: Member): Unit {
  const { name = "", uid = "", creationTimestamp = "", annotations } = group.metadata;
  return {
    name,
    id: uid,
    ordinal: index,
    revision: annotations?.[templateHashAnnotation] ?? "",
    health: healthOf(group),
    scheduled: true,
    createdAtMs: parseTime(creationTimestamp) ?? 0,
  };
}

function healthOf(group: RoleBasedGroup): Unit["health"] {
  if (isTerminating(group)) return "terminating";
  const { status, metadata } = group;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return "pending";
  if (isConditionTrue(status, rolloutConditionTypes.stalled)) return "unavailable";
  const isAtRest = !isConditionTrue(status, rolloutConditionTypes.progressing);
  return isAtRest && isConditionTrue(status, "Ready") ? "available" : "pending";
}

/** What a decision about a set means for the API. */
function setWrites(observed: Observed, { actions }: Decision): WritePlan {
  const all: readonly Action[] = actions;
  // The groups that are made bring the set back for the rest.
  const begun = [
    ...all.filter(({ kind }) => kind === "create").slice(0, mostCreates),
    ...all.filter(({ kind }) => kind !== "create"),
  ];
  return {
    sideBySide: begun.flatMap((action) => writesOf(observed, action)),
    pace: { firstBatch: 1 },
  };
}

function writesOf({ set, revision, members }: Observed, action: Action): readonly Write[] {
  if (action.kind === "create") {
    return [createOf(roleBasedGroupResource, newMember(set, action.ordinal, revision))];
  }
  const member = members.find(({ group }) => group.metadata.uid === action.id);
  if (member === undefined) return [];
  if (action.kind === "delete") return deletesOf(roleBasedGroupResource, [member.group]);
  return [updateOf(roleBasedGroupResource, updatedMember(set, member.group, revision))];
}
