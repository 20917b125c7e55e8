/** The units of one rollout, each in its place, with every question a decision asks answered in constant time. */
import type { Policy } from "./policy.ts";
import { answerTable, questionNames, type Occupancy, type Question } from "./questions.ts";
import type { Rollout } from "./rollout.ts";
import { SlotSet } from "./slot-set.ts";
import type { Unit } from "./unit.ts";

interface FleetShape {
  readonly policy: Policy;
  readonly rollout: Rollout;
  readonly nowMs: number;
  /** Places `[0, desired)` are the base, the next `surgeSlots` are for surge, then what must go. */
  readonly ordinals: readonly number[];
  readonly surgeSlots: number;
}

/** A unit whose health is what it counts as: it is terminating as soon as its deletion was requested. */
export type Occupant = Omit<Unit, "health"> & { readonly health: Occupancy };

export const byOrdinalThenId = (a: Occupant, b: Occupant): number =>
  a.ordinal - b.ordinal || (a.id < b.id ? -1 : Number(a.id > b.id));

/** Places below this one keep the revision they have, but for those that go ahead. */
const keptPlaces = (policy: Policy, desired: number): number =>
  policy.kind === "onDelete" ? desired : Math.min(policy.partition, desired);

const placesAhead = (policy: Policy): ReadonlySet<number> =>
  (policy.kind === "rolling" ? policy.ahead : undefined) ?? nothingAhead;
const nothingAhead: ReadonlySet<number> = new Set();

export class Fleet {
  readonly shape: FleetShape;
  readonly desired: number;
  readonly sets: Readonly<Record<Question, SlotSet>>;
  readonly #kept: number;
  readonly #ahead: ReadonlySet<number>;
  readonly #occupants: (Occupant | undefined)[];
  readonly #setsInOrder: readonly SlotSet[];
  readonly #answers: typeof parallelAnswers;
  #available = 0;

  /** The fleet takes `occupants` over and changes them. */
  constructor(shape: FleetShape, occupants: (Occupant | undefined)[]) {
    this.shape = shape;
    this.desired = shape.rollout.desired;
    this.#kept = keptPlaces(shape.policy, this.desired);
    this.#ahead = placesAhead(shape.policy);
    this.#occupants = occupants;
    this.#answers = shape.policy.pacing === "parallel" ? parallelAnswers : orderedAnswers;
    this.#setsInOrder = questionNames.map(() => new SlotSet(occupants.length));
    this.sets = byQuestion(this.#setsInOrder);
    for (let slot = 0; slot < occupants.length; slot += 1) this.#file(slot, true);
  }

  get slots(): number {
    return this.shape.ordinals.length;
  }

  /** Units that serve, surge included. */
  get available(): number {
    return this.#available;
  }

  unitAt(slot: number): Occupant | undefined {
    return this.#occupants[slot];
  }

  /** The unit of a place that is known to hold one. */
  unitIn(slot: number): Occupant {
    const unit = this.#occupants[slot];
    if (unit === undefined) throw new Error(`place ${slot} is empty`);
    return unit;
  }

  occupancyAt(slot: number): Occupancy {
    return this.#occupants[slot]?.health ?? "missing";
  }

  ordinalAt(slot: number): number {
    return this.shape.ordinals[slot] ?? slot;
  }

  isOutdatedAt(slot: number): boolean {
    const unit = this.#occupants[slot];
    return unit !== undefined && unit.revision !== this.shape.rollout.targetRevision;
  }

  /** A lost unit of this place comes back on the revision it had. */
  isKept(slot: number): boolean {
    return slot < this.#kept && !(this.#ahead.size > 0 && this.#ahead.has(this.ordinalAt(slot)));
  }

  /** Puts a unit in its place, or empties it, and files the place under every question. */
  place(slot: number, unit: Occupant | undefined): void {
    this.#file(slot, false);
    this.#occupants[slot] = unit;
    this.#file(slot, true);
  }

  #file(slot: number, isMember: boolean): void {
    const occupancy = this.occupancyAt(slot);
    if (occupancy === "available") this.#available += isMember ? 1 : -1;
    const region = slot >= this.desired ? "extra" : this.isKept(slot) ? "kept" : "staged";
    const isFailed = this.#occupants[slot]?.failed === true;
    const flags = Number(this.isOutdatedAt(slot)) + 2 * Number(isFailed);
    for (const index of this.#answers[region][occupancy][flags] ?? []) {
      if (isMember) this.#setsInOrder[index]?.add(slot);
      else this.#setsInOrder[index]?.delete(slot);
    }
  }
}

/** Copied for every fleet: adding so many names one by one makes several copies of the object on the way. */
const unanswered = Object.fromEntries(
  questionNames.map((name): [string, SlotSet] => [name, new SlotSet(0)]),
) as Record<Question, SlotSet>;

function byQuestion(sets: readonly SlotSet[]): Record<Question, SlotSet> {
  const named = { ...unanswered };
  questionNames.forEach((name, index) => {
    named[name] = sets[index] ?? named[name];
  });
  return named;
}

const parallelAnswers = answerTable(false);
const orderedAnswers = answerTable(true);
