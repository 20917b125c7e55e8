/** Computes from the behaviour of a container when its probes pass or fail. */
import type { Container, Probe } from "../../api/pod.ts";
import type { Behaviour } from "../images/behaviour.ts";

export interface ProbeTimes {
  /** When the startup probe passes, or at once without one. */
  readonly startedMs: number;
  /** When the container counts as ready; infinite for never. */
  readonly readyMs: number;
  /** When the first readiness probe fails; infinite when none does. */
  readonly unhealthyMs: number;
  /** When the startup probe gives up and the container is killed; infinite when it does not. */
  readonly killedMs: number;
}

/** Without a readiness probe, readiness follows the image's behaviour; a real kubelet would report it at once. */
export function probeTimes(
  container: Container,
  behaviour: Behaviour,
  runningMs: number,
): ProbeTimes {
  const { readinessProbe, startupProbe } = container;
  const ableMs =
    behaviour.readySeconds === "never" ? Infinity : runningMs + behaviour.readySeconds * 1000;
  const startedMs =
    startupProbe === undefined ? runningMs : passes(startupProbe, runningMs, ableMs);
  const killedMs = startupProbe === undefined ? Infinity : givesUp(startupProbe, runningMs);
  if (startedMs > killedMs)
    return { startedMs: Infinity, readyMs: Infinity, unhealthyMs: Infinity, killedMs };
  if (readinessProbe === undefined) {
    const readyMs = Math.max(startedMs, ableMs);
    return { startedMs, readyMs, unhealthyMs: Infinity, killedMs: Infinity };
  }
  const probesFromMs = Math.max(startedMs, firstProbe(readinessProbe, runningMs));
  const readyMs = passes(readinessProbe, runningMs, Math.max(ableMs, startedMs));
  const unhealthyMs = probesFromMs < ableMs ? probesFromMs : Infinity;
  return { startedMs, readyMs, unhealthyMs, killedMs: Infinity };
}

function firstProbe(probe: Probe, runningMs: number): number {
  return runningMs + (probe.initialDelaySeconds ?? 0) * 1000;
}

/** The first probe at or after `ableMs`, and as many more as must succeed in a row. */
function passes(probe: Probe, runningMs: number, ableMs: number): number {
  if (ableMs === Infinity) return Infinity;
  const firstMs = firstProbe(probe, runningMs);
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const missed = Math.max(0, Math.ceil((ableMs - firstMs) / periodMs));
  return firstMs + (missed + (probe.successThreshold ?? 1) - 1) * periodMs;
}

function givesUp(probe: Probe, runningMs: number): number {
  const failures = (probe.failureThreshold ?? 3) - 1;
  return firstProbe(probe, runningMs) + failures * (probe.periodSeconds ?? 10) * 1000;
}
