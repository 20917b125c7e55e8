/** Two gauges per set: how many pods may be down, and how many are. They go when the set goes. */
import type { LabelledGauge, OperatorMetrics } from "../../runtime/metrics.ts";
import type { OwnerMemory } from "../engine/per-owner.ts";
import type { Observed } from "./observe.ts";
import type { RolloutPlan } from "./plan.ts";
import { desiredReplicas } from "./policy.ts";

export interface StatefulSetGauges {
  show(observed: Observed, planned: RolloutPlan): void;
}

const labelNames = ["statefulset_namespace", "statefulset_name", "pod_management_policy"] as const;
const noGauge: LabelledGauge = { set: () => undefined, remove: () => undefined };

export function statefulSetGauges(
  memory: OwnerMemory,
  make: OperatorMetrics["gauge"] = () => noGauge,
): StatefulSetGauges {
  const allowed = make(
    "statefulset_controller_statefulset_max_unavailable",
    "Pods of a StatefulSet that may be unavailable during an update.",
    labelNames,
  );
  const down = make(
    "statefulset_controller_statefulset_unavailable_replicas",
    "Pods of a StatefulSet that are unavailable now.",
    labelNames,
  );
  const shown = memory.perOwner<{ labels?: Readonly<Record<string, string>> }>(
    () => ({}),
    ({ labels }) => {
      if (labels === undefined) return;
      allowed.remove(labels);
      down.remove(labels);
    },
  );
  return {
    show({ set }, { pods, policy }) {
      const { namespace = "", name = "" } = set.metadata;
      const [ofNamespace, ofName, ofPolicy] = labelNames;
      const labels = {
        [ofNamespace]: namespace,
        [ofName]: name,
        [ofPolicy]: set.spec.podManagementPolicy ?? "OrderedReady",
      };
      shown.of(set).labels = labels;
      const serving = pods.filter(
        ({ health, isCondemned }) => health.health === "available" && !isCondemned,
      );
      allowed.set(labels, policy.kind === "onDelete" ? 1 : policy.budget.maxUnavailable);
      down.set(labels, desiredReplicas(set) - serving.length);
    },
  };
}
