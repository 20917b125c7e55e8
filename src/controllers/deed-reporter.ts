/** Tells what the cliques of a set made and deleted in one event: one per clique would be nearly as many as pods. */
import type { KubeObject } from "../api/object.ts";
import { eventReasons } from "../api/grove/conditions.ts";
import type { Clock, Timer } from "../runtime/clock.ts";
import type { EventRecorder } from "../runtime/event-recorder.ts";
import { podsInWords } from "./deed-words.ts";

/** Names in the order they were asked for. */
export interface Deeds {
  readonly created: readonly string[];
  readonly deleted: readonly string[];
}

/** The first deed waits this long for others. */
const companyMs = 1_000;
/** Between two tellings; they are for people, who read the last one. */
const quietMs = 30_000;

interface Untold {
  readonly about: KubeObject;
  readonly created: string[];
  readonly deleted: string[];
  /** Runs as long as anything is remembered. */
  timer: Timer;
}

export class DeedReporter {
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  /** By uid of the object that the deeds are told of. */
  readonly #untold = new Map<string, Untold>();

  constructor(clock: Clock, events: EventRecorder) {
    this.#clock = clock;
    this.#events = events;
  }

  note(about: KubeObject, { created, deleted }: Deeds): void {
    if (created.length + deleted.length === 0) return;
    const uid = about.metadata.uid ?? "";
    const untold = this.#untold.get(uid) ?? {
      about,
      created: [],
      deleted: [],
      timer: this.#clock.after(companyMs, () => this.#tell(uid)),
    };
    untold.created.push(...created);
    untold.deleted.push(...deleted);
    this.#untold.set(uid, untold);
  }

  /** Tells at once what is still untold. */
  async flush(): Promise<void> {
    for (const uid of this.#untold.keys()) {
      this.#tell(uid);
      this.#untold.get(uid)?.timer.cancel();
    }
    this.#untold.clear();
    await this.#events.flush();
  }

  #tell(uid: string): void {
    const untold = this.#untold.get(uid);
    if (untold === undefined) return;
    const { about, created, deleted, timer } = untold;
    timer.cancel();
    if (created.length + deleted.length === 0) {
      this.#untold.delete(uid);
      return;
    }
    untold.timer = this.#clock.after(quietMs, () => this.#tell(uid));
    this.#record(about, eventReasons.podDeleted, "deleted", deleted.splice(0));
    this.#record(about, eventReasons.podCreated, "created", created.splice(0));
  }

  #record(
    about: KubeObject,
    reason: string,
    verb: "created" | "deleted",
    names: readonly string[],
  ): void {
    if (names.length === 0) return;
    this.#events.record(about, { type: "Normal", reason, message: podsInWords(verb, names) });
  }
}
