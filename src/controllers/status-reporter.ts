/** Writes a status no more often than readers need: what somebody waits for at once, counters when they rest. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { isNotFound } from "../api/status.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { mergePatchTo } from "./merge-patch-to.ts";

/** Counters move in company: they are written when none has moved for so long; those that never rest, so often. */
const patience = { restMs: 2_000, longestMs: 4_000 };
/** A newborn has little to tell before somebody waits for it, unless it comes to a stop on the way. */
const newbornPatience = { restMs: 8_000, longestMs: 30_000 };

export interface Reported<S> extends KubeObject {
  readonly status?: S;
}

export interface StatusReporterOptions<S, T extends Reported<S>> {
  readonly clock: Clock;
  readonly resource: Resource;
  /** Whether somebody waits for what this status says and the written one does not. */
  readonly isUrgent: (object: T, status: S) => boolean;
}

/** What was not worth a write yet, or could not be written. */
interface Unwritten<S> {
  readonly uid: string | undefined;
  readonly status: S;
  readonly text: string;
  readonly sinceMs: number;
  readonly movedAtMs: number;
}

export class StatusReporter<S, T extends Reported<S>> {
  readonly #options: StatusReporterOptions<S, T>;
  readonly #unwritten = new Map<string, Unwritten<S>>();

  constructor(options: StatusReporterOptions<S, T>) {
    this.#options = options;
  }

  forget(key: string): void {
    this.#unwritten.delete(key);
  }

  /** The last that is known of this object, written or not: what was seen once must not depend on a write. */
  known(key: string, { metadata, status }: T): S | undefined {
    const unwritten = this.#unwritten.get(key);
    return unwritten !== undefined && unwritten.uid === metadata.uid ? unwritten.status : status;
  }

  /** Writes what is due; returns when to come back for what is not due yet. */
  async tell(client: Client, key: string, object: T, status: S): Promise<number | undefined> {
    const change = mergePatchTo(object.status ?? {}, status);
    if (change !== undefined) {
      const waitMs = this.#waitMs(key, object, status, change);
      if (waitMs > 0 && !this.#options.isUrgent(object, status)) return waitMs;
      await patchStatus(client, this.#options.resource, object, change);
    }
    this.forget(key);
    return undefined;
  }

  #waitMs(key: string, object: T, status: S, change: unknown): number {
    const nowMs = this.#options.clock.now();
    const text = withoutTimes(JSON.stringify(change));
    const known = this.#unwritten.get(key);
    const sinceMs = known?.sinceMs ?? nowMs;
    const movedAtMs = known?.text === text ? known.movedAtMs : nowMs;
    this.#unwritten.set(key, { uid: object.metadata.uid, status, text, sinceMs, movedAtMs });
    const { restMs, longestMs } = object.status === undefined ? newbornPatience : patience;
    return Math.min(movedAtMs + restMs, sinceMs + longestMs) - nowMs;
  }
}

/** Carries the version it was computed from: a status from a stale view must not overwrite a newer one. */
export async function patchStatus(
  client: Client,
  resource: Resource,
  { metadata }: KubeObject,
  status: unknown,
): Promise<void> {
  const { namespace, name = "", resourceVersion } = metadata;
  const body = { metadata: { resourceVersion }, status };
  const patch = { type: "merge", body } as const;
  try {
    await client.patch(resource, { namespace, name }, patch, { subresource: "status" });
  } catch (error) {
    // Whoever is gone by now has nothing left to tell, and its deletion comes by the watch.
    if (!isNotFound(error)) throw error;
  }
}

/** The time of an unwritten transition is that of the last look: it moves, and tells nothing new. */
const withoutTimes = (text: string): string => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "");
