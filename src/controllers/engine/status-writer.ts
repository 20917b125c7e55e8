/** Writes a status no more often than readers need: urgent fields at once, counters when they come to rest. */
import type { KubeObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { isSameJson } from "../../api/same-json.ts";
import { isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { OwnerMemory, PerOwner } from "./per-owner.ts";
import { stallTurns } from "./rollout-conditions.ts";
import type { Change } from "../../runtime/cache.ts";

/** How long counters may wait: until they have not moved for `restMs`, and no longer than `longestMs`. */
interface CounterTiming {
  readonly restMs: number;
  readonly longestMs: number;
}

const counters: CounterTiming = { restMs: 2_000, longestMs: 4_000 };
/** A new object has little to report before somebody waits for it, unless it comes to a stop on the way. */
const firstCounters: CounterTiming = { restMs: 12_000, longestMs: 30_000 };

export interface Reported<S> extends KubeObject {
  readonly status?: S;
}

/** When a status of a kind is written. */
export interface StatusTiming<S, T extends Reported<S>> {
  /** Whether somebody waits for what this status says and the written one does not. */
  readonly isUrgent: (object: T, status: S) => boolean;
  readonly timing?: CounterTiming;
  /** The status as it was written, with what servers leave out. */
  readonly writtenStatus?: (object: T) => S;
}

interface StatusWriterOptions<S, T extends Reported<S>> extends StatusTiming<S, T> {
  readonly clock: Clock;
  readonly resource: Resource;
  readonly memory: OwnerMemory;
}

/** What was not due yet, or could not be written. */
interface Unwritten<S> {
  readonly status: S;
  readonly change: unknown;
  readonly sinceMs: number;
  readonly movedAtMs: number;
}

interface Known<S> {
  unwritten?: Unwritten<S> | undefined;
  /** The version that the last status was written as. */
  version?: string;
}

export class StatusWriter<S extends object, T extends Reported<S>> {
  readonly #options: StatusWriterOptions<S, T>;
  readonly #known: PerOwner<Known<S>>;

  constructor(options: StatusWriterOptions<S, T>) {
    this.#options = options;
    this.#known = options.memory.perOwner<Known<S>>(() => ({}));
  }

  /** Whether this is how the object came back from the last write of its status, and nobody wrote since. */
  isEcho(object: T): boolean {
    const { resourceVersion } = object.metadata;
    const version = this.#known.peek(keyOf(object))?.version;
    return resourceVersion !== undefined && version === resourceVersion;
  }

  /** The last that is known of this object, written or not: what was seen once must not depend on a write. */
  known(object: T): S | undefined {
    return this.#known.of(object).unwritten?.status ?? object.status;
  }

  /** The status as it was written, with what servers leave out. */
  written(object: T): S {
    return this.#options.writtenStatus?.(object) ?? object.status ?? ({} as S);
  }

  /** Writes what is due; returns when to come back for what is not due yet. */
  async write(client: Client, object: T, status: S): Promise<number | undefined> {
    const { resource, isUrgent } = this.#options;
    const known = this.#known.of(object);
    const change = mergePatchTo(this.written(object), status);
    if (change !== undefined) {
      const waitMs = this.#waitMs(known, object, { status, change });
      const isDue = isUrgent(object, status) || stallTurns(object.status, status);
      if (waitMs > 0 && !isDue) return waitMs;
      const version = await patchStatus(client, resource, object, change);
      if (version !== undefined) known.version = version;
    }
    known.unwritten = undefined;
    return undefined;
  }

  #waitMs(
    known: Known<S>,
    object: T,
    { status, change }: { readonly status: S; readonly change: unknown },
  ): number {
    const nowMs = this.#options.clock.monotonic();
    const before = known.unwritten;
    const sinceMs = before?.sinceMs ?? nowMs;
    const isAtRest = before !== undefined && isSameJson(before.change, change, isSameButTimes);
    const movedAtMs = isAtRest ? before.movedAtMs : nowMs;
    known.unwritten = { status, change, sinceMs, movedAtMs };
    const timing = this.#options.timing ?? (object.status === undefined ? firstCounters : counters);
    return Math.min(movedAtMs + timing.restMs, sinceMs + timing.longestMs) - nowMs;
  }
}

/**
 * Carries the version it was computed from: a status from a stale view must not overwrite a newer one. Returns the
 * version it was written as; undefined where the object is gone.
 */
async function patchStatus(
  client: Client,
  resource: Resource,
  { metadata }: KubeObject,
  status: unknown,
): Promise<string | undefined> {
  const { namespace, name = "", resourceVersion } = metadata;
  const body = { metadata: { resourceVersion }, status };
  const patch = { type: "merge", body } as const;
  try {
    const key = { namespace, name };
    const written = await client.patch(resource, key, patch, { subresource: "status" });
    return written.metadata.resourceVersion;
  } catch (error) {
    // An object that is gone has no status to write, and its deletion arrives by the watch.
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}

/** The time of an unwritten transition is that of the last reconcile: it moves without saying anything new. */
const isSameButTimes = (a: string, b: string): boolean => withoutTimes(a) === withoutTimes(b);

const withoutTimes = (text: string): string => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "");

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The JSON merge patch that turns one value into another; undefined where both are the same. */
export function mergePatchTo(before: unknown, after: unknown): unknown {
  if (!isFields(before) || !isFields(after)) return isSameJson(before, after) ? undefined : after;
  if (isSameJson(before, after)) return undefined;
  const changes: Record<string, unknown> = {};
  for (const key of Object.keys(before)) {
    if (before[key] !== undefined && after[key] === undefined) changes[key] = null;
  }
  for (const key of Object.keys(after)) {
    const change = after[key] === undefined ? undefined : mergePatchTo(before[key], after[key]);
    if (change !== undefined) changes[key] = change;
  }
  return changes;
}

/** Only its status differs: the controller that wrote it knows it already. */
export function isStatusEcho(change: Change<KubeObject>): boolean {
  if (change.type !== "updated") return false;
  const { old, object } = change;
  const [a, b] = [old.metadata, object.metadata];
  return (
    isSameGeneration(old, object) &&
    a.deletionTimestamp === b.deletionTimestamp &&
    isSameJson(a.labels, b.labels) &&
    isSameJson(a.annotations, b.annotations) &&
    isSameJson(a.finalizers, b.finalizers) &&
    isSameJson(a.ownerReferences, b.ownerReferences)
  );
}

/** The server counts the changes of a spec, for kinds whose status is written apart. */
const isSameGeneration = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.generation === b.metadata.generation &&
  (a.metadata.generation !== undefined || isSameJson(a["spec"], b["spec"]));
