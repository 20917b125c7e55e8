/** The units of one rollout, each in its place, with every question a decision asks answered in constant time. */
import { isFailedMark, isOutdatedMark, markOf, marks, occupancyOf } from "./mark.ts";
import type { Policy } from "./policy.ts";
import { answers, questionNames, regions, type Occupancy, type Question } from "./questions.ts";
import type { Rollout } from "./rollout.ts";
import { emptySets, type SlotSet } from "./slot-set.ts";
import type { Unit } from "./unit.ts";

export interface FleetShape {
  readonly policy: Policy;
  readonly rollout: Rollout;
  readonly nowMs: number;
  /** Places `[0, desired)` are the base, the next `surgeSlots` are for surge, then what must go. */
  readonly ordinals: Int32Array;
  readonly surgeSlots: number;
}

/** Who holds each place at first; the fleet takes these over and changes them. */
export interface Holders {
  readonly units: (Unit | undefined)[];
  readonly marks: Uint8Array;
  readonly bornAtMs: Float64Array;
}

/** Places below this one keep the revision they have. */
export const keptPlaces = (policy: Policy, desired: number): number =>
  policy.kind === "onDelete" ? desired : Math.min(policy.partition, desired);

export class Fleet {
  readonly shape: FleetShape;
  readonly desired: number;
  readonly sets: Readonly<Record<Question, SlotSet>>;
  readonly #kept: number;
  readonly #units: (Unit | undefined)[];
  readonly #marks: Uint8Array;
  readonly #bornAtMs: Float64Array;
  readonly #setsInOrder: readonly SlotSet[];
  readonly #answers: Answers;
  #available = 0;

  constructor(shape: FleetShape, holders: Holders) {
    const slots = shape.ordinals.length;
    this.shape = shape;
    this.desired = shape.rollout.desired;
    this.#kept = keptPlaces(shape.policy, this.desired);
    this.#units = holders.units;
    this.#marks = holders.marks;
    this.#bornAtMs = holders.bornAtMs;
    this.#answers = shape.policy.pacing === "parallel" ? parallelAnswers : orderedAnswers;
    this.#setsInOrder = emptySets(questionNames.length, slots);
    this.sets = byQuestion(this.#setsInOrder);
    this.#fileAll();
  }

  get slots(): number {
    return this.shape.ordinals.length;
  }

  /** Units that serve, surge included. */
  get available(): number {
    return this.#available;
  }

  unitAt(slot: number): Unit | undefined {
    return this.#units[slot];
  }

  /** The unit of a place that is known to hold one. */
  unitIn(slot: number): Unit {
    const unit = this.#units[slot];
    if (unit === undefined) throw new Error(`nobody is in place ${slot}`);
    return unit;
  }

  bornAtMs(slot: number): number {
    return this.#bornAtMs[slot] ?? 0;
  }

  occupancyAt(slot: number): Occupancy {
    return occupancyOf(this.#marks[slot] ?? 0);
  }

  ordinalAt(slot: number): number {
    return this.shape.ordinals[slot] ?? slot;
  }

  isOutdatedAt(slot: number): boolean {
    return isOutdatedMark(this.#marks[slot] ?? 0);
  }

  /** Puts a unit in its place, or empties it, and files the place under every question. */
  place(slot: number, unit: Unit | undefined, occupancy: Occupancy): void {
    const { targetRevision } = this.shape.rollout;
    const isOutdated = unit !== undefined && unit.revision !== targetRevision;
    const mark = markOf(occupancy, isOutdated, unit?.failed === true);
    this.#available +=
      Number(occupancy === "available") - Number(this.occupancyAt(slot) === "available");
    for (const index of this.#answersAt(slot)) this.#setsInOrder[index]?.set(slot, false);
    this.#units[slot] = unit;
    this.#marks[slot] = mark;
    this.#bornAtMs[slot] = unit?.createdAtMs ?? 0;
    for (const index of this.#answersAt(slot)) this.#setsInOrder[index]?.set(slot, true);
  }

  #fileAll(): void {
    for (let slot = 0; slot < this.#marks.length; slot += 1) {
      if (this.occupancyAt(slot) === "available") this.#available += 1;
      for (const index of this.#answersAt(slot)) this.#setsInOrder[index]?.set(slot, true);
    }
  }

  #answersAt(slot: number): readonly number[] {
    const region = slot >= this.desired ? 2 : Number(slot >= this.#kept);
    return this.#answers[region * marks + (this.#marks[slot] ?? 0)] ?? [];
  }
}

function byQuestion(sets: readonly SlotSet[]): Record<Question, SlotSet> {
  const named: Partial<Record<Question, SlotSet>> = {};
  for (let index = 0; index < sets.length; index += 1) {
    const name = questionNames[index];
    if (name !== undefined) named[name] = sets[index];
  }
  return named as Record<Question, SlotSet>;
}

type Answers = readonly (readonly number[])[];

/** Every kind of place there is, asked once: ninety-six rows instead of a thousand questions a step. */
const allAnswers = (isOrdered: boolean): Answers =>
  regions.flatMap((region) =>
    Array.from({ length: marks }, (_, mark) =>
      answers({
        region,
        occupancy: occupancyOf(mark),
        isOutdated: isOutdatedMark(mark),
        isFailed: isFailedMark(mark),
        isOrdered,
      }),
    ),
  );

const parallelAnswers = allAnswers(false);
const orderedAnswers = allAnswers(true);
