/** Writes status and tells deeds, no more often than readers need: a change of phase at once, counters now and then. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { isNotFound } from "../api/status.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventRecorder } from "../runtime/event-recorder.ts";
import { mergePatchTo } from "./merge-patch-to.ts";

/** Between two writes that only move counters. */
const statusQuietMs = 1_500;
/** Counters move in company: the first to move waits this long for the others. */
const companyMs = 300;
/** Between two tellings of what was made and deleted; they are for people, who read the last one. */
const eventsQuietMs = 10_000;

export interface StatusReporterOptions<S> {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly resource: Resource;
  /** What readers wait for: two statuses of equal phase differ in counters and words only. */
  readonly phaseOf: (status: S | undefined) => string;
  readonly reasons: { readonly created: string; readonly deleted: string };
  /** What is made and deleted: `pod`. */
  readonly noun: string;
}

interface Untold {
  statusWrittenAtMs: number;
  /** When the status first differed from what is written. */
  changedAtMs: number | undefined;
  eventsToldAtMs: number;
  created: string[];
  deleted: string[];
}

interface Reported<S> extends KubeObject {
  readonly status?: S;
}

export class StatusReporter<S> {
  readonly #options: StatusReporterOptions<S>;
  readonly #untold = new Map<string, Untold>();

  constructor(options: StatusReporterOptions<S>) {
    this.#options = options;
  }

  forget(key: string): void {
    this.#untold.delete(key);
  }

  /** Remembers deeds until they are told together. */
  note(
    key: string,
    deeds: { readonly created: readonly string[]; readonly deleted: readonly string[] },
  ): void {
    const untold = this.#untoldOf(key);
    untold.created.push(...deeds.created);
    untold.deleted.push(...deeds.deleted);
  }

  warn(object: KubeObject, reason: string, message: string): void {
    this.#options.events.record(object, { type: "Warning", reason, message });
  }

  /** Writes what is due; returns when to come back for what is not due yet. */
  async tell(
    client: Client,
    key: string,
    object: Reported<S>,
    status: S,
  ): Promise<number | undefined> {
    const { clock, phaseOf } = this.#options;
    const untold = this.#untoldOf(key, object);
    const isPhase = phaseOf(object.status) !== phaseOf(status);
    const eventsInMs = this.#tellDeedsIfDue(object, untold, isPhase);
    const change = mergePatchTo(object.status ?? {}, status);
    const nowMs = clock.now();
    untold.changedAtMs = change === undefined ? undefined : (untold.changedAtMs ?? nowMs);
    if (untold.changedAtMs === undefined) return eventsInMs;
    const dueMs = Math.max(
      untold.statusWrittenAtMs + statusQuietMs,
      untold.changedAtMs + companyMs,
    );
    if (dueMs > nowMs && !isPhase) return Math.min(dueMs - nowMs, eventsInMs ?? dueMs - nowMs);
    untold.statusWrittenAtMs = nowMs;
    untold.changedAtMs = undefined;
    await this.#write(client, object, change);
    return eventsInMs;
  }

  /** Carries the version it was computed from: a status from a stale view must not overwrite a newer one. */
  async #write(client: Client, object: KubeObject, status: unknown): Promise<void> {
    const { namespace, name = "", resourceVersion } = object.metadata;
    const body = { metadata: { resourceVersion }, status };
    const patch = { type: "merge", body } as const;
    try {
      const key = { namespace, name };
      await client.patch(this.#options.resource, key, patch, { subresource: "status" });
    } catch (error) {
      // Whoever is gone by now has nothing left to tell, and its deletion comes by the watch.
      if (!isNotFound(error)) throw error;
    }
  }

  /** Deeds are told at the edges of a rollout and, within it, once in a while. */
  #tellDeedsIfDue(object: KubeObject, untold: Untold, isPhase: boolean): number | undefined {
    if (untold.created.length + untold.deleted.length === 0) return undefined;
    const waitMs = untold.eventsToldAtMs + eventsQuietMs - this.#options.clock.now();
    if (waitMs > 0 && !isPhase) return waitMs;
    untold.eventsToldAtMs = this.#options.clock.now();
    const { reasons } = this.#options;
    this.#tellDeeds(object, reasons.deleted, "deleted", untold.deleted.splice(0));
    this.#tellDeeds(object, reasons.created, "created", untold.created.splice(0));
    return undefined;
  }

  #tellDeeds(object: KubeObject, reason: string, verb: string, names: readonly string[]): void {
    if (names.length === 0) return;
    const { events, noun } = this.#options;
    const message = `${verb} ${noun}${names.length === 1 ? "" : "s"} ${listed(names)}`;
    events.record(object, { type: "Normal", reason, message });
  }

  /** A newborn has nothing to say yet: its first words wait until there is something to count. */
  #untoldOf(key: string, object?: Reported<S>): Untold {
    const isNewborn = object !== undefined && object.status === undefined;
    const untold = this.#untold.get(key) ?? {
      changedAtMs: undefined,
      statusWrittenAtMs: isNewborn ? this.#options.clock.now() : Number.NEGATIVE_INFINITY,
      eventsToldAtMs: Number.NEGATIVE_INFINITY,
      created: [],
      deleted: [],
    };
    this.#untold.set(key, untold);
    return untold;
  }
}

const listedAtMost = 5;

function listed(names: readonly string[]): string {
  const more = names.length - listedAtMost;
  const shown = names.slice(0, listedAtMost).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
