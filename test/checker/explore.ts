/** Visits every state a model can reach, fewest faults first, and proves that fair runs end. */

export interface Move<State> {
  readonly label: () => string;
  readonly next: State;
  /** A fault or a user who changes their mind; a run has a limited number of these. */
  readonly isHostile: boolean;
  /** It will happen eventually without interference. */
  readonly isFair: boolean;
}

export interface Visit<State> {
  /** The promise that is broken here, in words. */
  readonly broken: string | undefined;
  /** What the planner answers here, for a timeline that ends here. */
  readonly answer: () => string;
  readonly moves: readonly Move<State>[];
  /** The state may last forever: the rollout is done, or it holds and says what would free it. */
  readonly mayRest: boolean;
}

export interface Model<State> {
  readonly starts: readonly State[];
  readonly keyOf: (state: State) => string;
  /** Hostile moves may be omitted if no fault is left. */
  readonly visit: (state: State, mayHarm: boolean) => Visit<State>;
  readonly draw: (state: State) => string;
}

export interface Verdict {
  readonly states: number;
  readonly transitions: number;
  /** Undefined when every promise holds in every state. */
  readonly counterexample: Counterexample | undefined;
}

export interface Counterexample {
  readonly promise: string;
  /** One line per event, from a start to where the promise breaks. */
  readonly timeline: readonly string[];
}

export function explore<State>(model: Model<State>, maxFaults: number): Verdict {
  return new Exploration(model, maxFaults).run();
}

interface Reached<State> {
  readonly state: State;
  readonly parent: number;
}

class Exploration<State> {
  readonly #model: Model<State>;
  readonly #maxFaults: number;
  readonly #indexByKey = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #parents: number[] = [];
  readonly #mayRest: boolean[] = [];
  readonly #fairFrom: number[] = [];
  readonly #fairTo: number[] = [];
  #transitions = 0;
  /** States of this many faults whose moves are not known yet, with their indices. */
  #open: { readonly state: State; readonly index: number }[] = [];
  /** States reached by one more fault. A state may still be reached with fewer. */
  #later = new Map<string, Reached<State>>();

  constructor(model: Model<State>, maxFaults: number) {
    this.#model = model;
    this.#maxFaults = maxFaults;
  }

  run(): Verdict {
    for (const state of this.#model.starts) this.#enter(state, this.#model.keyOf(state), -1);
    for (let faults = 0; this.#open.length > 0; faults += 1) {
      const broken = this.#expandAll(faults < this.#maxFaults);
      if (broken !== undefined) return this.#verdict(broken);
      const reached = this.#later;
      this.#later = new Map();
      for (const [key, { state, parent }] of reached) this.#enter(state, key, parent);
    }
    return this.#verdict(this.#findEndless());
  }

  #verdict(counterexample: Counterexample | undefined): Verdict {
    return { states: this.#keys.length, transitions: this.#transitions, counterexample };
  }

  #enter(state: State, key: string, parent: number): number {
    const known = this.#indexByKey.get(key);
    if (known !== undefined) return known;
    const index = this.#keys.length;
    this.#indexByKey.set(key, index);
    this.#keys.push(key);
    this.#parents.push(parent);
    this.#open.push({ state, index });
    return index;
  }

  #expandAll(mayHarm: boolean): Counterexample | undefined {
    const open = this.#open;
    for (let at = 0; at < open.length; at += 1) {
      const { state, index } = open[at]!;
      const visit = this.#model.visit(state, mayHarm);
      if (visit.broken !== undefined) {
        const timeline = [...this.#timelineTo(index), `    => ${visit.answer()}`];
        return { promise: visit.broken, timeline };
      }
      this.#mayRest[index] = visit.mayRest;
      for (const move of visit.moves) this.#follow(move, index, mayHarm);
    }
    this.#open = [];
    return undefined;
  }

  #follow({ next, isHostile, isFair }: Move<State>, from: number, mayHarm: boolean): void {
    if (isHostile && !mayHarm) return;
    this.#transitions += 1;
    const key = this.#model.keyOf(next);
    if (isHostile && Number.isFinite(this.#maxFaults)) {
      if (!this.#indexByKey.has(key) && !this.#later.has(key)) {
        this.#later.set(key, { state: next, parent: from });
      }
      return;
    }
    const to = this.#enter(next, key, from);
    if (!isFair || to === from) return;
    this.#fairFrom.push(from);
    this.#fairTo.push(to);
  }

  /**
   * Removes, again and again, every state whose fair moves all lead to removed states.
   * A state that is left can run in a cycle forever.
   */
  #findEndless(): Counterexample | undefined {
    const size = this.#keys.length;
    const ways = new Int32Array(size);
    const cameFrom = new Int32Array(size + 1);
    for (const from of this.#fairFrom) ways[from]! += 1;
    for (const to of this.#fairTo) cameFrom[to + 1]! += 1;
    for (let at = 0; at < size; at += 1) cameFrom[at + 1]! += cameFrom[at]!;
    const filled = cameFrom.slice();
    const sources = new Int32Array(this.#fairTo.length);
    this.#fairTo.forEach((to, edge) => (sources[filled[to]!++] = this.#fairFrom[edge]!));

    const ended: number[] = [];
    for (let at = 0; at < size; at += 1) if (ways[at] === 0) ended.push(at);
    const stuck = ended.find((at) => this.#mayRest[at] === false);
    if (stuck !== undefined) {
      const promise = "P7 live: nothing more happens, and it is neither done nor explained";
      return { promise, timeline: this.#timelineTo(stuck) };
    }
    for (let at = 0; at < ended.length; at += 1) {
      const to = ended[at]!;
      for (let edge = cameFrom[to]!; edge < cameFrom[to + 1]!; edge += 1) {
        const from = sources[edge]!;
        ways[from]! -= 1;
        if (ways[from] === 0) ended.push(from);
      }
    }
    if (ended.length === size) return undefined;
    const endless = ways.findIndex((count) => count > 0);
    return { promise: "P7 live: a fair run never ends", timeline: this.#circle(endless, ways) };
  }

  #circle(start: number, ways: Int32Array): string[] {
    const onwards = new Map<number, number>();
    this.#fairFrom.forEach((from, edge) => {
      const to = this.#fairTo[edge]!;
      if (ways[from]! > 0 && ways[to]! > 0) onwards.set(from, to);
    });
    const path: number[] = [];
    let at = start;
    while (!path.includes(at) && onwards.has(at)) {
      path.push(at);
      at = onwards.get(at)!;
    }
    const names = [...path, at].slice(1);
    return [...this.#timelineTo(start), ...this.#replay(this.#stateAt(start), names), "and so on"];
  }

  #pathTo(index: number): number[] {
    const path: number[] = [];
    for (let at = index; at >= 0; at = this.#parents[at]!) path.unshift(at);
    return path;
  }

  #startOf(path: readonly number[]): State {
    const key = this.#keys[path[0]!];
    return this.#model.starts.find((state) => this.#model.keyOf(state) === key)!;
  }

  #stateAt(index: number): State {
    const path = this.#pathTo(index);
    let state = this.#startOf(path);
    for (const step of path.slice(1)) state = this.#moveTo(state, step).next;
    return state;
  }

  #moveTo(state: State, index: number): Move<State> {
    const key = this.#keys[index];
    const { moves } = this.#model.visit(state, true);
    return moves.find(({ next }) => this.#model.keyOf(next) === key)!;
  }

  #timelineTo(index: number): string[] {
    const path = this.#pathTo(index);
    const start = this.#startOf(path);
    return [line(0, "start", this.#model.draw(start)), ...this.#replay(start, path.slice(1))];
  }

  #replay(start: State, path: readonly number[]): string[] {
    let state = start;
    return path.map((index, at) => {
      const move = this.#moveTo(state, index);
      state = move.next;
      return line(at + 1, move.label(), this.#model.draw(state));
    });
  }
}

const line = (at: number, what: string, drawing: string): string =>
  `t${String(at).padEnd(2)} ${what.padEnd(34)} | ${drawing}`;
