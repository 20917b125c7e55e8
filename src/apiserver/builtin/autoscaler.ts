/** The rules of HorizontalPodAutoscalers. */
import { pathSegmentProblems } from "../../api/dns-name.ts";
import { forbidden, invalid, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import { canonicalQuantity, quantity } from "../../api/quantity.ts";
import { kindRules } from "./kind-rules.ts";
import { validateScalingRules, type ScalingRules } from "./scaling-behavior.ts";

interface ObjectReference {
  apiVersion?: string;
  kind: string;
  name: string;
}

interface MetricTarget {
  type: string;
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

interface MetricSource {
  name?: string;
  container?: string;
  metric?: { name: string };
  describedObject?: ObjectReference;
  target: MetricTarget;
}

const sources = ["object", "external", "pods", "resource", "containerResource"] as const;
type SourceField = (typeof sources)[number];

type Metric = { type: string } & { [field in SourceField]?: MetricSource };

interface Autoscaler extends KubeObject {
  status?: { desiredReplicas?: number; currentMetrics?: object[] | null };
  spec: {
    scaleTargetRef: ObjectReference;
    minReplicas?: number;
    maxReplicas: number;
    metrics?: Metric[];
    behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
  };
}

const fieldByType: Readonly<Record<string, SourceField>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

export const autoscalerRules = kindRules<Autoscaler>({
  initialStatus: () => ({ desiredReplicas: 0, currentMetrics: null }),
  applyDefaults(draft) {
    const { spec } = draft;
    const status = (draft.status ??= {});
    status.desiredReplicas ??= 0;
    status.currentMetrics ??= null;
    spec.minReplicas ??= 1;
    if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuAt80Percent()];
    for (const metric of spec.metrics ?? []) canonicalTargets(metric);
    if (spec.behavior === undefined) return;
    const day = { selectPolicy: "Max" };
    const whole = { type: "Percent", value: 100, periodSeconds: 15 };
    const four = { type: "Pods", value: 4, periodSeconds: 15 };
    spec.behavior.scaleUp = {
      stabilizationWindowSeconds: 0,
      ...day,
      policies: [four, whole],
      ...spec.behavior.scaleUp,
    };
    spec.behavior.scaleDown = { ...day, policies: [whole], ...spec.behavior.scaleDown };
  },
  validate: ({ spec }) => [
    ...validateBounds(spec),
    ...validateReference(spec.scaleTargetRef, "spec.scaleTargetRef"),
    ...(spec.metrics ?? []).flatMap((metric, index) =>
      validateMetric(metric, `spec.metrics[${index}]`),
    ),
    ...validateScaleToZero(spec),
    ...validateScalingRules(spec.behavior?.scaleUp, "spec.behavior.scaleUp"),
    ...validateScalingRules(spec.behavior?.scaleDown, "spec.behavior.scaleDown"),
  ],
});

function cpuAt80Percent(): Metric {
  const target = { type: "Utilization", averageUtilization: 80 };
  return { type: "Resource", resource: { name: "cpu", target } };
}

function canonicalTargets(metric: Metric): void {
  for (const field of sources) {
    const target = metric[field]?.target;
    if (target?.value !== undefined) target.value = canonicalQuantity(target.value);
    if (target?.averageValue !== undefined) {
      target.averageValue = canonicalQuantity(target.averageValue);
    }
  }
}

function validateBounds({ minReplicas = 1, maxReplicas }: Autoscaler["spec"]): FieldError[] {
  const path = "spec.maxReplicas";
  const errors: FieldError[] = [];
  if (minReplicas < 1) {
    errors.push(invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 1"));
  }
  if (maxReplicas === 0) errors.push(required(path, "must be set and greater than 0"));
  if (maxReplicas < 0) {
    errors.push(invalid(path, maxReplicas, "must be greater than or equal to 1"));
  }
  if (maxReplicas < minReplicas) {
    errors.push(invalid(path, maxReplicas, "must be greater than or equal to `minReplicas`"));
  }
  return errors;
}

/** Without pods there is no pod metric, so scaling to zero needs a metric of another kind to scale up again. */
function validateScaleToZero({ minReplicas, metrics = [] }: Autoscaler["spec"]): FieldError[] {
  const hasOutsideMetric = metrics.some(({ type }) => type === "Object" || type === "External");
  if (minReplicas !== 0 || hasOutsideMetric) return [];
  const detail =
    "must specify at least one Object or External metric to support scaling to zero replicas";
  return [forbidden("spec.metrics", detail)];
}

function validateReference(reference: ObjectReference, path: string): FieldError[] {
  const errors = (["kind", "name"] as const).flatMap((field) => {
    const value = reference[field];
    if (value === "") return [required(`${path}.${field}`)];
    return pathSegmentProblems(value).map((problem) => invalid(`${path}.${field}`, value, problem));
  });
  const apiVersion = reference.apiVersion ?? "";
  const isCore = !apiVersion.includes("/");
  // The only scalable kind of the core group may be named without a group.
  if (!isCore || reference.kind === "ReplicationController") return errors;
  const detail = "apiVersion must specify API group";
  return [...errors, invalid(`${path}.apiVersion`, apiVersion, detail)];
}

function validateMetric(metric: Metric, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const types = Object.keys(fieldByType);
  if (metric.type === "") {
    errors.push(required(`${path}.type`, "must specify a metric source type"));
  }
  const expected = fieldByType[metric.type];
  if (expected === undefined) errors.push(notSupported(`${path}.type`, metric.type, types));
  const given = sources.filter((field) => metric[field] !== undefined);
  const [first] = given;
  const source = first === undefined ? undefined : metric[first];
  if (first !== undefined && source !== undefined) {
    errors.push(...validateSource(first, source, `${path}.${first}`));
  }
  if (expected !== undefined && metric[expected] === undefined) {
    const detail = "must populate information for the given metric source";
    errors.push(required(`${path}.${expected}`, detail));
  }
  if (given.length === 1) return errors;
  const others = given.filter((field) => field !== expected);
  const detail = "must populate the given metric source only";
  return [...errors, ...others.map((field) => forbidden(`${path}.${field}`, detail))];
}

function validateSource(field: SourceField, source: MetricSource, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (field === "object" && source.describedObject !== undefined) {
    errors.push(...validateReference(source.describedObject, `${path}.describedObject`));
  }
  if (field === "resource" || field === "containerResource") {
    if ((source.name ?? "") === "") {
      errors.push(required(`${path}.name`, "must specify a resource name"));
    }
    if (field === "containerResource" && (source.container ?? "") === "") {
      errors.push(required(`${path}.container`, "must specify a container"));
    }
  } else if ((source.metric?.name ?? "") === "") {
    errors.push(required(`${path}.metric.name`, "must specify a metric name"));
  }
  return [
    ...errors,
    ...validateTarget(source.target, `${path}.target`),
    ...validateTargetFit(field, source.target, `${path}.target`),
  ];
}

function validateTarget(target: MetricTarget, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (target.type === "") {
    errors.push(required(`${path}.type`, "must specify a metric target type"));
  }
  if (!["Utilization", "Value", "AverageValue"].includes(target.type)) {
    const detail = "must be either Utilization, Value, or AverageValue";
    errors.push(invalid(`${path}.type`, target.type, detail));
  }
  for (const field of ["value", "averageValue"] as const) {
    const amount = target[field];
    if (amount === undefined || quantity(amount).nanos > 0n) continue;
    errors.push(invalid(`${path}.${field}`, amount, "must be positive"));
  }
  const { averageUtilization } = target;
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(
      invalid(`${path}.averageUtilization`, averageUtilization, "must be greater than 0"),
    );
  }
  return errors;
}

/** The target fields that each metric source allows. */
function validateTargetFit(field: SourceField, target: MetricTarget, path: string): FieldError[] {
  const { value, averageValue, averageUtilization } = target;
  const at = `${path}.averageValue`;
  switch (field) {
    case "pods":
      if (averageValue !== undefined) return [];
      return [required(at, "must specify a positive target averageValue")];
    case "object":
      if (value !== undefined || averageValue !== undefined) return [];
      return [required(at, "must set either a target value or averageValue")];
    case "external":
      if (value === undefined && averageValue === undefined) {
        const detail = "must set either a target value for metric or a per-pod target";
        return [required(at, detail)];
      }
      if (value === undefined || averageValue === undefined) return [];
      return [
        forbidden(
          `${path}.value`,
          "may not set both a target value for metric and a per-pod target",
        ),
      ];
    case "resource":
    case "containerResource":
      return validateResourceTarget(averageUtilization, averageValue, path);
  }
}

function validateResourceTarget(
  utilization: number | undefined,
  value: string | undefined,
  path: string,
): FieldError[] {
  if (utilization === undefined && value === undefined) {
    const detail = "must set either a target raw value or a target utilization";
    return [required(`${path}.averageUtilization`, detail)];
  }
  if (utilization === undefined || value === undefined) return [];
  const detail = "may not set both a target raw value and a target utilization";
  return [forbidden(`${path}.averageValue`, detail)];
}
