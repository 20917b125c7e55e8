/** What the operator logs of rollouts, of reconciles and of what it could not do. */
import type { Logger } from "pino";
import { isNamespaceGone } from "../api/status.ts";
import type { RolloutStep } from "../controllers/engine/rollout-steps.ts";
import { definitionsInstall } from "../rollouts/kind.ts";
import { isUnserved } from "../rollouts/load.ts";
import type { OperatorMetrics } from "../runtime/metrics.ts";
import { requestOf } from "../runtime/request-name.ts";

type Log = Pick<Logger, "debug" | "info" | "warn" | "error">;

/** One line for each turn that a rollout takes; a stall is a warning. */
export function logStep(log: Log, { isStalled, message, ...step }: RolloutStep): void {
  log[isStalled ? "warn" : "info"](step, message);
}

/** A kind that is not served is asked for until it is: that is said once. */
export function problemLog(log: Log): (problem: unknown) => void {
  const missing = new Set<string>();
  return (problem) => {
    const request = requestOf(problem);
    const { verb = "", resource = "" } = request ?? {};
    const isMissing = isUnserved(problem) && (verb === "list" || verb === "watch");
    // With a namespace its events go, too.
    if (isNamespaceGone(problem) && resource === "events") return;
    const goesOn = resource === "events" ? "an event is lost" : "trying again";
    if (!isMissing) log.warn({ ...request, problem: textOf(problem) }, goesOn);
    else if (!missing.has(resource)) log.info({ resource }, notServed);
    if (isMissing) missing.add(resource);
  };
}

const notServed = `not served: its controller waits until it is (${definitionsInstall})`;

export function observer(
  metrics: OperatorMetrics,
  log: Log,
  controller: string,
): ReturnType<OperatorMetrics["observe"]> {
  const counted = metrics.observe(controller);
  return {
    ...counted,
    reconciled(key, result) {
      counted.reconciled?.(key, result);
      const { durationMs, error } = result;
      if (error === undefined) log.debug({ controller, key, durationMs }, "reconciled");
      else if (isNamespaceGone(error))
        log.info({ controller, key }, "its namespace is being deleted");
      else {
        const details = { controller, key, durationMs, ...requestOf(error), error: textOf(error) };
        log.error(details, "reconcile failed");
      }
    },
  };
}

const textOf = (problem: unknown): string =>
  problem instanceof Error ? problem.message : String(problem);
