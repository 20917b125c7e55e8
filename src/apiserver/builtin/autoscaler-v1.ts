/** autoscaling/v1, as kubectl and older tools write it: stored in version 2, with annotations for the rest. */
import type { KubeObject } from "../../api/object.ts";
import type { KindRules, StorageForm } from "../served-resource.ts";
import { autoscalerRules } from "./autoscaler.ts";

type Fields = Readonly<Record<string, unknown>>;

const prefix = "autoscaling.alpha.kubernetes.io/";
const kept = {
  metrics: `${prefix}metrics`,
  currentMetrics: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
  behavior: `${prefix}behavior`,
} as const;

export const autoscalerStorage: StorageForm = {
  group: "autoscaling",
  version: "v2",
  plural: "horizontalpodautoscalers",
  toStored: toVersion2,
  fromStored: toVersion1,
};

/** Defaults are those of version 1; everything else is checked in version 2. */
export const autoscalerV1Rules: KindRules = {
  ...autoscalerRules,
  applyDefaults(draft) {
    const spec = draft["spec"] as Record<string, unknown>;
    spec["minReplicas"] ??= 1;
    const status = (draft["status"] ??= {}) as Record<string, unknown>;
    status["currentReplicas"] ??= 0;
    status["desiredReplicas"] ??= 0;
    if (draft.metadata.annotations?.[kept.metrics] === undefined) {
      spec["targetCPUUtilizationPercentage"] ??= 80;
    }
  },
  prepareForCreate(draft) {
    draft["status"] = { currentReplicas: 0, desiredReplicas: 0 };
  },
  validateCreate: (draft) => autoscalerRules.validateCreate(toVersion2(draft)),
  validateUpdate: (draft, old, subresource) =>
    autoscalerRules.validateUpdate(toVersion2(draft), toVersion2(old), subresource),
};

const isCpu = ({ type, resource }: Fields): boolean => {
  const { name, target } = (resource ?? {}) as { name?: string; target?: Fields };
  return type === "Resource" && name === "cpu" && target?.["averageUtilization"] !== undefined;
};

const utilization = (metric: Fields | undefined, place: "target" | "current"): unknown =>
  ((metric?.["resource"] as Fields | undefined)?.[place] as Fields | undefined)?.[
    "averageUtilization"
  ];

function toVersion1({ kind, metadata, ...object }: KubeObject): KubeObject {
  const {
    metrics = [],
    behavior,
    ...spec
  } = (object["spec"] ?? {}) as Fields & {
    readonly metrics?: readonly Fields[];
  };
  const status = (object["status"] ?? {}) as Fields;
  const currentMetrics = (status["currentMetrics"] ?? []) as readonly Fields[];
  const conditions = (status["conditions"] ?? []) as readonly Fields[];
  const others = metrics.filter((metric) => !isCpu(metric));
  const annotations = {
    ...metadata.annotations,
    ...noted(kept.metrics, others.map(metricOfVersion1)),
    ...noted(kept.currentMetrics, currentMetrics.map(metricStatusOfVersion1)),
    ...noted(kept.conditions, conditions),
    ...(behavior === undefined ? {} : { [kept.behavior]: JSON.stringify(behavior) }),
  };
  const cpu = utilization(metrics.find(isCpu), "target");
  const cpuNow = utilization(currentMetrics.find(isCurrentCpu), "current");
  return {
    kind,
    apiVersion: "autoscaling/v1",
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations },
    spec: { ...spec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) },
    status: {
      ...picked(status, "observedGeneration", "lastScaleTime"),
      currentReplicas: status["currentReplicas"] ?? 0,
      desiredReplicas: status["desiredReplicas"] ?? 0,
      ...(cpuNow === undefined ? {} : { currentCPUUtilizationPercentage: cpuNow }),
    },
  };
}

const isCurrentCpu = (metric: Fields): boolean =>
  metric["type"] === "Resource" && (metric["resource"] as Fields | undefined)?.["name"] === "cpu";

const noted = (key: string, list: readonly unknown[]): Record<string, string> =>
  list.length === 0 ? {} : { [key]: JSON.stringify(list) };

const picked = (source: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(
    names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])),
  );

function toVersion2({ kind, metadata, ...object }: KubeObject): KubeObject {
  const { annotations: all = {}, ...rest } = metadata;
  const own = Object.entries(all).filter(([key]) => !Object.values<string>(kept).includes(key));
  const { targetCPUUtilizationPercentage: cpu, ...spec } = (object["spec"] ?? {}) as Fields;
  const { currentCPUUtilizationPercentage: _now, ...status } = (object["status"] ?? {}) as Fields;
  const metrics = [
    ...parsed(all[kept.metrics]).map(metricOfVersion2),
    ...(cpu === undefined ? [] : [cpuMetric(cpu)]),
  ];
  const [behavior] = parsed(all[kept.behavior]);
  const conditions = parsed(all[kept.conditions]);
  const current = parsed(all[kept.currentMetrics]).map(metricStatusOfVersion2);
  return {
    kind,
    apiVersion: "autoscaling/v2",
    metadata: own.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(own) },
    spec: {
      ...spec,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: {
      ...status,
      currentMetrics: current.length === 0 ? null : current,
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
}

const cpuMetric = (averageUtilization: unknown): Fields => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

/** What cannot be read is left out, as a real server does. */
function parsed(text: string | undefined): readonly Fields[] {
  if (text === undefined) return [];
  try {
    const value = JSON.parse(text) as Fields | readonly Fields[];
    return Array.isArray(value) ? (value as readonly Fields[]) : [value as Fields];
  } catch {
    return [];
  }
}

const sources = ["object", "pods", "resource", "containerResource", "external"] as const;

/** Turns the one source that a metric has. */
function withSource(metric: Fields, turned: (field: string, source: Fields) => Fields): Fields {
  const field = sources.find((name) => metric[name] !== undefined);
  if (field === undefined) return metric;
  return { type: metric["type"], [field]: turned(field, metric[field] as Fields) };
}

const metricOfVersion1 = (metric: Fields): Fields =>
  withSource(metric, (field, { metric: named, describedObject, target = {}, ...source }) => {
    const { averageUtilization, averageValue, value } = target as Fields;
    const { name: metricName, selector } = (named ?? {}) as Fields;
    const isResource = field === "resource" || field === "containerResource";
    return withoutMissing({
      ...source,
      target: describedObject,
      metricName,
      [field === "external" ? "metricSelector" : "selector"]: selector,
      ...(field === "object"
        ? { targetValue: value ?? "0", averageValue }
        : { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue }),
      ...(field === "object" || isResource ? {} : { targetValue: value }),
    });
  });

const metricOfVersion2 = (metric: Fields): Fields =>
  withSource(metric, (field, source) => {
    const { target, metricName, metricSelector, selector = metricSelector, ...more } = source;
    const { targetAverageUtilization, targetAverageValue, targetValue, averageValue, ...rest } =
      more;
    const average = targetAverageValue ?? averageValue;
    const isValue = field !== "pods" && average === undefined && targetValue !== undefined;
    const type =
      targetAverageUtilization !== undefined ? "Utilization" : isValue ? "Value" : "AverageValue";
    return withoutMissing({
      ...rest,
      describedObject: target,
      metric: metricName === undefined ? undefined : withoutMissing({ name: metricName, selector }),
      target: withoutMissing({
        type,
        averageUtilization: targetAverageUtilization,
        averageValue: average,
        value: isValue ? targetValue : undefined,
      }),
    });
  });

const metricStatusOfVersion1 = (metric: Fields): Fields =>
  withSource(metric, (_field, { metric: named, describedObject, current = {}, ...source }) => {
    const { averageUtilization, averageValue, value } = current as Fields;
    const { name: metricName, selector } = (named ?? {}) as Fields;
    return withoutMissing({
      ...source,
      target: describedObject,
      metricName,
      selector,
      currentAverageUtilization: averageUtilization,
      currentAverageValue: averageValue,
      currentValue: value,
    });
  });

const metricStatusOfVersion2 = (metric: Fields): Fields =>
  withSource(metric, (_field, source) => {
    const { target, metricName, selector, ...more } = source;
    const { currentAverageUtilization, currentAverageValue, currentValue, ...rest } = more;
    return withoutMissing({
      ...rest,
      describedObject: target,
      metric: metricName === undefined ? undefined : withoutMissing({ name: metricName, selector }),
      current: withoutMissing({
        averageUtilization: currentAverageUtilization,
        averageValue: currentAverageValue,
        value: currentValue,
      }),
    });
  });

const withoutMissing = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
