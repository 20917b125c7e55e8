/** Follows the pods of a cluster: a line per change, a drawing of what is there, invariants after every event. */
import type { Pod } from "../api/pod.ts";
import { isReady, podResource } from "../api/pod.ts";
import type { Client } from "../runtime/client.ts";
import type { EventType, Selection } from "./follow.ts";
import { follow } from "./follow.ts";
import type { Invariant, KindDrawing, PodEvent } from "./scenario-kind.ts";
import { imageOf, isTerminating } from "./scenario-kind.ts";
import type { Line } from "./timeline-moments.ts";
import { momentsOf } from "./timeline-moments.ts";

export interface TimelineOptions {
  readonly client: Client;
  readonly clock: { now(): number };
  readonly drawing: KindDrawing;
  /** Called with every break of an invariant. */
  readonly report: (violation: string) => void;
  readonly selection?: Selection;
}

export interface Guarded {
  /** The fewest pods that served at once. */
  fewest: number;
  /** The most pods that were there at once. */
  most: number;
}

export class Timeline {
  readonly #options: TimelineOptions;
  readonly #startMs: number;
  readonly #pods: ReadonlyMap<string, Pod>;
  readonly #invariants: Invariant[] = [];
  readonly #lines: Line[] = [];

  constructor(options: TimelineOptions) {
    const { client, clock, drawing, selection = {} } = options;
    this.#options = options;
    this.#startMs = clock.now();
    this.#pods = follow<Pod>({ client, resource: podResource, selection }, (type, pod, before) =>
      this.#seePod(type, pod, before),
    );
    for (const [what, resource] of Object.entries(drawing.others ?? {})) {
      follow({ client, resource, selection }, (type, { metadata }) => {
        if (type === "ADDED") this.#line(`+${what} ${metadata.name}`);
        if (type === "DELETED") this.#line(`-${what} ${metadata.name}`);
      });
    }
  }

  /** Checked after every event from now on. */
  always(invariant: Invariant): void {
    this.#invariants.push(invariant);
  }

  /** From now on records the fewest pods that serve and the most that are there. */
  guard({ countsTerminating = false } = {}): Guarded {
    const guarded: Guarded = { fewest: Number.POSITIVE_INFINITY, most: 0 };
    const look: Invariant = (pods) => {
      const live = pods.filter((pod) => !isTerminating(pod));
      guarded.fewest = Math.min(guarded.fewest, live.filter(isReady).length);
      guarded.most = Math.max(guarded.most, (countsTerminating ? pods : live).length);
    };
    look(this.pods(), "");
    this.always(look);
    return guarded;
  }

  /** Lines since the last `take`: `12s +web-0 web:v1`. */
  lines(): string[] {
    return this.#lines.map(({ atMs, text }) => `${this.#at(atMs)} ${text}`);
  }

  /** The same, and they are forgotten. */
  take(): string[] {
    const lines = this.lines();
    this.#lines.length = 0;
    return lines;
  }

  /** Since the last `take`, with what happened together side by side. */
  moments(): string {
    return momentsOf(this.#lines);
  }

  pods(): Pod[] {
    return [...this.#pods.values()];
  }

  /** `web-0 web:v1`, by name; `!` is not ready, `~` terminating. */
  draw(): string[] {
    return this.pods()
      .map((pod) => `${this.#options.drawing.nameOf(pod)} ${imageOf(pod)}${markOf(pod)}`)
      .toSorted();
  }

  #seePod(type: EventType, pod: Pod, before: Pod | undefined): void {
    const wasTerminating = before !== undefined && isTerminating(before);
    if (type === "ADDED") this.#podLine("created", pod);
    if (isTerminating(pod) && !wasTerminating) this.#podLine("terminating", pod);
    const isUp = isReady(pod) && !isTerminating(pod);
    if (isUp && before !== undefined && !isReady(before)) this.#podLine("ready", pod);
    this.#check();
  }

  #podLine(event: PodEvent, pod: Pod): void {
    const text = this.#options.drawing.line(event, pod);
    if (text !== undefined) this.#line(text);
  }

  #line(text: string): void {
    this.#lines.push({ atMs: this.#options.clock.now(), text });
  }

  #check(): void {
    if (this.#invariants.length === 0) return;
    const pods = this.pods();
    const at = this.#at(this.#options.clock.now());
    for (const invariant of this.#invariants) {
      try {
        invariant(pods, at);
      } catch (error) {
        this.#options.report(error instanceof Error ? error.message : String(error));
      }
    }
  }

  #at(atMs: number): string {
    return `${((atMs - this.#startMs) / 1000).toFixed(0)}s`;
  }
}

function markOf(pod: Pod): string {
  if (isTerminating(pod)) return "~";
  return isReady(pod) ? "" : "!";
}
