/** Tells what happened: status and events, no more often than a person can read them. */
import type { Condition, StatefulSet, StatefulSetStatus } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { inWords } from "../deed-words.ts";
import type { Deeds } from "./act.ts";
import { isSameStatus } from "./status.ts";

/** Between two writes that only move counters; a change of phase is written at once. */
const statusQuietMs = 1_500;
/** Between two tellings of what was made and deleted; they are for people, who read the last one. */
const eventsQuietMs = 10_000;

interface Untold {
  statusWrittenAtMs: number;
  eventsToldAtMs: number;
  created: string[];
  deleted: string[];
  readonly warnings: Set<string>;
}

export class Reporter {
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #untold = new Map<string, Untold>();

  constructor(clock: Clock, events: EventRecorder) {
    this.#clock = clock;
    this.#events = events;
  }

  forget(key: string): void {
    this.#untold.delete(key);
  }

  /** Remembers deeds until they are told together. */
  note(key: string, deeds: Pick<Deeds, "created" | "deleted">): void {
    const untold = this.#untoldOf(key);
    untold.created.push(...deeds.created);
    untold.deleted.push(...deeds.deleted);
  }

  /** Told once while it stays true: a reminder at every reconcile would drown everything else. */
  warnOnce(key: string, set: StatefulSet, reason: string, message: string): void {
    const { warnings } = this.#untoldOf(key);
    const text = `${reason}: ${message}`;
    if (warnings.has(text)) return;
    warnings.add(text);
    this.warn(set, reason, message);
  }

  warn(set: StatefulSet, reason: string, message: string): void {
    this.#events.record(set, { type: "Warning", reason, message });
  }

  /** Writes what is due; returns when to come back for what is not due yet. */
  async tell(
    client: Client,
    key: string,
    set: StatefulSet,
    status: Partial<StatefulSetStatus> & Pick<StatefulSetStatus, "conditions">,
  ): Promise<number | undefined> {
    const untold = this.#untoldOf(key);
    const isPhase = isPhaseChange(set.status, status);
    const eventsInMs = this.#tellDeedsIfDue(set, untold, isPhase);
    if (isSameStatus(set.status, status as StatefulSetStatus)) return eventsInMs;
    const waitMs = untold.statusWrittenAtMs + statusQuietMs - this.#clock.now();
    if (waitMs > 0 && !isPhase) return Math.min(waitMs, eventsInMs ?? waitMs);
    untold.statusWrittenAtMs = this.#clock.now();
    await writeStatus(client, set, status);
    // Conditions are not shown by `kubectl describe`; events are.
    const stalled = newlyStalled(set.status, status);
    if (stalled !== undefined) this.warn(set, "Stalled", stalled.message ?? "");
    return eventsInMs;
  }

  /** Deeds are told at the edges of a rollout and, within it, once in a while. */
  #tellDeedsIfDue(set: StatefulSet, untold: Untold, isPhase: boolean): number | undefined {
    if (untold.created.length + untold.deleted.length === 0) return undefined;
    const waitMs = untold.eventsToldAtMs + eventsQuietMs - this.#clock.now();
    if (waitMs > 0 && !isPhase) return waitMs;
    untold.eventsToldAtMs = this.#clock.now();
    this.#tellDeeds(set, untold);
    return undefined;
  }

  #tellDeeds(set: StatefulSet, untold: Untold): void {
    const tell = (reason: string, verb: "created" | "deleted", names: readonly string[]): void => {
      if (names.length === 0) return;
      this.#events.record(set, { type: "Normal", reason, message: inWords(verb, "pod", names) });
    };
    tell("SuccessfulDelete", "deleted", untold.deleted);
    tell("SuccessfulCreate", "created", untold.created);
    untold.deleted = [];
    untold.created = [];
  }

  #untoldOf(key: string): Untold {
    const untold = this.#untold.get(key) ?? {
      statusWrittenAtMs: Number.NEGATIVE_INFINITY,
      eventsToldAtMs: Number.NEGATIVE_INFINITY,
      created: [],
      deleted: [],
      warnings: new Set(),
    };
    this.#untold.set(key, untold);
    return untold;
  }
}

/** What readers wait for: a new generation seen, another revision, a condition that flipped or changed its reason. */
function isPhaseChange(
  old: StatefulSetStatus | undefined,
  next: Partial<StatefulSetStatus>,
): boolean {
  if (old === undefined) return true;
  const phase = (status: Partial<StatefulSetStatus>): string =>
    JSON.stringify([
      next.observedGeneration === undefined ? 0 : status.observedGeneration,
      next.currentRevision === undefined ? "" : status.currentRevision,
      next.updateRevision === undefined ? "" : status.updateRevision,
      (status.conditions ?? []).map(({ type, status: value }) => `${type}=${value}`).toSorted(),
    ]);
  return phase(old) !== phase(next);
}

function newlyStalled(
  old: StatefulSetStatus | undefined,
  next: Partial<StatefulSetStatus>,
): Condition | undefined {
  const isStalled = ({ type, status }: Condition): boolean =>
    type === "Stalled" && status === "True";
  return old?.conditions?.some(isStalled) === true ? undefined : next.conditions?.find(isStalled);
}

/** Carries the version it was computed from: a status from a stale view must not overwrite a newer one. */
async function writeStatus(
  client: Client,
  set: StatefulSet,
  status: Partial<StatefulSetStatus>,
): Promise<void> {
  const { namespace, name = "", resourceVersion } = set.metadata;
  const body = { metadata: { resourceVersion }, status };
  const options = { subresource: "status" };
  await client.patch(statefulSetResource, { namespace, name }, { type: "merge", body }, options);
}
