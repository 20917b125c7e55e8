/** Replays decisions to the end of a rollout, in a world where every unit that starts becomes available. */
import { decideFleet } from "./decide.ts";
import type { Action, Decision, Step } from "./decision.ts";
import { EventQueue } from "./event-queue.ts";
import type { Fleet, Occupant } from "./fleet.ts";
import type { Policy } from "./policy.ts";
import { nothingRequested, type Snapshot } from "./rollout.ts";
import { indexUnits } from "./unit-index.ts";
import type { Unit } from "./unit.ts";

/** How long things take in the foreseen world. */
export interface Pace {
  readonly goneAfterMs: number;
  readonly availableAfterMs: number;
}

export const usualPace: Pace = { goneAfterMs: 5_000, availableAfterMs: 30_000 };

/** The numbers of a fleet after a step. */
export interface FleetCounts {
  /** Units that serve, surge included. */
  readonly available: number;
  /** Places of the base without an available unit. */
  readonly down: number;
  readonly outdated: number;
  readonly surge: number;
}

export type ForeseenStep =
  | {
      readonly kind: "act";
      readonly atMs: number;
      readonly decision: Step;
      readonly counts: FleetCounts;
    }
  | {
      readonly kind: "settle";
      readonly atMs: number;
      readonly gone: readonly string[];
      readonly available: readonly string[];
      readonly counts: FleetCounts;
    };

export interface Foresight {
  readonly steps: readonly ForeseenStep[];
  /** Done, or a hold that nothing in this model would end. */
  readonly end: Decision;
  readonly tookMs: number;
}

export function foresee(snapshot: Snapshot, policy: Policy, pace: Pace = usualPace): Foresight {
  const world = new ForeseenWorld(snapshot, policy, pace);
  const steps: ForeseenStep[] = [];
  while (steps.length < world.mostSteps) {
    const decision = world.decide();
    if (decision.kind !== "hold" && decision.kind !== "done") {
      steps.push(world.act(decision));
      continue;
    }
    const settled = world.settle();
    if (settled === undefined) return { steps, end: decision, tookMs: world.elapsedMs };
    steps.push(settled);
  }
  throw new Error(`a rollout of ${snapshot.units.length} units goes round in circles`);
}

interface Event {
  /** The unit as it was; the event is void if another unit holds its place by then. */
  readonly unit: Unit;
  readonly becomes: "gone" | "available";
}

/** One fleet, changed in place: ten thousand steps over ten thousand units stay far below a second. */
class ForeseenWorld {
  #fleet: Fleet;
  readonly #snapshot: Snapshot;
  readonly #startMs: number;
  readonly #pace: Pace;
  readonly #events = new EventQueue<Event>();
  readonly #slotById = new Map<string, number>();
  readonly #slotByOrdinal = new Map<number, number>();
  readonly #isPlacedByWorth: boolean;
  #isIndexCurrent = true;
  elapsedMs = 0;

  constructor(snapshot: Snapshot, policy: Policy, pace: Pace) {
    // A foreseen rollout never misses its deadline.
    const { deadline: _, ...rollout } = snapshot.rollout;
    this.#snapshot = { ...snapshot, rollout };
    this.#fleet = indexUnits(this.#snapshot, policy);
    this.#startMs = snapshot.nowMs;
    this.#pace = pace;
    this.#isPlacedByWorth = policy.kind === "onDelete" && policy.scaleIn === "outdatedFirst";
    for (let slot = 0; slot < this.#fleet.slots; slot += 1) {
      this.#recordSlot(slot);
      this.#expectEvent(slot);
    }
  }

  /** A place is emptied and filled at most twice; more would be a defect of the planner. */
  get mostSteps(): number {
    return 16 * (this.#fleet.slots + 4);
  }

  decide(): Decision {
    return decideFleet(this.#fleet);
  }

  act(decision: Step): ForeseenStep {
    for (const action of decision.actions) this.#perform(action);
    return { kind: "act", atMs: this.elapsedMs, decision, counts: this.#counts() };
  }

  /** Lets time pass until something happens; undefined when nothing will. */
  settle(): ForeseenStep | undefined {
    const due = this.#events.takeNext();
    if (due === undefined) return undefined;
    this.elapsedMs = due.atMs;
    const gone: string[] = [];
    const available: string[] = [];
    for (const { unit, becomes } of due.events) {
      const slot = this.#slotById.get(unit.id) ?? -1;
      const isLeaving = this.#fleet.occupancyAt(slot) === "terminating";
      const isSameUnit = this.#fleet.unitAt(slot)?.id === unit.id;
      if (!isSameUnit || isLeaving !== (becomes === "gone")) continue;
      (becomes === "gone" ? gone : available).push(unit.name);
      this.#place(slot, becomes === "gone" ? undefined : { ...unit, health: "available" });
    }
    return { kind: "settle", atMs: due.atMs, gone, available, counts: this.#counts() };
  }

  /** Where places depend on availability, every change of the base may change the places. */
  #place(slot: number, unit: Unit | undefined): void {
    this.#fleet.place(slot, unit);
    if (slot < this.#fleet.desired || unit?.health === "available") this.#isIndexCurrent = false;
  }

  #indexAnew(): void {
    const units: Unit[] = [];
    for (let slot = 0; slot < this.#fleet.slots; slot += 1) {
      const unit = this.#fleet.unitAt(slot);
      if (unit !== undefined && isSeen(unit)) units.push(unit);
    }
    const requested = nothingRequested;
    this.#fleet = indexUnits({ ...this.#snapshot, units, requested }, this.#fleet.shape.policy);
    this.#slotByOrdinal.clear();
    for (let slot = 0; slot < this.#fleet.slots; slot += 1) this.#recordSlot(slot);
    this.#isIndexCurrent = true;
  }

  #recordSlot(slot: number): void {
    const { desired, shape } = this.#fleet;
    const unit = this.#fleet.unitAt(slot);
    if (unit !== undefined) this.#slotById.set(unit.id, slot);
    if (slot >= desired + shape.surgeSlots) return;
    this.#slotByOrdinal.set(this.#fleet.ordinalAt(slot), slot);
  }

  #expectEvent(slot: number): void {
    const unit = this.#fleet.unitAt(slot);
    if (unit === undefined) return;
    if (!isSeen(unit)) return this.#create(slot, unit.ordinal, unit.revision);
    if (unit.health === "terminating") this.#schedule(unit, "gone");
    if (unit.health === "pending") this.#schedule(unit, "available");
    if (unit.health === "ready") {
      const waitMs = Math.max(0, (unit.availableAtMs ?? this.#startMs) - this.#startMs);
      this.#events.add(waitMs, { unit, becomes: "available" });
    }
  }

  #schedule(unit: Unit, becomes: Event["becomes"]): void {
    const { goneAfterMs, availableAfterMs } = this.#pace;
    const delayMs = becomes === "gone" ? goneAfterMs : availableAfterMs;
    this.#events.add(this.elapsedMs + delayMs, { unit, becomes });
  }

  #perform(action: Action): void {
    const isCreation = action.kind === "create";
    const slot = isCreation
      ? this.#slotByOrdinal.get(action.ordinal)
      : this.#slotById.get(action.id);
    if (slot === undefined) throw new Error(`no place for ${JSON.stringify(action)}`);
    if (isCreation) return this.#create(slot, action.ordinal, action.revision);
    const unit: Unit = { ...this.#fleet.unitIn(slot), health: "terminating" };
    this.#place(slot, unit);
    this.#schedule(unit, "gone");
  }

  #create(slot: number, ordinal: number, revision: string): void {
    const name = `${this.#fleet.shape.rollout.name}-${ordinal}`;
    const createdAtMs = this.#startMs + this.elapsedMs;
    const id = `${name}@${this.elapsedMs}`;
    const state = { health: "pending", scheduled: true, createdAtMs } as const;
    const unit: Unit = { name, id, ordinal, revision, ...state };
    this.#slotById.set(id, slot);
    this.#place(slot, unit);
    this.#schedule(unit, "available");
  }

  #counts(): FleetCounts {
    if (this.#isPlacedByWorth && !this.#isIndexCurrent) this.#indexAnew();
    const { available, sets } = this.#fleet;
    const { down, outdated, extra } = sets;
    return { available, down: down.size, outdated: outdated.size, surge: extra.size };
  }
}

const isSeen = (unit: Occupant): unit is Unit => unit.health !== "unseen";
