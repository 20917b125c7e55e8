/** Whether the cluster still has the levels of topology that a set asks for, as a condition. */
import type { ClusterTopologyBinding } from "../../../api/grove/cluster-topology.ts";
import { conditionReasons, conditionTypes } from "../../../api/grove/conditions.ts";
import {
  topologyConstraints,
  topologyDomains,
  topologyNameOf,
} from "../../../api/grove/topology.ts";
import type { ConditionText } from "../../engine/conditions.ts";
import type { Observed } from "./observe.ts";

const unconstrained = "gangs are placed without their topology constraints";

/** The binding that gives the set's domains a meaning; undefined where there is none. */
export function bindingOf({ spec, topologies }: Observed): ClusterTopologyBinding | undefined {
  const name = topologyNameOf(spec.template);
  return topologies.find(({ metadata }) => metadata.name === name);
}

/** Whether the status already says that there is no such binding. */
export const isReportedMissing = ({ set }: Observed): boolean =>
  set.status?.conditions?.some(({ reason }) => reason === conditionReasons.topologyNotFound) ??
  false;

/** None for a set that asks for nothing. */
export function topologyConditions(observed: Observed): ConditionText[] {
  const { template } = observed.spec;
  if (topologyConstraints(template).length === 0) return [];
  const type = conditionTypes.topologyLevelsUnavailable;
  const name = topologyNameOf(template);
  if (name === undefined) {
    const message = `${unconstrained}: set topologyName to a ClusterTopologyBinding`;
    return [{ type, status: "Unknown", reason: conditionReasons.topologyNameMissing, message }];
  }
  const binding = bindingOf(observed);
  if (binding === undefined) {
    const message = `${unconstrained}: there is no ClusterTopologyBinding ${name}`;
    return [{ type, status: "Unknown", reason: conditionReasons.topologyNotFound, message }];
  }
  const levels = new Set(binding.spec.levels.map(({ domain }) => domain));
  const missing = topologyDomains(template).filter((domain) => !levels.has(domain));
  if (missing.length > 0) {
    const what = `ClusterTopologyBinding ${name} has no level ${missing.join(", ")}`;
    const message = `${what}: what asks for it is not constrained`;
    return [{ type, status: "True", reason: conditionReasons.topologyLevelsUnavailable, message }];
  }
  const message = `ClusterTopologyBinding ${name} has every level asked for`;
  return [{ type, status: "False", reason: conditionReasons.topologyLevelsAvailable, message }];
}
