/** From an autoscaler, its target and the simulated load to the size the target should have, with reasons. Pure. */
import type { Metric, Measured, Measurement, Target } from "./metric-value.ts";
import { measure, sourceFields, sourceOf } from "./metric-value.ts";
import type { Behavior, ScalingHistory } from "./pace.ts";
import { pace } from "./pace.ts";

export interface AutoscalerSpec {
  readonly scaleTargetRef: {
    readonly apiVersion?: string;
    readonly kind: string;
    readonly name: string;
  };
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly metrics?: readonly Metric[];
  readonly behavior?: Behavior;
}

export interface ConditionText {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

export interface Recommendation {
  readonly replicas: number;
  /** Why the size changes, for the event. */
  readonly why: string;
  readonly conditions: readonly ConditionText[];
  readonly currentMetrics: readonly object[];
  readonly history: ScalingHistory;
}

export interface Situation {
  readonly spec: AutoscalerSpec;
  readonly annotations: Readonly<Record<string, string>>;
  readonly target: Target;
  readonly history: ScalingHistory;
  readonly nowMs: number;
}

/** Upstream's default: less than a tenth off the target is no reason to scale. */
const tolerance = 0.1;

export function recommend(situation: Situation): Recommendation {
  const { spec, target, history } = situation;
  const { replicas } = target;
  const { minReplicas = 1, maxReplicas } = spec;
  const stay = { replicas, why: "", currentMetrics: [], history };
  if (replicas === 0 && minReplicas !== 0) {
    const message = "scaling is disabled since the replica count of the target is zero";
    return { ...stay, conditions: [scaleIsRead, inactive("ScalingDisabled", message)] };
  }
  if (replicas > maxReplicas) {
    const why = "Current number of replicas above Spec.MaxReplicas";
    return { ...stay, replicas: maxReplicas, why, conditions: [able] };
  }
  if (replicas < minReplicas) {
    const why = "Current number of replicas below Spec.MinReplicas";
    return { ...stay, replicas: minReplicas, why, conditions: [able] };
  }
  return followed(situation);
}

function followed(situation: Situation): Recommendation {
  const { spec, annotations, target, history, nowMs } = situation;
  const metrics = spec.metrics ?? [];
  const all = metrics.map((metric) => measure(metric, annotations, target));
  const known = all.filter((each): each is Measured => !("problem" in each));
  const problemAt = all.findIndex((each) => "problem" in each);
  const problem = all[problemAt];
  const currentMetrics = metrics.flatMap((metric, index) => metricStatus(metric, all[index]));
  const best = known
    .map((each) => ({ ...each, replicas: isCalm(each) ? target.replicas : each.replicas }))
    .reduce<Measured | undefined>(
      (most, each) => (most !== undefined && most.replicas >= each.replicas ? most : each),
      undefined,
    );
  // What cannot be measured may be what needs the pods: nothing is scaled down on a part of the truth.
  const isBlind = best === undefined || (problem !== undefined && best.replicas < target.replicas);
  if (isBlind) {
    const message = problem !== undefined && "problem" in problem ? problem.problem : "no metrics";
    const reason = `FailedGet${metrics[problemAt]?.type ?? "Resource"}Metric`;
    const conditions = [scaleIsRead, inactive(reason, message)];
    return { replicas: target.replicas, why: "", conditions, currentMetrics, history };
  }
  const paced = pace(
    { current: target.replicas, wanted: best.replicas, nowMs },
    spec.behavior,
    history,
  );
  const { minReplicas = 1, maxReplicas } = spec;
  const replicas = Math.min(maxReplicas, Math.max(minReplicas, paced.replicas));
  return {
    replicas,
    why: `${best.what} ${best.replicas > target.replicas ? "above" : "below"} target`,
    conditions: [
      able,
      active(best.what),
      limited(best.replicas, { replicas, ...(paced.limit && { limit: paced.limit }) }, spec),
    ],
    currentMetrics,
    history: paced.history,
  };
}

const isCalm = ({ ratio }: Measured): boolean => Math.abs(1 - ratio) <= tolerance;

function metricStatus(metric: Metric, measured: Measurement | undefined): object[] {
  if (measured === undefined || "problem" in measured) return [];
  const { target: _target, ...source } = sourceOf(metric);
  const status = { ...source, current: measured.current };
  return [{ type: metric.type, [sourceFields[metric.type]]: status }];
}

const able: ConditionText = {
  type: "AbleToScale",
  status: "True",
  reason: "ReadyForNewScale",
  message: "recommended size matches current size",
};

/** All that is known without a recommendation. */
const scaleIsRead: ConditionText = {
  type: "AbleToScale",
  status: "True",
  reason: "SucceededGetScale",
  message: "the HPA controller was able to get the target's current scale",
};

const inactive = (reason: string, message: string): ConditionText => ({
  type: "ScalingActive",
  status: "False",
  reason,
  message,
});

const active = (what: string): ConditionText => ({
  type: "ScalingActive",
  status: "True",
  reason: "ValidMetricFound",
  message: `the HPA was able to successfully calculate a replica count from ${what}`,
});

function limited(
  wanted: number,
  chosen: { readonly replicas: number; readonly limit?: string },
  { minReplicas = 1, maxReplicas }: AutoscalerSpec,
): ConditionText {
  const because = (reason: string, message: string): ConditionText => ({
    type: "ScalingLimited",
    status: "True",
    reason,
    message,
  });
  if (wanted > maxReplicas && chosen.replicas === maxReplicas) {
    const message = "the desired replica count is more than the maximum replica count";
    return because("TooManyReplicas", message);
  }
  if (wanted < minReplicas && chosen.replicas === minReplicas) {
    const message = "the desired replica count is less than the minimum replica count";
    return because("TooFewReplicas", message);
  }
  if (chosen.limit === "ScaleUpLimit" || chosen.limit === "ScaleDownLimit") {
    const message = "the desired replica count changes faster than the scaling policies allow";
    return because(chosen.limit, message);
  }
  return {
    type: "ScalingLimited",
    status: "False",
    reason: "DesiredWithinRange",
    message: "the desired count is within the acceptable range",
  };
}
