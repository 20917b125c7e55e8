/** The status of a scaling adapter: what an autoscaler reads, and why a size was not taken. */
import type { ScalingAdapterStatus } from "../../../api/rbg/scaling-adapter.ts";
import { isConflict } from "../../../api/status.ts";
import { timeText } from "../../../api/time-text.ts";
import type { ConditionText } from "../../engine/conditions.ts";
import { mergeConditions } from "../../engine/conditions.ts";
import type { Failure } from "../../engine/reconcile.ts";
import type { AdapterPlan, Observed } from "./plan.ts";
import { selectorTextOf } from "./plan.ts";

export function adapterStatus(
  observed: Observed,
  planned: AdapterPlan,
  failure: Failure | undefined,
): ScalingAdapterStatus {
  const { adapter, group, binding, nowMs } = observed;
  const { role } = adapter.spec.scaleTargetRef;
  const { lastScaleTime } = adapter.status ?? {};
  const conditions = mergeConditions(
    adapter.status?.conditions,
    [boundCondition(observed), scaledCondition(observed, planned, failure)],
    nowMs,
  );
  if (binding.kind === "unbound" || group === undefined) {
    return { phase: "NotBound", replicas: 0, readyReplicas: 0, conditions };
  }
  const counts = group.status?.roleStatuses?.find(({ name }) => name === role);
  const hasScaled = planned.scales !== undefined && failure === undefined;
  const scaledAt = hasScaled ? timeText(nowMs) : lastScaleTime;
  return {
    phase: "Bound",
    replicas: counts?.replicas ?? 0,
    readyReplicas: counts?.readyReplicas ?? 0,
    selector: selectorTextOf(group, role),
    ...(scaledAt === undefined ? {} : { lastScaleTime: scaledAt }),
    conditions,
  };
}

function boundCondition({ adapter, binding }: Observed): ConditionText {
  const { name, role } = adapter.spec.scaleTargetRef;
  const type = "Bound";
  if (binding.kind === "unbound") {
    return { type, status: "False", reason: binding.reason, message: binding.message };
  }
  const message = `it scales role ${role} of RoleBasedGroup ${name}`;
  return { type, status: "True", reason: "RoleFound", message };
}

/** Whether the role has the size that the adapter asks for. */
function scaledCondition(
  { adapter, binding }: Observed,
  { scales }: AdapterPlan,
  failure: Failure | undefined,
): ConditionText {
  const type = "Scaled";
  if (binding.kind === "unbound") {
    return { type, status: "False", reason: binding.reason, message: binding.message };
  }
  if (failure === undefined || isConflict(failure.cause)) {
    const size = scales?.to ?? adapter.spec.replicas ?? binding.role.replicas ?? 1;
    return {
      type,
      status: "True",
      reason: "SizeTaken",
      message: `the role is to have ${size} pods`,
    };
  }
  const message = `${scales?.to ?? adapter.spec.replicas} pods were refused: ${failure.message}`;
  return { type, status: "False", reason: "SizeRefused", message };
}
