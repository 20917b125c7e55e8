/** Two gauges per set: how many pods may be down, and how many are. They go when the set goes. */
import type { LabelledGauge, OperatorMetrics } from "../../runtime/metrics.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { desiredReplicas } from "./policy.ts";

export type GaugeFactory = OperatorMetrics["gauge"];

export interface SetGauges {
  show(key: string, observed: Observed, plan: Plan): void;
  forget(key: string): void;
}

const labelNames = ["statefulset_namespace", "statefulset_name", "pod_management_policy"] as const;
const noGauge: LabelledGauge = { set: () => undefined, remove: () => undefined };

export function setGauges(make: GaugeFactory = () => noGauge): SetGauges {
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
  const shown = new Map<string, Record<string, string>>();
  const forget = (key: string): void => {
    const labels = shown.get(key);
    if (labels === undefined) return;
    allowed.remove(labels);
    down.remove(labels);
    shown.delete(key);
  };
  return {
    forget,
    show(key, { set }, { pods, policy }) {
      const { namespace = "", name = "" } = set.metadata;
      const [ofNamespace, ofName, ofPolicy] = labelNames;
      const labels = {
        [ofNamespace]: namespace,
        [ofName]: name,
        [ofPolicy]: set.spec.podManagementPolicy ?? "OrderedReady",
      };
      // The policy of a set recreated under its name may differ: its old series must not stay.
      if (shown.get(key)?.[ofPolicy] !== labels[ofPolicy]) forget(key);
      shown.set(key, labels);
      const serving = pods.filter(
        ({ health, isCondemned }) => health.health === "available" && !isCondemned,
      );
      allowed.set(labels, policy.kind === "onDelete" ? 1 : policy.budget.maxUnavailable);
      down.set(labels, desiredReplicas(set) - serving.length);
    },
  };
}
