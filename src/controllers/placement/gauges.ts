/** Two gauges per Placement while its decisions list more than their own clusters; they go when the surge is over. */
import { clustersOf } from "../../api/ocm/placement.ts";
import type { LabelledGauge, OperatorMetrics } from "../../runtime/metrics.ts";
import type { OwnerMemory } from "../engine/per-owner.ts";
import { homesOf } from "./decision-objects.ts";
import type { Observed } from "./observe.ts";
import type { DecisionPlan } from "./plan.ts";

export interface PlacementGauges {
  show(observed: Observed, planned: DecisionPlan): void;
}

const labelNames = ["placement_namespace", "placement_name"] as const;
const noGauge: LabelledGauge = { set: () => undefined, remove: () => undefined };

interface Shown {
  labels?: Readonly<Record<string, string>> | undefined;
  sinceMs?: number | undefined;
}

export function placementGauges(
  memory: OwnerMemory,
  make: OperatorMetrics["gauge"] = () => noGauge,
): PlacementGauges {
  const surged = make(
    "lockstep_placement_surged_decisions",
    "PlacementDecisions that list clusters beside their own while clusters move.",
    labelNames,
  );
  const started = make(
    "lockstep_placement_surge_start_timestamp_seconds",
    "When the surge of a Placement began, in seconds since 1970: time() minus it is the surge's age.",
    labelNames,
  );
  const clear = (shown: Shown): void => {
    if (shown.labels === undefined) return;
    surged.remove(shown.labels);
    started.remove(shown.labels);
    shown.labels = undefined;
    shown.sinceMs = undefined;
  };
  const all = memory.perOwner<Shown>(() => ({}), clear);
  return {
    show(observed, planned) {
      const shown = all.of(observed.placement);
      const count = surgedDecisions(observed, planned);
      if (count === 0) return clear(shown);
      const { namespace = "", name = "" } = observed.placement.metadata;
      shown.labels = { [labelNames[0]]: namespace, [labelNames[1]]: name };
      shown.sinceMs ??= observed.nowMs;
      surged.set(shown.labels, count);
      started.set(shown.labels, shown.sinceMs / 1000);
      return undefined;
    },
  };
}

/** Decisions that list a cluster whose home is, or will be, another one. */
function surgedDecisions({ decisions }: Observed, { decided }: DecisionPlan): number {
  if (decided.kind === "done") return 0;
  // Where the selection fails nobody knows the homes, and whatever lists a cluster twice stays as it is.
  const homes = homesOf(decided.kind === "write" ? decided.planned : []);
  const listed = new Map<string, number>();
  for (const cluster of decisions.flatMap(clustersOf)) {
    listed.set(cluster, (listed.get(cluster) ?? 0) + 1);
  }
  return decisions.filter((decision) =>
    clustersOf(decision).some(
      (cluster) => (listed.get(cluster) ?? 0) > 1 && homes.get(cluster) !== decision.metadata.name,
    ),
  ).length;
}
