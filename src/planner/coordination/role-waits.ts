/** Names the units a role waits for, most important first. */
import { waitsShown } from "../decision.ts";
import type { Wait } from "../decision.ts";
import type { UnitHealth } from "../unit.ts";
import type { Place, RoleTally } from "./tally-role.ts";

/** Units that count against the budget: down, or asked to go. Broken ones first. */
export function unitsDown(role: RoleTally): readonly Wait[] {
  const waits: Wait[] = [];
  role.places.forEach((place, ordinal) => {
    if (isWaitedFor(place, ordinal, role)) waits.push(waitFor(role, place, ordinal));
  });
  return waits
    .toSorted((a, b) => weight(a) - weight(b) || b.ordinal - a.ordinal)
    .slice(0, waitsShown);
}

function isWaitedFor({ health, isUpdated }: Place, ordinal: number, role: RoleTally): boolean {
  return health !== "available" || (!isUpdated && ordinal >= role.cursor);
}

function waitFor({ role }: RoleTally, { unit, health, isUpdated }: Place, ordinal: number): Wait {
  const code = codeOf(health, unit?.scheduled ?? true);
  const age = isUpdated ? "new" : "old";
  return {
    unit: unit === undefined ? `${role}-${ordinal}` : `${unit.name} (${age})`,
    ordinal,
    code,
    sinceMs: unit?.healthSinceMs ?? unit?.createdAtMs ?? 0,
    freedBy: freedBy[code],
  };
}

function codeOf(health: UnitHealth, isScheduled: boolean): Wait["code"] {
  switch (health) {
    case "unavailable":
      return "Broken";
    case "ready":
      return "MinReadySeconds";
    // An available one is here only because its cursor has passed: it will be replaced next.
    case "available":
    case "terminating":
      return "Terminating";
    case "missing":
    case "pending":
      return isScheduled ? "Starting" : "NotScheduled";
  }
}

const freedBy: Readonly<Record<Wait["code"], string>> = {
  Broken: "repair it, set another revision, or roll back",
  NotScheduled: "free capacity for it, or roll back",
  Starting: "it becoming available",
  MinReadySeconds: "its minReadySeconds passing",
  Terminating: "its replacement becoming available",
};

function weight({ code }: Wait): number {
  return ["Broken", "NotScheduled", "Starting", "Terminating", "MinReadySeconds"].indexOf(code);
}
