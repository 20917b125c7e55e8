/** Simulations in several processes: each has its own stretch of seeds. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { UserError } from "../api/user-error.ts";
import type { Outcome } from "../simulation/run.ts";
import type { Counts, Swept } from "../simulation/sweep.ts";
import type { Io } from "./io.ts";

/** Between the seeds of two processes, where it is not known how far they come. */
const stretch = 10_000_000;

export interface JobOptions {
  readonly jobs: number;
  readonly firstSeed: number;
  readonly runs: number | undefined;
  /** The other flags, as they were written. */
  readonly words: readonly string[];
  readonly onRun: (counts: Counts, failures: number) => void;
}

/** One line of a process: what it has done so far. */
export interface JobLine {
  readonly counts: Counts;
  readonly failure?: Outcome;
}

export async function simJobs(options: JobOptions, io: Io): Promise<Swept> {
  const { jobs, firstSeed, runs } = options;
  const each = runs === undefined ? undefined : Math.ceil(runs / jobs);
  const counts: Counts[] = [];
  const failures: Outcome[] = [];
  const report = (): Counts => ({
    runs: sum(counts.map((count) => count?.runs ?? 0)),
    rollouts: sum(counts.map((count) => count?.rollouts ?? 0)),
    virtualMs: sum(counts.map((count) => count?.virtualMs ?? 0)),
    lastSeed: Math.max(firstSeed, ...counts.map((count) => count?.lastSeed ?? 0)),
  });
  const children: ChildProcess[] = [];
  const stop = (): void => void children.map((child) => child.kill("SIGTERM"));
  // One listener for all of them: Node.js takes more than ten for a leak.
  io.stopping.addEventListener("abort", stop, { once: true });
  await Promise.all(
    Array.from({ length: jobs }, (_, index) => {
      const seed = firstSeed + index * (each ?? stretch);
      const own =
        each === undefined ? [] : ["--runs", String(Math.min(each, (runs ?? 0) - index * each))];
      if (own[1] !== undefined && Number(own[1]) <= 0) return Promise.resolve();
      const child = spawnJob([...options.words, "--seed", String(seed), ...own]);
      children.push(child);
      return ended(child, io, (line) => {
        counts[index] = line.counts;
        if (line.failure !== undefined) failures.push(line.failure);
        options.onRun(report(), failures.length);
      });
    }),
  ).finally(() => io.stopping.removeEventListener("abort", stop));
  return { ...report(), failures };
}

/** A run leaves nothing behind, so most of it is collected young, and cheaply where there is room for it. */
const heap = "--max-semi-space-size=32";

function spawnJob(words: readonly string[]) {
  const entry = process.argv[1] ?? "";
  const args = [...process.execArgv, heap, entry, "sim", ...words, "--job"];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

function ended(
  child: ReturnType<typeof spawnJob>,
  io: Io,
  onLine: (line: JobLine) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (text) =>
      onLine(JSON.parse(text) as JobLine),
    );
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0 || code === 2 || io.stopping.aborted) resolve();
      else
        reject(new UserError({ problem: `a process of the simulation ended with code ${code}` }));
    });
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
