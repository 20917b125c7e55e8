/** How far an add-on is on its cluster, by the conditions that its agent reports. */
import type { Condition } from "../../api/apps.ts";
import type { ManagedClusterAddOn } from "../../api/ocm/addon.ts";
import { isTerminating } from "../../api/object.ts";
import type { KnownCluster } from "../../planner/index.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";

/**
 * Available is success, Degraded or a Progressing with a reason such as InstallFailed is failure; everything else
 * progresses, since it was created. One that is terminating has to go before another can come.
 */
export const knownCluster = memoizeByIdentity((addOn: ManagedClusterAddOn): KnownCluster => {
  const { namespace: name = "", creationTimestamp, deletionTimestamp } = addOn.metadata;
  const [available, degraded, progressing] = ["Available", "Degraded", "Progressing"].map((type) =>
    addOn.status?.conditions?.find((condition) => condition.type === type),
  );
  const state = (value: KnownCluster["state"], since: string | undefined): KnownCluster => ({
    name,
    state: value,
    ...timeOf(since),
  });
  if (isTerminating(addOn)) return state("Progressing", deletionTimestamp);
  if (degraded?.status === "True") return state("Failed", degraded.lastTransitionTime);
  if (isFailure(progressing)) return state("Failed", progressing?.lastTransitionTime);
  if (available?.status === "True") return state("Succeeded", available.lastTransitionTime);
  return state("Progressing", available?.lastTransitionTime ?? creationTimestamp);
});

const isFailure = (progressing: Condition | undefined): boolean =>
  progressing?.status === "False" && (progressing.reason ?? "").endsWith("Failed");

function timeOf(text: string | undefined): { sinceMs?: number } {
  const sinceMs = Date.parse(text ?? "");
  return Number.isNaN(sinceMs) ? {} : { sinceMs };
}

/** What the agent says, for messages: `Degraded: no such image`. */
export function troubleOf({ metadata, status }: ManagedClusterAddOn): string {
  const { namespace: cluster } = metadata;
  if (isTerminating({ metadata })) return `${cluster}: the old add-on is terminating`;
  const worst = ["Degraded", "Progressing", "Available"]
    .map((type) => status?.conditions?.find((condition) => condition.type === type))
    .find((condition) => condition !== undefined && condition.message !== "" && isBad(condition));
  if (worst === undefined) return `${cluster}: its agent has not reported Available yet`;
  return `${cluster}: ${worst.type} is ${worst.status}: ${worst.message}`;
}

const isBad = (condition: Condition): boolean =>
  condition.type === "Degraded"
    ? condition.status === "True"
    : condition.type === "Progressing"
      ? isFailure(condition)
      : condition.status !== "True";
