/** One gauge per add-on: on how many clusters it is selected, installed, available and failed. Gone with the add-on. */
import type { LabelledGauge, OperatorMetrics } from "../../runtime/metrics.ts";
import type { OwnerMemory } from "../engine/per-owner.ts";
import type { ClusterManagementAddOn } from "../../api/ocm/addon.ts";
import type { AddOnCounts } from "./status.ts";

export interface AddOnGauges {
  show(management: ClusterManagementAddOn, counts: AddOnCounts): void;
}

const states = ["selected", "installed", "available", "failed"] as const;
const noGauge: LabelledGauge = { set: () => undefined, remove: () => undefined };

export function addOnGauges(
  memory: OwnerMemory,
  make: OperatorMetrics["gauge"] = () => noGauge,
): AddOnGauges {
  const clusters = make("lockstep_addon_clusters", "Clusters of an add-on by state.", [
    "addon",
    "state",
  ]);
  const shown = memory.perOwner<{ addon?: string }>(
    () => ({}),
    ({ addon }) => {
      if (addon === undefined) return;
      for (const state of states) clusters.remove({ addon, state });
    },
  );
  return {
    show(management, counts) {
      const { name: addon = "" } = management.metadata;
      shown.of(management).addon = addon;
      for (const state of states) clusters.set({ addon, state }, counts[state]);
    },
  };
}
