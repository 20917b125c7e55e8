/** When to reconcile again, where several things may ask for it. */
import type { Outcome } from "../../runtime/controller.ts";

export function earliestRequeue(...delays: readonly (number | undefined)[]): Outcome {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? {} : { recheckAfterMs: Math.max(0, Math.min(...known)) };
}
