/** Chooses the units to replace now: failed and broken outdated ones at no cost, available ones within the budget. */
import type { ReplaceAction } from "./decision.ts";
import type { Fleet } from "./fleet.ts";
import { inOrder } from "./order-of.ts";
import { roundIsOpen, unbrokenRun } from "./pace.ts";
import type { RollingPolicy } from "./policy.ts";
import { lowest } from "./slot-set.ts";

interface Replacement {
  readonly actions: readonly ReplaceAction[];
  /** How many of them were available until now. */
  readonly spent: number;
}

const nothing: Replacement = { actions: [], spent: 0 };

/** A failed unit never recovers by itself, whatever its revision. */
export const replaceFailed = (fleet: Fleet): ReplaceAction[] =>
  lowest(fleet.sets.failed)
    .filter((slot) => slot < fleet.desired)
    .map((slot) => replace(fleet, slot, "UnitFailed"));

export function replaceOutdated(fleet: Fleet, spare: number, isScalingIn: boolean): Replacement {
  const { policy, rollout } = fleet.shape;
  if (policy.kind === "onDelete" || rollout.paused || fleet.sets.replaceable.size === 0)
    return nothing;
  const atOnce = (policy.maxInFlight ?? Number.POSITIVE_INFINITY) - fleet.sets.inFlight.size;
  const free = freeSlots(fleet, policy, { spare, limit: atOnce });
  const isBlocked = policy.pacing !== "parallel" && isScalingIn;
  const room = Math.min(isBlocked ? 0 : spare, atOnce - free.length);
  const paid = paidSlots(fleet, policy, room);
  const isServing = (slot: number): boolean => fleet.sets.serving.has(slot);
  const actions = free
    .concat(paid)
    .map((slot) => replace(fleet, slot, isServing(slot) ? "Outdated" : "OutdatedAndBroken"));
  return { actions, spent: paid.filter(isServing).length };
}

interface Freedom {
  /** Of available units; below 0 where more are down than may be. */
  readonly spare: number;
  readonly limit: number;
}

/** Broken units cost no budget: they may be the very ones that have used it up. */
function freeSlots(fleet: Fleet, policy: RollingPolicy, { spare, limit }: Freedom): number[] {
  const { broken, unproven } = fleet.sets;
  if (policy.brokenUnits === "wait") return [];
  if (spare >= 0 || unproven.size === 0) return inOrder(fleet, broken, policy.ordering, limit);
  // A clock that went back makes every unit look as if it had become ready just now, or later than now.
  let room = unproven.size + spare;
  return inOrder(fleet, broken, policy.ordering, broken.size)
    .filter((slot) => !unproven.has(slot) || room-- > 0)
    .slice(0, Math.max(0, limit));
}

function paidSlots(fleet: Fleet, policy: RollingPolicy, room: number): number[] {
  const candidates = policy.brokenUnits === "wait" ? fleet.sets.replaceable : fleet.sets.serving;
  if (room <= 0) return [];
  switch (policy.pacing) {
    case "parallel":
      return inOrder(fleet, candidates, policy.ordering, room);
    case "rounds":
      return roundIsOpen(fleet) ? inOrder(fleet, candidates, policy.ordering, room) : [];
    case "strict":
      return unbrokenRun(fleet, policy, inOrder(fleet, candidates, policy.ordering, room));
  }
}

function replace(fleet: Fleet, slot: number, code: ReplaceAction["code"]): ReplaceAction {
  const { name, id, ordinal } = fleet.unitIn(slot);
  return { kind: "replace", unit: name, id, ordinal, code };
}
