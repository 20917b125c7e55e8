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

/** What was not worth a write yet. */
interface Unwritten {
  readonly text: string;
  readonly sinceMs: number;
  readonly movedAtMs: number;
}

export class StatusReporter<S, T extends Reported<S>> {
  readonly #options: StatusReporterOptions<S, T>;
  readonly #unwritten = new Map<string, Unwritten>();

  constructor(options: StatusReporterOptions<S, T>) {
    this.#options = options;
  }

  forget(key: string): void {
    this.#unwritten.delete(key);
  }

  /** Writes what is due; returns when to come back for what is not due yet. */
  async tell(client: Client, key: string, object: T, status: S): Promise<number | undefined> {
    const change = mergePatchTo(object.status ?? {}, status);
    const isUrgent = change !== undefined && this.#options.isUrgent(object, status);
    const waitMs =
      change === undefined || isUrgent ? 0 : this.#waitMs(key, change, object.status === undefined);
    if (waitMs > 0) return waitMs;
    if (change !== undefined) await patchStatus(client, this.#options.resource, object, change);
    this.#unwritten.delete(key);
    return undefined;
  }

  #waitMs(key: string, change: unknown, isNewborn: boolean): number {
    const nowMs = this.#options.clock.now();
    const text = withoutTimes(JSON.stringify(change));
    const known = this.#unwritten.get(key);
    const sinceMs = known?.sinceMs ?? nowMs;
    const movedAtMs = known?.text === text ? known.movedAtMs : nowMs;
    this.#unwritten.set(key, { text, sinceMs, movedAtMs });
    const { restMs, longestMs } = isNewborn ? newbornPatience : patience;
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
