/** Refuses sets that ask for more pods or claims, or for higher ordinals, than can be looked after. Pure. */
import type { StatefulSet } from "../../api/apps.ts";
import { sizeProblem, tooLargeText } from "../engine/size-limits.ts";
import { highestOrdinal } from "./identity.ts";
import { desiredReplicas } from "./policy.ts";

export function tooLarge(set: StatefulSet): string | undefined {
  const replicas = desiredReplicas(set);
  const start = set.spec.ordinals?.start ?? 0;
  const claims = (set.spec.volumeClaimTemplates ?? []).length;
  const problem =
    sizeProblem("spec.replicas", replicas, "pods") ??
    sizeProblem("spec.volumeClaimTemplates", replicas * claims, "claims");
  if (problem !== undefined || start + replicas - 1 <= highestOrdinal) return problem;
  return tooLargeText(
    `spec.ordinals.start ${start} gives pods ordinals above ${highestOrdinal}, the highest possible`,
  );
}
