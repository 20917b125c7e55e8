/** Tells what was done for an object in a few events: one per pod, clique or replica would drown everything else. */
import type { KubeObject } from "../../api/object.ts";
import { eventReasons } from "../../api/grove/conditions.ts";
import type { Clock, Timer } from "../../runtime/clock.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { inWords } from "./action-words.ts";

/** In the order in which they are told. */
const kinds = ["deleted", "created", "updating"] as const;
type DeedKind = (typeof kinds)[number];

const nouns = { deleted: "pod", created: "pod", updating: "replica" } as const;

/** The reasons of the events that tell of each kind. */
type DeedReasons = Readonly<Record<DeedKind, string>>;

const usualReasons: DeedReasons = {
  deleted: eventReasons.podDeleted,
  created: eventReasons.podCreated,
  updating: eventReasons.updatingReplica,
};

/** Names in the order they were asked for. */
export type Deeds = Readonly<Partial<Record<DeedKind, readonly string[]>>>;

/** The first deed waits this long for others. */
const companyMs = 1_000;
/** Between two tellings; they are for people, who read the last one. The longer it goes on, the less each adds. */
const quiet = { firstMs: 30_000, longestMs: 120_000 };

interface Untold {
  readonly about: KubeObject;
  names: Readonly<Record<DeedKind, string[]>>;
  /** Runs as long as anything is remembered. */
  timer: Timer;
  /** After the next telling. */
  quietMs: number;
}

const nothing = (): Untold["names"] => ({ deleted: [], created: [], updating: [] });
const isNothing = (deeds: Deeds): boolean =>
  kinds.every((kind) => (deeds[kind] ?? []).length === 0);

export class DeedReporter {
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #reasons: DeedReasons;
  /** By uid of the object that the deeds are told of. */
  readonly #untold = new Map<string, Untold>();

  constructor(clock: Clock, events: EventRecorder, reasons: Partial<DeedReasons> = {}) {
    this.#clock = clock;
    this.#events = events;
    this.#reasons = { ...usualReasons, ...reasons };
  }

  note(about: KubeObject, deeds: Deeds): void {
    if (isNothing(deeds)) return;
    const uid = about.metadata.uid ?? "";
    const untold = this.#untold.get(uid) ?? {
      about,
      names: nothing(),
      timer: this.#clock.after(companyMs, () => this.#tell(uid)),
      quietMs: quiet.firstMs,
    };
    for (const kind of kinds) untold.names[kind].push(...(deeds[kind] ?? []));
    this.#untold.set(uid, untold);
  }

  /** Tells at once what is still untold of this object: what comes after it is about to be told. */
  tellNow({ metadata }: KubeObject): void {
    this.#tell(metadata.uid ?? "");
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
    const { about, names, timer } = untold;
    timer.cancel();
    if (isNothing(names)) {
      this.#untold.delete(uid);
      return;
    }
    untold.timer = this.#clock.after(untold.quietMs, () => this.#tell(uid));
    untold.quietMs = Math.min(2 * untold.quietMs, quiet.longestMs);
    untold.names = nothing();
    for (const kind of kinds.filter((each) => names[each].length > 0)) {
      const message = inWords(kind, nouns[kind], names[kind]);
      this.#events.record(about, { type: "Normal", reason: this.#reasons[kind], message });
    }
  }
}
