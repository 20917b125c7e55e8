/** What a decision about a set means for the API. Pure. */
import { roleBasedGroupResource } from "../../../api/rbg/rolebasedgroup.ts";
import type { Action, Decision } from "../../../planner/index.ts";
import type { Write, WritePlan } from "../../engine/write.ts";
import { createOf, deletesOf, updateOf } from "../../engine/write.ts";
import { newMember, updatedMember } from "./member.ts";
import type { Observed } from "./observe.ts";

export function setWrites(observed: Observed, { actions }: Decision): WritePlan {
  const all: readonly Action[] = actions;
  return {
    sideBySide: all.flatMap((action) => writesOf(observed, action)),
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
