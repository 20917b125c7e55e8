/** When time alone makes the next unit available, so that the decision does not wait for an event. */
import type { CoordinationSnapshot } from "./coordinated-roles.ts";

export function nextAvailableInMs({ roles, nowMs }: CoordinationSnapshot): number | undefined {
  let earliestRequeue = Infinity;
  for (const { units } of roles) {
    for (const { health, availableAtMs = Infinity } of units) {
      if (health === "ready" && availableAtMs > nowMs)
        earliestRequeue = Math.min(earliestRequeue, availableAtMs);
    }
  }
  return earliestRequeue === Infinity ? undefined : earliestRequeue - nowMs;
}
