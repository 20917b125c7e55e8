/** Reports performed actions in a few events: one per pod or replica would drown everything else. */
import type { KubeObject } from "../../api/object.ts";
import type { Clock, Timer } from "../../runtime/clock.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";

/** In the order in which they are reported. */
const kinds = ["deleted", "removed", "created", "updating"] as const;
type ActionKind = (typeof kinds)[number];

const words = {
  deleted: "deleted pod",
  removed: "deleted replica",
  created: "created pod",
  updating: "updating replica",
} as const;

/** The reason of the events of each kind; kinds without one are not reported. */
export type ActionReasons = Readonly<Partial<Record<ActionKind, string>>>;

/** Names in the order in which the actions were performed. */
export type PerformedActions = Readonly<Partial<Record<ActionKind, readonly string[]>>>;

/** The first action waits this long for others. */
const gatherMs = 1_000;
/** Between two reports; they are for people, who read the last one. The longer it goes on, the less each adds. */
const quiet = { firstMs: 30_000, longestMs: 120_000 };

interface Unreported {
  readonly about: KubeObject;
  names: Readonly<Record<ActionKind, string[]>>;
  /** Runs as long as anything is kept here. */
  timer: Timer;
  /** After the next report. */
  quietMs: number;
}

const nothing = (): Unreported["names"] => ({
  deleted: [],
  removed: [],
  created: [],
  updating: [],
});
const isNothing = (actions: PerformedActions): boolean =>
  kinds.every((kind) => (actions[kind] ?? []).length === 0);

export class ActionEvents {
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #reasons: ActionReasons;
  /** By uid of the object that the events are about; each entry ends with its timer. */
  readonly #unreported = new Map<string, Unreported>();

  constructor(clock: Clock, events: EventRecorder, reasons: ActionReasons) {
    this.#clock = clock;
    this.#events = events;
    this.#reasons = reasons;
  }

  add(about: KubeObject, actions: PerformedActions): void {
    if (isNothing(actions)) return;
    const uid = about.metadata.uid ?? "";
    const unreported = this.#unreported.get(uid) ?? {
      about,
      names: nothing(),
      timer: this.#clock.after(gatherMs, () => this.#report(uid)),
      quietMs: quiet.firstMs,
    };
    for (const kind of kinds) unreported.names[kind].push(...(actions[kind] ?? []));
    this.#unreported.set(uid, unreported);
  }

  /** Reports what is left of this object, so that it comes before what is about to be reported. */
  reportNow({ metadata }: KubeObject): void {
    this.#report(metadata.uid ?? "");
  }

  /** Reports everything that is left. */
  async flush(): Promise<void> {
    for (const uid of this.#unreported.keys()) {
      this.#report(uid);
      this.#unreported.get(uid)?.timer.cancel();
    }
    this.#unreported.clear();
    await this.#events.flush();
  }

  #report(uid: string): void {
    const unreported = this.#unreported.get(uid);
    if (unreported === undefined) return;
    const { about, names, timer } = unreported;
    timer.cancel();
    if (isNothing(names)) {
      this.#unreported.delete(uid);
      return;
    }
    unreported.timer = this.#clock.after(unreported.quietMs, () => this.#report(uid));
    unreported.quietMs = Math.min(2 * unreported.quietMs, quiet.longestMs);
    unreported.names = nothing();
    for (const kind of kinds.filter((each) => names[each].length > 0)) {
      const reason = this.#reasons[kind];
      if (reason === undefined) continue;
      this.#events.record(about, { type: "Normal", reason, message: inWords(kind, names[kind]) });
    }
  }
}

const inWords = (kind: ActionKind, names: readonly string[]): string =>
  `${words[kind]}${names.length === 1 ? "" : "s"} ${aFew(names)}`;

const listedAtMost = 5;

/** A few names, and how many more there are. */
export function aFew(names: readonly string[]): string {
  const more = names.length - listedAtMost;
  const shown = names.slice(0, listedAtMost).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
