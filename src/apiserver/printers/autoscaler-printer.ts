/** The table of autoscalers; both versions show the same. */
import type { KubeObject } from "../../api/object.ts";
import { age, name, printer, shown } from "./columns.ts";

interface Amount {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

interface Metric {
  readonly name?: string;
  readonly target?: Amount;
  readonly current?: Amount;
}

const sources = {
  External: "external",
  Pods: "pods",
  Object: "object",
  Resource: "resource",
  ContainerResource: "containerResource",
} as const;

type SourceType = keyof typeof sources;
type MetricOf = { readonly type?: string } & {
  readonly [source in (typeof sources)[SourceType]]?: Metric;
};

interface Autoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
    readonly metrics?: readonly MetricOf[];
    /** Of version 1 only. */
    readonly targetCPUUtilizationPercentage?: number;
  };
  readonly status?: {
    readonly currentReplicas?: number;
    readonly currentMetrics?: readonly MetricOf[] | null;
    /** Of version 1 only. */
    readonly currentCPUUtilizationPercentage?: number;
  };
}

const shownMetrics = 2;
const unknown = "<unknown>";
const percent = (value: number | undefined, otherwise: string): string =>
  value === undefined ? otherwise : `${value}%`;

const isSourceType = (type: string): type is SourceType => Object.hasOwn(sources, type);

function metricText(wanted: MetricOf, found: MetricOf | undefined): string {
  const type = wanted.type ?? "";
  if (!isSourceType(type)) return "<unknown type>";
  const metric = wanted[sources[type]];
  const target = metric?.target ?? {};
  const current = found?.[sources[type]]?.current ?? {};
  switch (type) {
    case "Resource":
    case "ContainerResource":
      return `${metric?.name ?? ""}: ${resourceText(target, current)}`;
    case "Pods":
      return averageText(target, current);
    case "External":
    case "Object":
      return valueText(target, current);
  }
}

const averageText = (target: Amount, current: Amount): string =>
  `${current.averageValue ?? unknown}/${target.averageValue ?? "0"}`;

function resourceText(target: Amount, current: Amount): string {
  if (target.averageValue !== undefined) return averageText(target, current);
  const wanted = percent(target.averageUtilization, "<auto>");
  return `${percent(current.averageUtilization, unknown)}/${wanted}`;
}

function valueText(target: Amount, current: Amount): string {
  if (target.averageValue === undefined) {
    return `${current.value ?? unknown}/${target.value ?? "0"}`;
  }
  return `${averageText(target, current)} (avg)`;
}

function targetsText({ spec, status }: Autoscaler): string {
  if (spec.targetCPUUtilizationPercentage !== undefined) {
    const current = percent(status?.currentCPUUtilizationPercentage, unknown);
    return `cpu: ${current}/${spec.targetCPUUtilizationPercentage}%`;
  }
  const metrics = spec.metrics ?? [];
  if (metrics.length === 0) return "<none>";
  const texts = metrics.map((metric, index) => metricText(metric, status?.currentMetrics?.[index]));
  const text = texts.slice(0, shownMetrics).join(", ");
  const more = texts.length - shownMetrics;
  return more > 0 ? `${text} + ${more} more...` : text;
}

export const autoscalerPrinter = printer<Autoscaler>(
  name,
  shown("Reference", "What is scaled.", ({ spec }) => {
    return `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`;
  }),
  shown("Targets", "Measured values and their targets.", targetsText),
  shown("MinPods", "Fewest pods.", ({ spec }) => String(spec.minReplicas ?? "<unset>")),
  shown("MaxPods", "Most pods.", ({ spec }) => spec.maxReplicas ?? 0),
  shown("Replicas", "Pods there are.", ({ status }) => status?.currentReplicas ?? 0),
  age,
);
