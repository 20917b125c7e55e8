/** The grace period of a deletion. Only pods have one: the kubelet ends it by deleting with 0. */
import type { KubeObject } from "../../api/object.ts";
import { groupResource } from "../../api/resource.ts";
import type { ServedResource } from "../served-resource.ts";
import type { DeletionRequest } from "./delete-options.ts";

export interface Grace {
  readonly seconds: number;
  /** The object is terminating already, and this request does not shorten its grace period. */
  readonly isPending: boolean;
  /** The kind passes through a terminating state even when no time is left. */
  readonly isGraceful: boolean;
}

const immediate: Grace = { seconds: 0, isPending: false, isGraceful: false };

export function graceFor(
  resource: ServedResource,
  object: KubeObject,
  { graceSeconds }: DeletionRequest,
): Grace {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp !== undefined && deletionGracePeriodSeconds !== undefined) {
    const isShorter = graceSeconds !== undefined && graceSeconds < deletionGracePeriodSeconds;
    const seconds = isShorter ? graceSeconds : deletionGracePeriodSeconds;
    return { seconds, isPending: !isShorter, isGraceful: isPod(resource) };
  }
  if (!isPod(resource)) return immediate;
  return { seconds: podGraceSeconds(object, graceSeconds), isPending: false, isGraceful: true };
}

/** Go counts nanoseconds in 64 bits, which overflow: an absurd period ends some time within 292 years, or has ended. */
export const durationMs = (seconds: number): number =>
  Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);

function isPod(resource: ServedResource): boolean {
  return groupResource(resource) === "pods";
}

const defaultGraceSeconds = 30;

/** A pod that has no node or has ended does not have to be stopped. */
function podGraceSeconds(pod: KubeObject, asked: number | undefined): number {
  const spec = (pod["spec"] ?? {}) as {
    nodeName?: string;
    terminationGracePeriodSeconds?: number;
  };
  const { phase } = (pod["status"] ?? {}) as { phase?: string };
  if ((spec.nodeName ?? "") === "" || phase === "Failed" || phase === "Succeeded") return 0;
  const seconds = asked ?? spec.terminationGracePeriodSeconds ?? defaultGraceSeconds;
  return seconds < 0 ? 1 : seconds;
}
