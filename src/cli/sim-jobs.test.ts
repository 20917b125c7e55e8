/** Simulations in processes of their own. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../runtime/system-clock.ts";
import type { Io } from "./io.ts";
import { simJobs } from "./sim-jobs.ts";

const warnings: Error[] = [];
const onWarning = (warning: Error): void => void warnings.push(warning);
const [, entry = ""] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "lockstep-jobs-"));

beforeEach(() => process.on("warning", onWarning));
afterEach(() => {
  process.off("warning", onWarning);
  process.argv[1] = entry;
});

const ioUntil = (stopping: AbortSignal): Io => ({
  print: () => undefined,
  warn: () => undefined,
  isTerminal: false,
  environment: {},
  workingDirectory: folder,
  readStandardInput: () => "",
  stopping,
  clock: systemClock(),
});

/** What is run instead of `lockstep`. */
function program(text: string): void {
  process.argv[1] = join(folder, "program.mjs");
  writeFileSync(process.argv[1], text);
}

const oneRun = { runs: 1, rollouts: 2, virtualMs: 3, lastSeed: 4 };

test("sums up what twelve processes did, without a warning", async () => {
  program(`console.log('${JSON.stringify({ counts: oneRun })}')`);
  const io = ioUntil(new AbortController().signal);
  const options = { jobs: 12, firstSeed: 1, runs: 12, words: [], onRun: () => undefined };
  expect(await simJobs(options, io)).toMatchObject({ runs: 12, rollouts: 24, failures: [] });
  expect(warnings).toEqual([]);
});

test("stops every process when it is stopped itself", async () => {
  program(`console.log('${JSON.stringify({ counts: oneRun })}'); setInterval(() => {}, 1000)`);
  const stopping = new AbortController();
  const onRun = vi.fn<(counts: { runs: number }) => void>(({ runs }) => {
    if (runs === 2) stopping.abort();
  });
  const options = { jobs: 2, firstSeed: 1, runs: undefined, words: [], onRun };
  expect(await simJobs(options, ioUntil(stopping.signal))).toMatchObject({ runs: 2 });
});
