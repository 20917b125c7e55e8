/** The rules of Events in both of their shapes, that of the core group and the newer one. */
import { dns1123SubdomainProblems } from "../../api/dns-name.ts";
import { invalid, required, type FieldError } from "../../api/field-error.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { qualifiedNameProblems } from "../../api/label-syntax.ts";
import type { KubeObject } from "../../api/object.ts";
import { immutableProblem } from "../../api/problem-text.ts";
import { kindRules } from "./kind-rules.ts";

interface Series {
  count?: number;
  lastObservedTime?: string | null;
}

/** The older shape; both shapes are checked in it. */
interface CoreEvent extends KubeObject {
  involvedObject?: { namespace?: string };
  reason?: string;
  message?: string;
  source?: { component?: string; host?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  count?: number;
  type?: string;
  eventTime?: string | null;
  series?: Series;
  action?: string;
  related?: object;
  reportingComponent?: string;
  reportingInstance?: string;
}

/** Field names of the newer shape and their equivalents in the older one. */
const oldNames: Readonly<Record<string, string>> = {
  regarding: "involvedObject",
  note: "message",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
  reportingController: "reportingComponent",
};
const shownEmpty = { firstTimestamp: null, lastTimestamp: null, eventTime: null };
const immutableFields = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingController",
  "reportingInstance",
] as const;

export const coreEventRules = kindRules<CoreEvent>({
  createsOnUpdate: true,
  checksMetadataOnce: true,
  applyDefaults(draft) {
    draft.involvedObject ??= {};
    draft.source ??= {};
    draft.reportingComponent ??= "";
    draft.reportingInstance ??= "";
    for (const [field, empty] of Object.entries(shownEmpty)) draft[field] ??= empty;
  },
  validate: (draft) => validateAnyEvent(draft, "reportingComponent"),
});

/** Rules of the newer shape. They check the stored shape, whose names their messages use. */
export const eventRules = kindRules<KubeObject>({
  createsOnUpdate: true,
  checksMetadataOnce: true,
  applyDefaults(draft) {
    draft["regarding"] ??= {};
    draft["deprecatedSource"] ??= {};
    draft["deprecatedFirstTimestamp"] ??= null;
    draft["deprecatedLastTimestamp"] ??= null;
    draft["eventTime"] ??= null;
  },
  validate(draft, old) {
    const event = asCoreEvent(draft);
    const errors = validateAnyEvent(event, "reportingController");
    return old === undefined ? [...errors, ...validateNewEvent(event)] : errors;
  },
  validateChange: (draft, old) => validateImmutable(asCoreEvent(draft), asCoreEvent(old)),
});

function asCoreEvent(object: KubeObject): CoreEvent {
  const fields = Object.entries(object).map(([field, value]) => [oldNames[field] ?? field, value]);
  return Object.fromEntries(fields) as CoreEvent;
}

function validateAnyEvent(event: CoreEvent, controllerField: string): FieldError[] {
  const namespace = event.metadata.namespace ?? "";
  const about = event.involvedObject?.namespace ?? "";
  const path = "involvedObject.namespace";
  const mismatch = invalid(path, about, "does not match event.namespace");
  const named = dns1123SubdomainProblems(namespace).map((problem) =>
    invalid("namespace", namespace, problem),
  );
  if ((event.eventTime ?? null) === null) {
    const fits = about === "" ? namespace === "" || namespace === "default" : about === namespace;
    return fits ? named : [mismatch, ...named];
  }
  const isCluster = namespace === "default" || namespace === "kube-system";
  return [
    ...(about === "" && !isCluster ? [mismatch] : []),
    ...validateReporter(event, controllerField),
    ...named,
  ];
}

function validateReporter(event: CoreEvent, controllerField: string): FieldError[] {
  const controller = event.reportingComponent ?? "";
  const errors: FieldError[] = controller === "" ? [required(controllerField)] : [];
  for (const problem of qualifiedNameProblems(controller)) {
    errors.push(invalid(controllerField, controller, problem));
  }
  for (const field of ["reportingInstance", "action", "reason"] as const) {
    const value = event[field] ?? "";
    if (value === "") errors.push(required(field));
    if (value.length > 128) errors.push(invalid(field, "", "can have at most 128 characters"));
  }
  if ((event.message ?? "").length > 1024) {
    errors.push(invalid("message", "", "can have at most 1024 characters"));
  }
  return errors;
}

function validateNewEvent(event: CoreEvent): FieldError[] {
  const errors = validateSeries(event.series);
  if ((event.eventTime ?? null) === null) errors.push(required("eventTime"));
  const type = event.type ?? "";
  if (type !== "Normal" && type !== "Warning") {
    errors.push(invalid("type", "", `has invalid value: ${type}`));
  }
  return [...errors, ...validateUnset(event)];
}

/** The fields that the newer shape replaced by series and reporter. */
function validateUnset(event: CoreEvent): FieldError[] {
  const errors: FieldError[] = [];
  const unset = "needs to be unset";
  for (const field of ["firstTimestamp", "lastTimestamp"] as const) {
    if ((event[field] ?? null) !== null) errors.push(invalid(field, "", unset));
  }
  if ((event.count ?? 0) !== 0) errors.push(invalid("count", "", unset));
  const { component = "", host = "" } = event.source ?? {};
  if (component !== "" || host !== "") errors.push(invalid("source", "", unset));
  return errors;
}

function validateSeries(series: Series | undefined): FieldError[] {
  if (series === undefined) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) errors.push(invalid("series.count", "", "should be at least 2"));
  if ((series.lastObservedTime ?? null) === null) errors.push(required("series.lastObservedTime"));
  return errors;
}

function validateImmutable(event: CoreEvent, old: CoreEvent): FieldError[] {
  const series = semanticallyEqual(event.series, old.series) ? [] : validateSeries(event.series);
  const changed = immutableFields.flatMap((field) => {
    const stored = oldNames[field] ?? field;
    if (semanticallyEqual(event[stored], old[stored])) return [];
    return [invalid(field, event[stored] ?? "", immutableProblem)];
  });
  return [...series, ...changed];
}
