/** Names the units a role waits for, most important first. */
import { waitsShown } from "../decision.ts";
import type { Wait } from "../decision.ts";
import type { UnitHealth } from "../unit.ts";
import type { Place, RoleTally } from "./tally-role.ts";

/** Units that count against the budget: down, or asked to go. Broken ones first. */
export const unitsDown = (role: RoleTally): readonly Wait[] =>
  waitsOf(role, ({ health, isUpdated }, ordinal) => {
    return health !== "available" || (!isUpdated && isLetThrough(role, ordinal));
  });

/** Those of them that are updated or asked to go: what is not reached yet is not what it waits for. */
export const unitsOnTheirWay = (role: RoleTally): readonly Wait[] =>
  waitsOf(role, ({ health, isUpdated }, ordinal) =>
    isUpdated ? health !== "available" : isLetThrough(role, ordinal),
  );

export const isLetThrough = ({ cursor, ahead }: RoleTally, ordinal: number): boolean =>
  ordinal >= cursor || ahead.has(ordinal);

function waitsOf(
  role: RoleTally,
  isWaitedFor: (place: Place, ordinal: number) => boolean,
): readonly Wait[] {
  const waits: Wait[] = [];
  role.places.forEach((place, ordinal) => {
    if (isWaitedFor(place, ordinal)) waits.push(waitFor(role, place, ordinal));
  });
  return waits
    .toSorted((a, b) => weight(a) - weight(b) || b.ordinal - a.ordinal)
    .slice(0, waitsShown);
}

function waitFor(role: RoleTally, { unit, health, isUpdated }: Place, ordinal: number): Wait {
  const code = codeOf(health, unit?.scheduled ?? true);
  const age = isUpdated ? "new" : "old";
  const keeper = isUpdated || !lastingCodes.has(code) ? undefined : keeperOf(role, ordinal);
  return {
    unit: `${unitName(role, ordinal)} (${unit === undefined ? "missing" : age})`,
    ordinal,
    code,
    sinceMs: unit?.healthSinceMs ?? unit?.createdAtMs ?? 0,
    freedBy: keeper === undefined ? freedBy[code] : freedByUser[keeper],
  };
}

/** As its neighbours are called, where it does not exist and has no name yet. */
export function unitName({ role, places }: RoleTally, ordinal: number): string {
  const own = places[ordinal]?.unit?.name;
  if (own !== undefined) return own;
  const at = places.findIndex(({ unit }) => unit !== undefined);
  const { name = `${role}-${at}` } = places[at]?.unit ?? {};
  const end = `-${at}`;
  return `${name.endsWith(end) ? name.slice(0, -end.length) : role}-${ordinal}`;
}

/** These may last for ever. */
const lastingCodes: ReadonlySet<Wait["code"]> = new Set(["Broken", "NotScheduled"]);

type Keeper = "partition" | "workload";

/** What keeps an outdated unit from being replaced however long it is down; undefined where nothing does. */
function keeperOf({ partition, isTopDownOnly, cursor }: RoleTally, at: number): Keeper | undefined {
  if (at < partition) return "partition";
  return isTopDownOnly && at < cursor ? "workload" : undefined;
}

const freedByUser: Readonly<Record<Keeper, string>> = {
  partition: "repair it, lower the partition, or raise maxUnavailable",
  workload: "repair it, or raise maxUnavailable",
};

export interface KeptDown {
  readonly keeper: Keeper;
  readonly units: readonly Wait[];
}

/** Outdated units that are broken, have used up the budget and are not reached: only a person can end that. */
export function keptDown(role: RoleTally): KeptDown | undefined {
  const found = role.places.flatMap((place, at) => {
    const keeper = place.isUpdated || place.unit === undefined ? undefined : keeperOf(role, at);
    const wait = keeper === undefined ? undefined : waitFor(role, place, at);
    const isLasting = wait !== undefined && lastingCodes.has(wait.code);
    return keeper !== undefined && isLasting ? [{ keeper, wait }] : [];
  });
  const [first] = found;
  if (first === undefined || found.length < role.maxUnavailable) return undefined;
  const { keeper } = first;
  const units = found.filter((each) => each.keeper === keeper).map(({ wait }) => wait);
  return { keeper, units: units.slice(0, waitsShown) };
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
