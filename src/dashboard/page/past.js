/** What happened, from the changes that the server sends: any moment of it, and who was replaced when. */

/** Where nothing happens for longer than this, time passes faster in the drawings. */
const longestGapMs = 10_000;

const byName = new Intl.Collator("en", { numeric: true }).compare;

export class Past {
  frames = [];
  /** Milliseconds of every frame, and where it is drawn. */
  times = [];
  places = [];
  /** What is there now. */
  cells = new Map();
  /** By cell: from which frame on it was as it was. */
  lanes = new Map();
  replaced = [];
  /** By the clock of the cluster. */
  nowMs = 0;
  #away = new Map();
  #keys = [];

  constructor(frames = []) {
    for (const frame of frames) this.add(frame);
  }

  add(frame) {
    const index = this.frames.length;
    const ms = Date.parse(frame.at);
    const gap = index === 0 ? 0 : Math.min(longestGapMs, Math.max(1, ms - this.times[index - 1]));
    this.frames.push(frame);
    this.times.push(ms);
    this.places.push(index === 0 ? 0 : this.places[index - 1] + gap);
    for (const key of frame.gone) {
      this.#leave(this.cells.get(key), ms);
      this.cells.delete(key);
      this.#lane(key).push({ index, cell: null });
    }
    for (const cell of frame.changed) {
      this.#arrive(cell, this.cells.get(cell.key), ms);
      this.cells.set(cell.key, cell);
      this.#lane(cell.key).push({ index, cell });
    }
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

  /** Where a frame begins, between 0 and 1: the last one goes on until now. */
  share(index) {
    return (this.places[index] ?? 0) / this.#length();
  }

  #length() {
    const since = this.nowMs - (this.times.at(-1) ?? this.nowMs);
    return (this.places.at(-1) ?? 0) + Math.min(longestGapMs, Math.max(500, since));
  }

  /** The last frame that is drawn at or before this share. */
  indexAt(share) {
    const place = share * this.#length();
    const after = this.places.findIndex((each) => each > place);
    return after < 0 ? this.frames.length - 1 : Math.max(0, after - 1);
  }

  /** In the order of their names. */
  laneKeys() {
    if (this.#keys.length !== this.lanes.size) this.#keys = [...this.lanes.keys()].toSorted(byName);
    return this.#keys;
  }

  #lane(key) {
    const lane = this.lanes.get(key) ?? [];
    this.lanes.set(key, lane);
    return lane;
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
    this.replaced.push({ key, name, ms, seconds, from: left.revision, to: revision });
  }
}
