/** What an autoscaler measures: the simulated load, spread over the pods as the metric says. Pure. */
import { parseQuantity } from "../../api/quantity.ts";

export interface MetricTarget {
  readonly type?: string;
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

export interface MetricSource {
  readonly name?: string;
  readonly container?: string;
  readonly metric?: { readonly name: string };
  readonly describedObject?: object;
  readonly target: MetricTarget;
}

export const sourceFields = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
} as const;

export type SourceType = keyof typeof sourceFields;

export type Metric = { readonly type: SourceType } & {
  readonly [field in (typeof sourceFields)[SourceType]]?: MetricSource;
};

/** The whole load, in the metric's unit: for a utilization, 100 is one pod that does nothing else. */
export const loadAnnotation = "sim.lockstep.dev/load";

/** What is known of the target when a metric is measured. */
export interface Target {
  /** As the scale subresource says, wanted and there. */
  readonly replicas: number;
  readonly observedReplicas: number;
  readonly readyPods: number;
  /** Which container asks for nothing of a resource: a share of nothing cannot be computed. */
  readonly withoutRequest?: (resource: string) => string | undefined;
}

export interface Measured {
  /** For sentences: `cpu resource utilization (percentage of request)`. */
  readonly what: string;
  /** Where the load keeps the target at its size, this is 1. */
  readonly ratio: number;
  readonly replicas: number;
  /** The `current` part of a metric's status. */
  readonly current: MetricTarget;
}

export type Measurement = Measured | { readonly what: string; readonly problem: string };

export const sourceOf = (metric: Metric): MetricSource =>
  metric[sourceFields[metric.type]] ?? { target: {} };

const nameOf = ({ name, metric }: MetricSource): string => name ?? metric?.name ?? "";

export function measure(
  metric: Metric,
  annotations: Readonly<Record<string, string>>,
  target: Target,
): Measurement {
  const source = sourceOf(metric);
  const what = describe(metric.type, source);
  const unasked = isShare(metric.type, source)
    ? target.withoutRequest?.(nameOf(source))
    : undefined;
  if (unasked !== undefined) {
    const missing = `missing request for ${nameOf(source)} in ${unasked}`;
    return { what, problem: `failed to get ${nameOf(source)} utilization: ${missing}` };
  }
  const own = `${loadAnnotation}.${nameOf(source)}`;
  const text = annotations[own] ?? annotations[loadAnnotation];
  if (text === undefined) {
    const fix = `set the annotation ${loadAnnotation} or ${own} of this autoscaler`;
    return { what, problem: `no load is simulated for ${nameOf(source)}: ${fix}` };
  }
  const load = amount(text.replace(/%$/, ""));
  if (load === undefined) {
    return {
      what,
      problem: `the simulated load ${JSON.stringify(text)} is not a number: write 250 or 1.5k`,
    };
  }
  return { what, ...measured(load, source.target, target) };
}

const isShare = (type: SourceType, { target }: MetricSource): boolean =>
  (type === "Resource" || type === "ContainerResource") && target.averageUtilization !== undefined;

function measured(load: number, wanted: MetricTarget, target: Target): Omit<Measured, "what"> {
  const { readyPods, observedReplicas, replicas } = target;
  if (wanted.value !== undefined) {
    const ratio = load / (amount(wanted.value) ?? 1);
    return { ratio, replicas: Math.ceil(ratio * readyPods), current: { value: shown(load) } };
  }
  const each = wanted.averageUtilization ?? amount(wanted.averageValue ?? "") ?? 1;
  const isOfPods = wanted.averageUtilization !== undefined || wanted.type === "Utilization";
  const sharers = Math.max(1, isOfPods ? readyPods : observedReplicas || replicas);
  const average = load / sharers;
  const current = isOfPods
    ? { averageUtilization: Math.round(average) }
    : { averageValue: shown(average) };
  return { ratio: average / each, replicas: Math.ceil(load / each), current };
}

function describe(type: SourceType, source: MetricSource): string {
  const name = nameOf(source);
  const isUtilization = source.target.averageUtilization !== undefined;
  switch (type) {
    case "Resource":
      return isUtilization
        ? `${name} resource utilization (percentage of request)`
        : `${name} resource`;
    case "ContainerResource":
      return `${name} container resource utilization (percentage of request)`;
    case "Pods":
      return `pods metric ${name}`;
    case "Object":
      return `object metric ${name}`;
    case "External":
      return `external metric ${name}`;
  }
}

function amount(text: string): number | undefined {
  const parsed = parseQuantity(text);
  return "problem" in parsed ? undefined : Number(parsed.nanos) / 1e9;
}

const shown = (value: number): string =>
  Number.isInteger(value) ? String(value) : `${Math.ceil(value * 1000)}m`;
