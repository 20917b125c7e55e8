/** The units of one rollout, each in its place, with every question a decision asks answered in constant time. */
import { SlotSet } from "./slot-set.ts";
import type { Policy } from "./policy.ts";
import type { Rollout } from "./rollout.ts";
import type { Unit } from "./unit.ts";

/** What a place holds. `unseen` was asked for and is not in the view yet, so it cannot be deleted. */
export type Occupancy =
  | "missing"
  | "unseen"
  | "pending"
  | "ready"
  | "available"
  | "unavailable"
  | "terminating";

export interface FleetShape {
  readonly policy: Policy;
  readonly rollout: Rollout;
  readonly nowMs: number;
  /** Places `[0, desired)` are the base, the next `surgeSlots` are for surge, then what must go. */
  readonly ordinals: readonly number[];
  readonly surgeSlots: number;
}

/** Places below this one keep the revision they have. */
export const keptPlaces = (policy: Policy, desired: number): number =>
  policy.kind === "onDelete" ? desired : Math.min(policy.partition, desired);

export class Fleet {
  readonly shape: FleetShape;
  readonly desired: number;
  readonly kept: number;
  readonly #units: (Unit | undefined)[];
  readonly #occupancy: Occupancy[];
  #available = 0;

  /* Of the base: */
  readonly missing: SlotSet;
  readonly down: SlotSet;
  readonly starting: SlotSet;
  readonly outdated: SlotSet;
  /* Of the base at or above the partition: */
  readonly unfinished: SlotSet;
  readonly finished: SlotSet;
  readonly inFlight: SlotSet;
  readonly replaceable: SlotSet;
  readonly serving: SlotSet;
  readonly broken: SlotSet;
  /* Above the base: */
  readonly extra: SlotSet;
  readonly extraOutdated: SlotSet;
  readonly extraDown: SlotSet;
  readonly leaving: SlotSet;
  /* Anywhere: */
  readonly failed: SlotSet;
  readonly waitingOut: SlotSet;
  /** Base places that are empty, or hold the target revision but not yet available. */
  readonly returning: SlotSet;

  constructor(shape: FleetShape) {
    const slots = shape.ordinals.length;
    const set = (): SlotSet => new SlotSet(slots);
    this.shape = shape;
    this.desired = shape.rollout.desired;
    this.kept = keptPlaces(shape.policy, this.desired);
    this.#units = Array.from({ length: slots });
    this.#occupancy = Array.from({ length: slots }, () => "missing");
    [this.missing, this.down, this.starting, this.outdated] = [set(), set(), set(), set()];
    [this.unfinished, this.finished, this.inFlight] = [set(), set(), set()];
    [this.replaceable, this.serving, this.broken, this.returning] = [set(), set(), set(), set()];
    [this.extra, this.extraOutdated, this.extraDown, this.leaving] = [set(), set(), set(), set()];
    [this.failed, this.waitingOut] = [set(), set()];
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

  occupancyAt(slot: number): Occupancy {
    return this.#occupancy[slot] ?? "missing";
  }

  ordinalAt(slot: number): number {
    return this.shape.ordinals[slot] ?? slot;
  }

  isOutdatedAt(slot: number): boolean {
    const unit = this.#units[slot];
    return unit !== undefined && unit.revision !== this.shape.rollout.targetRevision;
  }

  /** Puts a unit in its place, or empties it, and files the place under every question. */
  place(slot: number, unit: Unit | undefined, occupancy: Occupancy): void {
    if (this.#occupancy[slot] === "available") this.#available -= 1;
    if (occupancy === "available") this.#available += 1;
    this.#units[slot] = unit;
    this.#occupancy[slot] = occupancy;
    const isSeen = occupancy !== "missing" && occupancy !== "terminating" && occupancy !== "unseen";
    const isFailed = isSeen && occupancy !== "available" && unit?.failed === true;
    this.failed.set(slot, isFailed);
    this.waitingOut.set(slot, occupancy === "ready");
    if (slot >= this.desired) this.#fileExtra(slot, occupancy, isSeen);
    else this.#fileBase(slot, occupancy);
    if (slot >= this.kept && slot < this.desired)
      this.#fileStaged(slot, occupancy, isSeen && !isFailed);
  }

  #fileBase(slot: number, occupancy: Occupancy): void {
    const isOutdated = this.isOutdatedAt(slot);
    const isAvailable = occupancy === "available";
    const isMissing = occupancy === "missing";
    const isTerminating = occupancy === "terminating";
    this.missing.set(slot, isMissing);
    this.down.set(slot, !isAvailable);
    this.starting.set(slot, !isAvailable && !isMissing && !isTerminating);
    this.outdated.set(slot, isOutdated && !isTerminating);
    this.returning.set(slot, isMissing || (!isOutdated && !isAvailable));
  }

  #fileStaged(slot: number, occupancy: Occupancy, isChoosable: boolean): void {
    const isOutdated = this.isOutdatedAt(slot);
    const isAvailable = occupancy === "available";
    const isFinished = !isOutdated && isAvailable;
    this.finished.set(slot, isFinished);
    this.unfinished.set(slot, !isFinished);
    this.inFlight.set(slot, !isFinished && (!isOutdated || occupancy === "terminating"));
    this.replaceable.set(slot, isOutdated && isChoosable);
    this.serving.set(slot, isOutdated && isAvailable);
    const isDown = isOutdated && isChoosable && !isAvailable;
    this.broken.set(slot, isDown && this.#isGivenUp(occupancy));
  }

  /** Under an ordered pacing a unit that only has to wait out minReadySeconds is not broken. */
  #isGivenUp(occupancy: Occupancy): boolean {
    return occupancy !== "ready" || this.shape.policy.pacing === "parallel";
  }

  #fileExtra(slot: number, occupancy: Occupancy, isSeen: boolean): void {
    this.extra.set(slot, isSeen || occupancy === "unseen");
    this.extraOutdated.set(slot, isSeen && this.isOutdatedAt(slot));
    this.extraDown.set(slot, (isSeen || occupancy === "unseen") && occupancy !== "available");
    this.leaving.set(slot, occupancy === "terminating");
  }
}
