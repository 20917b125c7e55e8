/** Notices a maxUnavailable that a user wrote and the API server dropped because its feature gate is off. */
import type { StatefulSet } from "../../api/apps.ts";
import { annotationNames } from "./annotations.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

export function droppedField(set: StatefulSet): string | undefined {
  const rolling = set.spec.updateStrategy?.rollingUpdate;
  if (rolling?.maxUnavailable !== undefined) return undefined;
  if (set.metadata.annotations?.[annotationNames.maxUnavailable] !== undefined) return undefined;
  const wanted = appliedMaxUnavailable(set.metadata.annotations?.[lastApplied]);
  if (wanted === undefined) return undefined;
  return (
    `spec.updateStrategy.rollingUpdate.maxUnavailable: ${wanted} was dropped by the API server, whose feature gate ` +
    `MaxUnavailableStatefulSet is off; one pod at a time is replaced. ` +
    `Set the annotation ${annotationNames.maxUnavailable}: "${wanted}" instead`
  );
}

function appliedMaxUnavailable(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const applied = JSON.parse(text) as Partial<StatefulSet>;
    const amount = applied.spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
    return amount === undefined ? undefined : String(amount);
  } catch {
    return undefined;
  }
}
