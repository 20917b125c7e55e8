/** What `lockstep sim` says at its end: numbers, and every failure with the shortest way to it. */
import { drawTimeline, legend, scriptLines } from "../simulation/drawing.ts";
import type { Outcome } from "../simulation/run.ts";
import type { Counts } from "../simulation/sweep.ts";
import type { Io } from "./io.ts";
import { paintFor } from "./paint.ts";
import { version } from "./release.ts";

export interface Report extends Counts {
  readonly kinds: readonly string[];
  readonly firstSeed: number;
  readonly seconds: number;
  readonly failures: readonly Outcome[];
  /** How to see a failure again. */
  readonly replay: (outcome: Outcome) => string;
}

const perSecond = ({ rollouts, seconds }: Report): number =>
  seconds > 0 ? Math.round((rollouts / seconds) * 10) / 10 : 0;

/** Documented in docs/simulation.md, and versioned. */
export const jsonReport = (report: Report): unknown => ({
  apiVersion: "lockstep.dev/sim/v1",
  version,
  kinds: report.kinds,
  seeds: { first: report.firstSeed, last: report.lastSeed },
  runs: report.runs,
  rollouts: report.rollouts,
  virtualSeconds: Math.round(report.virtualMs / 1000),
  seconds: Math.round(report.seconds * 10) / 10,
  rolloutsPerSecond: perSecond(report),
  failures: report.failures.map(({ script, failure }) => ({
    kind: script.kind,
    seed: script.seed,
    what: failure?.what,
    atSeconds: (failure?.atMs ?? 0) / 1000,
    messages: failure?.texts,
    script,
  })),
});

export function printReport(report: Report, io: Io): void {
  const paint = paintFor(io, {});
  for (const failure of report.failures) printFailure(failure, report, io);
  const hours = (report.virtualMs / 3_600_000).toFixed(1);
  const seeds = `seeds ${report.firstSeed} to ${report.lastSeed}`;
  io.print(
    `${report.runs} runs of ${report.kinds.join(", ")} (${seeds}): ${report.rollouts} rollouts in ` +
      `${report.seconds.toFixed(1)} s, ${perSecond(report)} per second, ${hours} hours of virtual time`,
  );
  io.print(
    report.failures.length === 0
      ? paint("green", "every promise held, and everything came to rest")
      : paint("red", `${report.failures.length} failed`),
  );
}

const titles = {
  promise: "a promise was broken",
  problem: "the operator had a problem",
  liveness: "it did not come to rest",
} as const;

function printFailure(outcome: Outcome, report: Report, io: Io): void {
  const paint = paintFor(io, {});
  const { script, failure } = outcome;
  if (failure === undefined) return;
  io.print(paint("red", `${script.kind}, seed ${script.seed}: ${titles[failure.what]}`));
  for (const text of failure.texts.slice(0, 3)) io.print(`  ${text.split("\n")[0]}`);
  io.print("the shortest way to it:");
  for (const line of scriptLines(script)) io.print(`  ${line}`);
  printTimeline(outcome, io);
  io.print(`again: ${report.replay(outcome)}`);
  io.print("");
}

export function printTimeline({ recorded }: Outcome, io: Io): void {
  if (recorded === undefined) return;
  const columns = io.isTerminal ? (io.size?.().columns ?? 100) : 100;
  for (const line of drawTimeline(recorded, columns)) io.print(line);
  io.print(`(${legend})`);
}
