/** How far a simulation is: a bar on a terminal, a line now and then where another program reads. */
import type { Counts } from "../simulation/sweep.ts";
import type { Io } from "./io.ts";
import { LiveScreen } from "./live-screen.ts";

const barWidth = 30;
const redrawMs = 200;
const lineEveryMs = 15_000;

export interface ProgressOptions {
  readonly io: Io;
  readonly runs: number | undefined;
  readonly minutes: number | undefined;
  readonly isQuiet: boolean;
}

export class SimProgress {
  readonly #options: ProgressOptions;
  readonly #screen: LiveScreen;
  readonly #startMs: number;
  #nextMs: number;

  constructor(options: ProgressOptions) {
    const { io } = options;
    this.#options = options;
    this.#screen = new LiveScreen(io);
    this.#startMs = io.clock.monotonic();
    this.#nextMs = this.#startMs + (io.isTerminal ? 0 : lineEveryMs);
  }

  show(counts: Counts, failures: number): void {
    const { io, isQuiet } = this.#options;
    const nowMs = io.clock.monotonic();
    if (isQuiet || nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + (io.isTerminal ? redrawMs : lineEveryMs);
    const text = this.#text(counts, failures, nowMs);
    if (io.isTerminal) this.#screen.draw([text]);
    else io.warn(text);
  }

  say(text: string): void {
    const { io, isQuiet } = this.#options;
    if (isQuiet) return;
    if (io.isTerminal) this.#screen.draw([text]);
  }

  end(): void {
    if (!this.#options.isQuiet && this.#options.io.isTerminal) this.#screen.draw([]);
    this.#screen.end();
  }

  #text({ runs, rollouts }: Counts, failures: number, nowMs: number): string {
    const seconds = (nowMs - this.#startMs) / 1000;
    const share = Math.min(1, Math.max(this.#ofRuns(runs), this.#ofTime(seconds)));
    const filled = Math.round(share * barWidth);
    const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`;
    const speed = seconds > 0 ? (rollouts / seconds).toFixed(1) : "0";
    const failed = failures === 0 ? "" : `, ${failures} failed`;
    return `${bar} ${(share * 100).toFixed(0)}%  ${runs} runs, ${rollouts} rollouts, ${speed}/s${failed}`;
  }

  #ofRuns(runs: number): number {
    return this.#options.runs === undefined ? 0 : runs / this.#options.runs;
  }

  #ofTime(seconds: number): number {
    return this.#options.minutes === undefined ? 0 : seconds / (this.#options.minutes * 60);
  }
}
