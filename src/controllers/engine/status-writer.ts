/** Writes a status no more often than readers need: what somebody waits for at once, counters when they rest. */
import type { KubeObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import { keyOf } from "../../runtime/object-store.ts";
import { mergePatchTo } from "./merge-patch.ts";

/** Counters move in company: they are written when none has moved for so long; those that never rest, so often. */
const patience = { restMs: 2_000, longestMs: 4_000 };
/** A newborn has little to tell before somebody waits for it, unless it comes to a stop on the way. */
const newbornPatience = { restMs: 12_000, longestMs: 30_000 };

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
  /** By key: the version that the last status was written as, until its object is forgotten. */
  readonly #written = new Map<string, string>();

  constructor(options: StatusReporterOptions<S, T>) {
    this.#options = options;
  }

  forget(key: string): void {
    this.#unwritten.delete(key);
    this.#written.delete(key);
  }

  /** Whether this is how the object came back from the last write of its status, and nobody wrote since. */
  isEcho(object: T): boolean {
    const { resourceVersion } = object.metadata;
    return resourceVersion !== undefined && this.#written.get(keyOf(object)) === resourceVersion;
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
      const version = await patchStatus(client, this.#options.resource, object, change);
      if (version !== undefined) this.#written.set(key, version);
    }
    this.#unwritten.delete(key);
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

/**
 * Carries the version it was computed from: a status from a stale view must not overwrite a newer one. Returns the
 * version it was written as; undefined where the object is gone.
 */
export async function patchStatus(
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
    // Whoever is gone by now has nothing left to tell, and its deletion comes by the watch.
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}

/** The time of an unwritten transition is that of the last look: it moves, and tells nothing new. */
const withoutTimes = (text: string): string => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "");
