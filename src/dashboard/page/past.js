/** What happened, from the changes that the server sends: any moment of it, and who was replaced when. */
import { mostFrames, thinned } from "./thinned.js";

/** Where nothing happens for longer than this, time passes faster in the drawings. */
const longestGapMs = 10_000;
/** What happens in one moment is drawn apart, so that every step of it can be looked at. */
const shortestGapMs = 150;
const clamped = (gapMs) => Math.min(longestGapMs, Math.max(shortestGapMs, gapMs));

const mostReplaced = 100;

const byName = new Intl.Collator("en", { numeric: true }).compare;
const isOutdated = (cell) => Number(cell !== undefined && !cell.isUpdated);

export class Past {
  /** The last of those that were replaced, by what, and for how long each was away; and how many in all. */
  replaced = [];
  replacedCount = 0;
  /** By the clock of the cluster. */
  nowMs = 0;
  /** Cells that do not serve: since when, and of which revision they were. */
  #away = new Map();

  constructor(frames = []) {
    this.#reset();
    for (const frame of frames) this.add(frame);
  }

  #reset() {
    this.frames = [];
    /** Milliseconds of every frame, and where it is drawn. */
    this.times = [];
    this.places = [];
    /** Of every frame, how many cells were outdated: an update goes on where some are. */
    this.outdated = [];
    /** What is there now. */
    this.cells = new Map();
    /** By cell: from which frame on it was as it was. */
    this.lanes = new Map();
    /** By name: from which frame on its counters were as they were. */
    this.series = new Map();
    this.keys = [];
  }

  add(frame) {
    const ms = Date.parse(frame.at);
    for (const key of frame.gone) this.#leave(this.cells.get(key), ms);
    for (const cell of frame.changed) this.#arrive(cell, this.cells.get(cell.key), ms);
    this.#append(frame, ms);
    if (this.frames.length <= mostFrames) return;
    const kept = thinned(this.frames);
    this.#reset();
    for (const each of kept) this.#append(each, Date.parse(each.at));
  }

  #append(frame, ms) {
    const index = this.frames.length;
    let outdated = this.outdated.at(-1) ?? 0;
    for (const key of frame.gone) {
      outdated -= isOutdated(this.cells.get(key));
      this.cells.delete(key);
      pushTo(this.lanes, key, { index, cell: null });
    }
    for (const cell of frame.changed) {
      outdated += isOutdated(cell) - isOutdated(this.cells.get(cell.key));
      this.cells.set(cell.key, cell);
      pushTo(this.lanes, cell.key, { index, cell });
    }
    for (const each of frame.series) {
      const last = this.series.get(each.name)?.at(-1)?.series;
      if (last === undefined || !isSameSeries(last, each)) {
        pushTo(this.series, each.name, { index, series: each });
      }
    }
    this.places.push(
      index === 0 ? 0 : this.places[index - 1] + clamped(ms - this.times[index - 1]),
    );
    this.frames.push(frame);
    this.times.push(ms);
    this.outdated.push(outdated);
  }

  /** As it was when this frame was new. */
  cellsAt(index) {
    if (index >= this.frames.length - 1) return this.cells;
    const cells = new Map();
    for (const { gone, changed } of this.frames.slice(0, index + 1)) {
      for (const key of gone) cells.delete(key);
      for (const cell of changed) cells.set(cell.key, cell);
    }
    return cells;
  }

  /** The frame of this moment. */
  indexOf(ms) {
    return Math.max(
      0,
      this.times.findLastIndex((each) => each <= ms),
    );
  }

  /** Where a frame begins, between 0 and 1: the last one goes on until now. */
  share(index) {
    return this.places[index] === undefined ? 1 : this.places[index] / this.#length();
  }

  /** Whether time passes faster somewhere in the drawings. */
  get isShortened() {
    return this.times.some((ms, at) => (this.times[at + 1] ?? this.nowMs) - ms > longestGapMs);
  }

  #length() {
    const since = this.nowMs - (this.times.at(-1) ?? this.nowMs);
    return (this.places.at(-1) ?? 0) + Math.min(longestGapMs, Math.max(500, since));
  }

  /** The last frame that is drawn at or before this share. */
  indexAt(share) {
    // Half a millisecond more: a share is rounded.
    const place = share * this.#length() + 0.5;
    const after = this.places.findIndex((each) => each > place);
    return after < 0 ? this.frames.length - 1 : Math.max(0, after - 1);
  }

  /** The moment that is drawn at this share. */
  timeAt(share) {
    const index = this.indexAt(share);
    const place = this.places[index] ?? 0;
    const drawn = (this.places[index + 1] ?? this.#length()) - place;
    const ms = this.times[index] ?? this.nowMs;
    const passed = Math.max(0, (this.times[index + 1] ?? this.nowMs) - ms);
    return ms + (passed * Math.max(0, share * this.#length() - place)) / drawn;
  }

  /** In the order of their names. */
  laneKeys() {
    if (this.keys.length !== this.lanes.size) this.keys = [...this.lanes.keys()].toSorted(byName);
    return this.keys;
  }

  #leave(cell, ms) {
    if (cell !== undefined && !this.#away.has(cell.key)) {
      this.#away.set(cell.key, { ms, revision: cell.revision });
    }
  }

  #arrive(cell, before, ms) {
    if (cell.health !== "available") return this.#leave(before, ms);
    const left = this.#away.get(cell.key);
    this.#away.delete(cell.key);
    if (left === undefined || left.revision === cell.revision) return;
    const { key, name, revision } = cell;
    const seconds = Math.round((ms - left.ms) / 1000);
    this.replacedCount += 1;
    this.replaced.push({ key, name, ms, seconds, from: left.revision, to: revision });
    if (this.replaced.length > mostReplaced) this.replaced.shift();
  }
}

function pushTo(map, key, item) {
  const items = map.get(key);
  if (items === undefined) map.set(key, [item]);
  else items.push(item);
}

const isSameSeries = (a, b) =>
  a.available === b.available &&
  a.updated === b.updated &&
  a.desired === b.desired &&
  a.minimum === b.minimum;
