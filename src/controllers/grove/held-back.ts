/** Why a clique keeps pods from the scheduler: it says so in its condition, and others quote that. */
import type { WithConditions } from "../engine/conditions.ts";
import { conditionOf } from "../engine/conditions.ts";
import { conditionTypes } from "../../api/grove/conditions.ts";
import { annotationKeys } from "../../api/grove/labels.ts";
import type { KubeObject } from "../../api/object.ts";

const before = " held back: ";

/** `3 held back: their PodGang does not exist yet`; `2 are held back: ...` as a sentence. */
export const heldBackText = (count: number, reason: string, verb = ""): string =>
  `${count}${verb}${before}${reason}`;

/** Undefined where it keeps none, or has yet to say so. */
export const heldBackReason = ({
  status,
}: {
  readonly status?: WithConditions;
}): string | undefined =>
  conditionOf(status, conditionTypes.podCliqueScheduled)?.message?.split(before, 2)[1];

/** Whether a set lets its gangs go although they do not fit. */
export const isGangFitIgnored = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[annotationKeys.gangFit] === "Ignore";
