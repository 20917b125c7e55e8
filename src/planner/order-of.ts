/** Walks the places of a set in the order a policy asks for, sorting only where the order is not that of ordinals. */
import { AgeOrder } from "./age-order.ts";
import type { Fleet } from "./fleet.ts";
import type { Ordering } from "./ordering.ts";
import { highest, lowest, type SlotSet } from "./slot-set.ts";

const ageOrders = new WeakMap<Fleet, AgeOrder>();

/** The first `limit` members of `set` in order; `set` is a part of the replaceable places. */
export function inOrder(fleet: Fleet, set: SlotSet, ordering: Ordering, limit: number): number[] {
  if (limit <= 0 || set.size === 0) return [];
  switch (ordering) {
    case "ascendingOrdinal":
      return lowest(set, limit);
    case "descendingOrdinal":
      return highest(set, limit);
    case "oldestFirst":
      return ageOrder(fleet).first(set, limit);
    case "unscheduledThenBrokenThenOrdinal":
      return set === fleet.sets.serving ? lowest(set, limit) : urgentFirst(fleet, set, limit);
  }
}

function ageOrder(fleet: Fleet): AgeOrder {
  const known = ageOrders.get(fleet) ?? new AgeOrder(fleet);
  ageOrders.set(fleet, known);
  return known;
}

/** Each class is already in ordinal order, so three walks do what a sort would. */
function urgentFirst(fleet: Fleet, set: SlotSet, limit: number): number[] {
  const slots = lowest(set);
  const isScheduled = (slot: number): boolean => fleet.unitAt(slot)?.scheduled ?? false;
  const serves = (slot: number): boolean => fleet.occupancyAt(slot) === "available";
  const unscheduled = slots.filter((slot) => !isScheduled(slot) && !serves(slot));
  const broken = slots.filter((slot) => isScheduled(slot) && !serves(slot));
  const serving = slots.filter((slot) => serves(slot));
  return [...unscheduled, ...broken, ...serving].slice(0, limit);
}
