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

/** What was done of one kind, and when: it is reported later than it happened. */
interface Done {
  readonly names: string[];
  readonly firstMs: number;
  lastMs: number;
  times: number;
}

interface Unreported {
  readonly about: KubeObject;
  done: Partial<Record<ActionKind, Done>>;
  /** Runs as long as anything is kept here. */
  timer: Timer;
  /** After the next report. */
  quietMs: number;
}

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
      done: {},
      timer: this.#clock.after(gatherMs, () => this.#report(uid)),
      quietMs: quiet.firstMs,
    };
    const nowMs = this.#clock.now();
    for (const kind of kinds) {
      const names = actions[kind] ?? [];
      if (names.length === 0) continue;
      const done = (unreported.done[kind] ??= {
        names: [],
        firstMs: nowMs,
        lastMs: nowMs,
        times: 0,
      });
      done.names.push(...names);
      done.lastMs = nowMs;
      done.times++;
    }
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
    const { about, done, timer } = unreported;
    timer.cancel();
    if (Object.keys(done).length === 0) {
      this.#unreported.delete(uid);
      return;
    }
    unreported.timer = this.#clock.after(unreported.quietMs, () => this.#report(uid));
    unreported.quietMs = Math.min(2 * unreported.quietMs, quiet.longestMs);
    unreported.done = {};
    for (const kind of kinds) {
      const [reason, all] = [this.#reasons[kind], done[kind]];
      if (reason === undefined || all === undefined) continue;
      const { names, ...happened } = all;
      const text = { type: "Normal", reason, message: inWords(kind, names) } as const;
      this.#events.record(about, text, { happened });
    }
  }
}

function inWords(kind: ActionKind, names: readonly string[]): string {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  const listed = [...times].map(([name, count]) =>
    count === 1 ? name : `${name} (${count} times)`,
  );
  return `${words[kind]}${listed.length === 1 ? "" : "s"} ${aFew(listed)}`;
}

const listedAtMost = 5;

/** A few names, and how many more there are. */
export function aFew(names: readonly string[]): string {
  const more = names.length - listedAtMost;
  const shown = names.slice(0, listedAtMost).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
