/** Names the units a rollout waits for, since when, and what would free them. */
import { waitsShown, type Wait } from "./decision.ts";
import type { Fleet, Occupant } from "./fleet.ts";
import { lowest } from "./slot-set.ts";

export interface Waits {
  readonly waits: readonly Wait[];
  readonly waitingFor: number;
}

export function waitsOf(fleet: Fleet): Waits {
  const { awaited, extraDown, leaving } = fleet.sets;
  const waitingFor = awaited.size + extraDown.size + leaving.size;
  if (waitingFor === 0) return { waits: [], waitingFor };
  const slots = [awaited, extraDown, leaving].flatMap((set) => gravest(fleet, lowest(set, looked)));
  return { waits: slots.slice(0, waitsShown).map((slot) => waitAt(fleet, slot)), waitingFor };
}

/** A preview asks after every step, so this must not grow with the fleet. */
const looked = 200;

/** What does not come by itself is named before what is merely under way, and that before what goes. */
function gravest(fleet: Fleet, slots: readonly number[]): number[] {
  const ranked: number[][] = [[], [], [], []];
  for (const slot of slots) ranked[rankOf(fleet.unitIn(slot))]?.push(slot);
  return ranked.flat();
}

/** What is going comes last: it is sure to end, and its successor is waited for after it. */
function rankOf(unit: Occupant): 0 | 1 | 2 | 3 {
  const code = codeOf(unit);
  if (code === "Broken") return 0;
  if (code === "Terminating") return 3;
  return code === "NotScheduled" ? 1 : 2;
}

function waitAt(fleet: Fleet, slot: number): Wait {
  const unit = fleet.unitIn(slot);
  const code = codeOf(unit);
  return {
    unit: unit.name,
    ordinal: unit.ordinal,
    code,
    sinceMs: unit.healthSinceMs ?? unit.createdAtMs,
    freedBy: code === "MinReadySeconds" ? remaining(unit, fleet.shape.nowMs) : freedBy[code],
  };
}

function codeOf({ health, scheduled }: Occupant): Wait["code"] {
  switch (health) {
    case "terminating":
      return "Terminating";
    case "ready":
      return "MinReadySeconds";
    case "unavailable":
      return "Broken";
    case "missing":
    case "unseen":
    case "pending":
    case "available":
      return scheduled ? "Starting" : "NotScheduled";
  }
}

const freedBy: Readonly<Record<Exclude<Wait["code"], "MinReadySeconds">, string>> = {
  NotScheduled: "a node with room for it",
  Starting: "its containers passing readiness",
  Broken: "its recovery, or another revision",
  Terminating: "its processes ending, or its node being declared lost",
};

function remaining(unit: Occupant, nowMs: number): string {
  if (unit.availableAtMs === undefined) return "minReadySeconds passing";
  return `${Math.ceil((unit.availableAtMs - nowMs) / 1000)} s more without a failure`;
}
