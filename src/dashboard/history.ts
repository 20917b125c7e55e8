/** What has been seen of a rollout since the dashboard started: what each change changed, oldest first. */
import { isSameJson } from "../api/same-json.ts";
import { parseTime } from "../api/time-text.ts";
import type { RolloutView } from "../rollouts/view.ts";
import type { Cell, Series } from "./cells.ts";
import { cellsOf, seriesOf } from "./cells.ts";
import { mostFrames, thinned } from "./page/thinned.js";

/** The first one has every cell; the others only what is different. */
export interface Frame {
  /** RFC 3339. */
  readonly at: string;
  readonly state: RolloutView["state"];
  readonly reason: string;
  readonly series: readonly Series[];
  readonly changed: readonly Cell[];
  /** Keys of cells. */
  readonly gone: readonly string[];
}

/** What is new is seen this soon, also where the time of the cluster runs faster. */
const firstLookMs = 10_000;

export class History {
  #frames: Frame[] = [];
  #cells: ReadonlyMap<string, Cell> = new Map();
  #hasServed = false;

  get frames(): readonly Frame[] {
    return this.#frames;
  }

  /** Whether all that there ever was of it has been seen, and never did all of it serve. */
  isComingUp(createdAt: string | undefined, nowMs: number): boolean {
    const [first] = this.#frames;
    const createdMs = parseTime(createdAt ?? "") ?? Number.NaN;
    const firstMs = parseTime(first?.at ?? "") ?? nowMs;
    return !this.#hasServed && firstMs - createdMs < firstLookMs;
  }

  /** The frame that was added; undefined where nothing that it shows is different. */
  see(view: RolloutView, at: string): Frame | undefined {
    const cells = new Map(cellsOf(view).map((cell) => [cell.key, cell]));
    const changed = [...cells.values()].filter(
      (cell) => !isSameCell(cell, this.#cells.get(cell.key)),
    );
    const gone = [...this.#cells.keys()].filter((key) => !cells.has(key));
    const { state, reason } = view;
    const { available, desired } = view.counts;
    const frame = { at, state, reason: reason.message, series: seriesOf(view), changed, gone };
    const last = this.#frames.at(-1);
    if (last !== undefined && isNoNews(frame, last)) return undefined;
    this.#cells = cells;
    this.#hasServed ||= desired > 0 && available >= desired;
    this.#frames.push(frame);
    if (this.#frames.length > mostFrames) this.#frames = thinned(this.#frames);
    return frame;
  }
}

const isSameCell = (cell: Cell, before: Cell | undefined): boolean =>
  before !== undefined && isSameJson(cell, before);

const isNoNews = (frame: Frame, last: Frame): boolean =>
  frame.changed.length === 0 &&
  frame.gone.length === 0 &&
  frame.state === last.state &&
  frame.reason === last.reason &&
  isSameJson(frame.series, last.series);
