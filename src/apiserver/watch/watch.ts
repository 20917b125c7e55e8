/** Runs one watch: replays missed changes, then follows the store. */
import type { KubeObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { Status } from "../../api/status.ts";
import type { Timer } from "../../runtime/clock.ts";
import type { Context } from "../context.ts";
import { collectionOf } from "../context.ts";
import { expired } from "../errors.ts";
import type { Change } from "../store/store.ts";
import type { WatchPlan } from "./watch-plan.ts";

/** `object` is in its stored form, except for bookmarks and errors, which are ready to send. */
export type WatchSignal =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: Status };

export interface WatchSink {
  /** Called in order of versions, synchronously with the write that caused it. */
  send(signal: WatchSignal): void;
  /** The server ends the stream; nothing is sent afterwards. */
  end(): void;
}

export interface RunningWatch {
  stop(): void;
}

/** How long before its timeout a watch sends a bookmark. */
const bookmarkLeadSeconds = 2;

export function runWatch(context: Context, plan: WatchPlan, sink: WatchSink): RunningWatch {
  const collection = collectionOf(context, plan.resource);
  if (plan.start !== "now" && plan.start < collection.oldestVersion) {
    const why = `too old resource version: ${plan.start} (${collection.oldestVersion})`;
    sink.send({ type: "ERROR", object: expired(why).status });
    sink.end();
    return { stop: () => undefined };
  }
  const forward = (change: Change): void => {
    const signal = signalFor(plan, change);
    if (signal !== undefined) sink.send(signal);
  };
  if (plan.sendsInitialState) sendState(context, plan, sink);
  if (plan.start !== "now") collection.changesSince(plan.start).forEach(forward);
  const subscription = collection.subscribe(plan.selection.extent, forward);
  const timers = startTimers(context, plan, { sink, stop });
  function stop(): void {
    subscription.stop();
    for (const timer of timers) timer.cancel();
  }
  return { stop };
}

function sendState(
  context: Context,
  { resource, selection, marksInitialEnd }: WatchPlan,
  sink: WatchSink,
): void {
  for (const object of collectionOf(context, resource).list(selection.extent)) {
    if (selection.matches(object)) sink.send({ type: "ADDED", object });
  }
  if (!marksInitialEnd) return;
  const annotations = { "k8s.io/initial-events-end": "true" };
  const object = bookmark(resource, context.store.version, annotations);
  sink.send({ type: "BOOKMARK", object });
}

interface Ending {
  readonly sink: WatchSink;
  readonly stop: () => void;
}

function startTimers(
  { clock, store }: Context,
  { resource, timeoutSeconds, bookmarks }: WatchPlan,
  { sink, stop }: Ending,
): readonly Timer[] {
  if (timeoutSeconds === undefined) return [];
  const startVersion = store.version;
  const timers = [
    clock.after(timeoutSeconds * 1000, () => {
      stop();
      sink.end();
    }),
  ];
  const leadMs = (timeoutSeconds - bookmarkLeadSeconds) * 1000;
  if (!bookmarks || leadMs <= 0) return timers;
  const sendBookmark = (): void => {
    if (store.version === startVersion) return;
    sink.send({ type: "BOOKMARK", object: bookmark(resource, store.version) });
  };
  return [...timers, clock.after(leadMs, sendBookmark)];
}

function bookmark(
  resource: WatchPlan["resource"],
  version: number,
  annotations?: Record<string, string>,
): KubeObject {
  const { kind } = resource;
  const metadata = { resourceVersion: String(version), creationTimestamp: null as never };
  return {
    kind,
    apiVersion: apiVersionOf(resource),
    metadata: annotations === undefined ? metadata : { ...metadata, annotations },
  };
}

/** The event of a change for a watcher that sees only the selection. */
function signalFor({ selection }: WatchPlan, change: Change): WatchSignal | undefined {
  if (selection.key !== undefined && selection.key !== change.key) return undefined;
  if (!isWithin(selection.extent.namespace, change)) return undefined;
  const before = change.previous !== undefined && selection.matches(change.previous);
  if (change.type === "DELETED") {
    return before ? { type: "DELETED", object: change.object } : undefined;
  }
  const now = selection.matches(change.object);
  if (now) return { type: before ? "MODIFIED" : "ADDED", object: change.object };
  return before ? { type: "DELETED", object: formLeavingSelection(change) } : undefined;
}

function isWithin(namespace: string | undefined, { object }: Change): boolean {
  return namespace === undefined || object.metadata.namespace === namespace;
}

const formsLeavingSelection = new WeakMap<Change, KubeObject>();

/** The last state that matched, at the version at which it stopped matching. */
function formLeavingSelection(change: Change): KubeObject {
  const known = formsLeavingSelection.get(change);
  if (known !== undefined) return known;
  const { previous, object, version } = change;
  const last = previous ?? object;
  const metadata = Object.freeze({ ...last.metadata, resourceVersion: String(version) });
  const form: KubeObject = Object.freeze({ ...last, metadata });
  formsLeavingSelection.set(change, form);
  return form;
}
