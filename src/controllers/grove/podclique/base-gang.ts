/** The gang that pods of a scaled gang wait for: whether it has been scheduled, by its status and by its pods. */
import { isTerminating } from "../../../api/object.ts";
import { conditionTypes } from "../../../api/grove/conditions.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import type { Pod } from "../../../api/pod.ts";
import type { Change } from "../../../runtime/cache.ts";
import { isConditionTrue } from "../../engine/conditions.ts";
import { isScheduled } from "../../engine/pod-health.ts";

export interface BaseGang {
  readonly name: string;
  readonly object: PodGang | undefined;
  /** Whether anybody of it is on a node, by its pods: its status may be late. */
  readonly isOnNodes: boolean;
}

export const isOnNode = (pod: Pod): boolean => isScheduled(pod) && !isTerminating(pod);

/**
 * Asks whether it was scheduled once, not whether it is complete now: a base gang may itself be in an update. One that
 * lost everybody starts over, and what its status says was of before.
 */
export const hasBeenScheduled = ({ object, isOnNodes }: BaseGang): boolean =>
  isOnNodes && saysScheduled(object);

/** Its status and its pods do not agree: one of them is late, and no event need come of that. */
export const isInDoubt = (base: BaseGang | undefined): boolean =>
  base !== undefined && !base.isOnNodes && saysScheduled(base.object);

const saysScheduled = (gang: PodGang | undefined): boolean =>
  isConditionTrue(gang?.status, conditionTypes.podGangScheduled);

/** Whether the cliques that wait for a gang may go on now, or have to wait again. */
export const hasFlipped = (change: Change<PodGang>): boolean =>
  change.type === "updated" && saysScheduled(change.old) !== saysScheduled(change.object);
