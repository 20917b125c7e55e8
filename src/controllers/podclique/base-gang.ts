/** The gang that pods of a scaled gang wait for: whether it has been scheduled, by its status and by its pods. */
import { conditionTypes } from "../../api/grove/conditions.ts";
import type { PodGang } from "../../api/grove/podgang.ts";
import type { Pod } from "../../api/pod.ts";
import { isScheduled } from "../pod-health.ts";

export interface BaseGang {
  readonly name: string;
  readonly object: PodGang | undefined;
  /** Whether anybody of it is on a node, by its pods: its status may be late. */
  readonly isOnNodes: boolean;
}

export const isOnNode = (pod: Pod): boolean =>
  isScheduled(pod) && pod.metadata.deletionTimestamp === undefined;

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
  gang?.status?.conditions?.some(
    ({ type, status }) => type === conditionTypes.podGangScheduled && status === "True",
  ) ?? false;
