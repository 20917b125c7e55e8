/** Puts a view together: what its kind makes of the objects, and what is the same for every kind. Pure. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { apiVersionOf, groupResource } from "../api/resource.ts";
import type { EventObject } from "./events.ts";
import { eventViews } from "./events.ts";
import type { KindView, RolloutKind, Subject } from "./kind.ts";
import type { AbsentOperator, MissingLease, OperatorAbsence } from "./operator.ts";
import { withAbandoned } from "./abandoned.ts";
import { absenceFor, absenceText, isSilent, missingLeaseText } from "./operator.ts";
import type { ObjectRef, RolloutView } from "./view.ts";
import { canMove, isAtRest, waitsForOperator } from "./view.ts";

export interface Loaded extends Subject {
  readonly events: readonly EventObject[];
  /** What could not be read, in sentences: the view is shown without it. */
  readonly gaps: readonly string[];
  /** Kinds that the server does not know (any more). */
  readonly unserved?: readonly Resource[];
  /** There where the cluster's lease says that no operator is at work, or is not there. */
  readonly absent?: AbsentOperator | MissingLease | undefined;
}

export function refOf({ resource, word }: RolloutKind, { metadata }: KubeObject): ObjectRef {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    word,
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
  };
}

export function rolloutView(kind: RolloutKind, loaded: Loaded): RolloutView {
  const { object, events, gaps, absent, unserved = [] } = loaded;
  const view = withAbandoned(kind.view(loaded), loaded);
  const { creationTimestamp } = object.metadata;
  const whole = {
    object: refOf(kind, object),
    ...(creationTimestamp === undefined ? {} : { createdAt: creationTimestamp }),
    ...view,
    ...resumed(view),
    events: eventViews(events),
    notes: [...pausedNotes(view), ...view.notes, ...gaps, ...unserved.map(unservedNote)],
  };
  if (absent === undefined) return whole;
  if ("missing" in absent) {
    return isSilent(object, loaded.nowMs) ? withoutLease(whole, absent.missing) : whole;
  }
  const operator = absenceFor(absent, kind, object);
  return operator === undefined ? whole : withoutOperator({ ...whole, operator }, operator);
}

/** Its state stays: an operator may work without that lease. */
function withoutLease(view: RolloutView, missingLease: string): RolloutView {
  if (!canMove(view.state) || view.abandoned !== undefined) return view;
  return { ...view, missingLease, notes: [missingLeaseText(missingLease), ...view.notes] };
}

const unservedNote = (resource: Resource): string =>
  `the cluster does not serve ${groupResource(resource)}`;

/** What was reported last promises what nobody does now. */
function withoutOperator(view: RolloutView, operator: OperatorAbsence): RolloutView {
  const text = absenceText(operator);
  if (!waitsForOperator(view)) {
    return { ...view, notes: [`${text}; changes wait until one is`, ...view.notes] };
  }
  const waits = "until one is, nothing is rolled out or cleaned up";
  const { code, message: reported } = view.reason;
  const last = code === "NotObserved" ? reported : `as last reported: ${reported}`;
  const message = `${text}; ${waits}; ${last}`;
  return { ...view, reason: { code: "NoOperator", message } };
}

/** Nothing shows a pause where nothing is held by it: then it is easily forgotten. */
const pausedNotes = ({ isPaused, state }: KindView): readonly string[] =>
  isPaused && isAtRest(state) ? ["it is paused: what is changed now waits for a resume"] : [];

/** A status may say for a moment longer that it is paused: what the object asks for is the truth. */
function resumed({ reason, isPaused, current, target }: KindView): Partial<KindView> {
  if (reason.code !== "Paused" || isPaused) return {};
  const message = `resumed: going on from ${current?.name ?? "what is there"} to ${target?.name ?? "its target"}`;
  return { state: "Progressing", reason: { code: "Replacing", message } };
}

/** A line of a list is made of the object alone: its pods are not read, so its own counters are its progress. */
export function listedView(
  kind: RolloutKind,
  object: KubeObject,
  { nowMs, absent }: Pick<Loaded, "nowMs" | "absent">,
): RolloutView {
  const view = rolloutView(kind, { object, related: {}, nowMs, events: [], gaps: [], absent });
  const { unit, desired: total } = view.counts;
  return { ...view, progress: { unit, done: surelyDone(view.counts), total } };
}

/** Pods count as updated before they serve: those that are down may all be among them. Replicas are updated whole. */
const surelyDone = ({ unit, updated, available, desired }: RolloutView["counts"]): number =>
  unit === "pod"
    ? Math.max(0, updated - Math.max(0, desired - available))
    : Math.min(updated, available);
