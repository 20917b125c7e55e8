/** The state of one replica of a scaling group: scheduled, whole, available. */
import { conditionOf } from "../../engine/conditions.ts";
import { isTerminating } from "../../../api/object.ts";
import { conditionTypes } from "../../../api/grove/conditions.ts";
import { parseTime } from "../../../api/time-text.ts";
import { breachedSinceMs } from "../breach.ts";
import { cliqueHealth } from "../clique-state.ts";
import type { GroupReplica } from "./observe.ts";

export const isScheduled = ({ members }: GroupReplica): boolean =>
  members.every(
    ({ object, scheduled, minAvailable }) =>
      object !== undefined && !isTerminating(object) && scheduled >= minAvailable,
  );

/** Scheduled with all it needs, and not breached: a replica that starts over does not count until it is back. */
export const isWhole = (replica: GroupReplica): boolean =>
  isScheduled(replica) &&
  replica.members.every(({ object }) => breachedSinceMs(object) === undefined);

export const isAvailable = (replica: GroupReplica): boolean =>
  isScheduled(replica) &&
  replica.members.every((member) => cliqueHealth(member, false) === "available");

/** Since when every member has had enough pods on nodes, by its own status; 0 where one does not say so. */
export const scheduledSinceMs = ({ members }: GroupReplica): number =>
  members
    .map(({ object }) => {
      const condition = conditionOf(object?.status, conditionTypes.podCliqueScheduled);
      return condition?.status === "True"
        ? (parseTime(condition.lastTransitionTime ?? "") ?? 0)
        : 0;
    })
    .reduce((a, b) => Math.min(a, b), Infinity);
