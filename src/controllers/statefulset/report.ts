/** Tells what happened: status and events, no more often than a person can read them. */
import type { Condition, StatefulSet, StatefulSetStatus } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { DeedReporter } from "../engine/action-events.ts";
import { patchStatus } from "../engine/status-writer.ts";
import type { Deeds } from "./act.ts";
import { isSameStatus } from "./status.ts";

/** Between two writes that only move counters; a change of phase is written at once. */
const statusQuietMs = 1_500;

/** As upstream's controller calls them. */
const reasons = { deleted: "SuccessfulDelete", created: "SuccessfulCreate" } as const;

interface Told {
  statusWrittenAtMs: number;
  readonly warnings: Set<string>;
}

export class Reporter {
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #deeds: DeedReporter;
  readonly #told = new Map<string, Told>();

  constructor(clock: Clock, events: EventRecorder) {
    this.#clock = clock;
    this.#events = events;
    this.#deeds = new DeedReporter(clock, events, reasons);
  }

  forget(key: string): void {
    this.#told.delete(key);
  }

  /** Remembers deeds until they are told together. */
  note(set: StatefulSet, { created, deleted }: Deeds): void {
    this.#deeds.note(set, { created, deleted });
  }

  /** Told once while it stays true: a reminder at every reconcile would drown everything else. */
  warnOnce(key: string, set: StatefulSet, reason: string, message: string): void {
    const { warnings } = this.#toldOf(key);
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
    const told = this.#toldOf(key);
    const isPhase = isPhaseChange(set.status, status);
    if (isPhase) this.#deeds.tellNow(set);
    if (isSameStatus(set.status, status as StatefulSetStatus)) return undefined;
    const waitMs = told.statusWrittenAtMs + statusQuietMs - this.#clock.now();
    if (waitMs > 0 && !isPhase) return waitMs;
    told.statusWrittenAtMs = this.#clock.now();
    await patchStatus(client, statefulSetResource, set, status);
    // Conditions are not shown by `kubectl describe`; events are.
    const stalled = newlyStalled(set.status, status);
    if (stalled !== undefined) this.warn(set, "Stalled", stalled.message ?? "");
    return undefined;
  }

  /** Tells at once what is still untold. */
  flush(): Promise<void> {
    return this.#deeds.flush();
  }

  #toldOf(key: string): Told {
    const told = this.#told.get(key) ?? {
      statusWrittenAtMs: Number.NEGATIVE_INFINITY,
      warnings: new Set(),
    };
    this.#told.set(key, told);
    return told;
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
