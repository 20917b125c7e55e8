/** Runs simulations and prints what came of them. */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { ApiError } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import { simulatedKinds } from "../simulation/kinds/index.ts";
import type { Outcome } from "../simulation/run.ts";
import type { Rates, Script } from "../simulation/script.ts";
import { shrink } from "../simulation/shrink.ts";
import type { SeedOptions, Subject, Swept } from "../simulation/sweep.ts";
import { playScript, playSeed, subjectOf, sweep } from "../simulation/sweep.ts";
import { customDefinitions } from "./definitions.ts";
import type { Io } from "./io.ts";
import type { SimFlags } from "./sim.ts";
import type { JobLine } from "./sim-jobs.ts";
import { simJobs } from "./sim-jobs.ts";
import { SimProgress } from "./sim-progress.ts";
import { jsonReport, printReport, printTimeline } from "./sim-report.ts";
import { ratesOf, subjectsOf } from "./sim-subjects.ts";

const defaultRuns = 100;
const endless = 1_000_000_000;

interface Simulation {
  readonly flags: SimFlags;
  readonly io: Io;
  readonly subjects: readonly Subject[];
  readonly rates: Rates;
  readonly play: SeedOptions;
}

/** The exit code. */
export async function runSim(flags: SimFlags, io: Io): Promise<number> {
  const { subjects, resources } = await subjectsOf(flags, io);
  const rates = ratesOf(flags.faults);
  const { nodes } = flags;
  const definitions = customDefinitions();
  const play = { definitions, resources, rates, ...(nodes !== undefined && { nodes }) };
  const simulation = { flags, io, subjects, rates, play };
  try {
    if (flags.script !== undefined)
      return await showScript(simulation, readScript(flags.script, io));
    if (flags.replay !== undefined) return await showSeed(simulation, flags.replay);
    return await runSeeds(simulation);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new UserError({
      problem: `the simulated cluster refuses an object: ${error.message}`,
      fix: "correct the manifest",
    });
  }
}

async function runSeeds(simulation: Simulation): Promise<number> {
  const { flags, io, subjects } = simulation;
  const startMs = io.clock.monotonic();
  const firstSeed = flags.seed ?? Math.floor(io.clock.now() / 1000);
  const runs = flags.runs ?? (flags.minutes === undefined ? defaultRuns : undefined);
  const progress = new SimProgress({
    io,
    runs,
    minutes: flags.minutes,
    isQuiet: flags.job === true || flags.output === "json",
  });
  const swept = await sweepSeeds(simulation, { firstSeed, runs, progress, startMs });
  if (flags.job === true) return swept.failures.length === 0 ? 0 : 2;
  const seconds = (io.clock.monotonic() - startMs) / 1000;
  const failures: Outcome[] = [];
  for (const failure of swept.failures) {
    failures.push(await shrunk(simulation, failure, progress));
  }
  progress.end();
  const replay = ({ script }: Outcome): string => replayCommand(flags, script);
  const kinds = [...new Set(subjects.map(({ kind }) => kind.name))];
  const report = { ...swept, failures, kinds, firstSeed, seconds, replay };
  if (flags.output === "json") io.print(JSON.stringify(jsonReport(report), null, 2));
  else printReport(report, io);
  if (failures[0] !== undefined) save(flags, failures[0].script, io);
  return failures.length === 0 ? 0 : 2;
}

interface Extent {
  readonly firstSeed: number;
  readonly runs: number | undefined;
  readonly progress: SimProgress;
  readonly startMs: number;
}

function sweepSeeds(simulation: Simulation, extent: Extent): Promise<Swept> {
  const { flags, io, subjects, play } = simulation;
  const { firstSeed, runs, progress, startMs } = extent;
  let failed = 0;
  const isLate = (): boolean =>
    flags.minutes !== undefined && io.clock.monotonic() - startMs >= flags.minutes * 60_000;
  const isOver = (): boolean =>
    io.stopping.aborted || isLate() || (failed > 0 && flags.keepGoing !== true);
  const jobs = flags.jobs === 0 ? availableParallelism() : flags.jobs;
  if (jobs > 1) {
    const words = jobWords(flags);
    const onRun = progress.show.bind(progress);
    return simJobs({ jobs, firstSeed, runs, words, onRun }, io);
  }
  return sweep({
    ...play,
    subjects,
    firstSeed,
    runs: runs ?? endless,
    isOver,
    onRun(outcome, counts) {
      if (outcome.failure !== undefined) failed++;
      const line: JobLine = { counts, ...(outcome.failure && { failure: outcome }) };
      if (flags.job === true) io.print(JSON.stringify(line));
      else progress.show(counts, failed);
    },
  });
}

/** The flags that a process of its own needs, seeds aside. */
const jobWords = (flags: SimFlags): readonly string[] => [
  ...(flags.kind === undefined ? [] : ["--kind", flags.kind]),
  ...flags.filename.flatMap((file) => ["-f", file]),
  ...(flags.minutes === undefined ? [] : ["--minutes", String(flags.minutes)]),
  ...(flags.faults === undefined ? [] : ["--faults", flags.faults]),
  ...(flags.nodes === undefined ? [] : ["--nodes", String(flags.nodes)]),
  ...(flags.keepGoing === true ? ["--keep-going"] : []),
];

function replayCommand(flags: SimFlags, { kind, seed }: Script): string {
  const files = flags.filename.map((file) => ` -f ${file}`).join("");
  const faults = flags.faults === undefined ? "" : ` --faults ${flags.faults}`;
  const nodes = flags.nodes === undefined ? "" : ` --nodes ${flags.nodes}`;
  return `lockstep sim --kind ${kind}${files}${faults}${nodes} --replay ${seed}`;
}

async function shrunk(
  simulation: Simulation,
  outcome: Outcome,
  progress: SimProgress,
): Promise<Outcome> {
  const kind = kindOf(outcome.script);
  const play = (script: Script, records = false): Promise<Outcome> =>
    playScript({ ...simulation.play, records }, kind, script);
  const shortest = simulation.flags.shrink
    ? await shrink({
        outcome,
        play,
        onAttempt: (attempt, left) =>
          progress.say(
            `seed ${outcome.script.seed} failed: ${left} steps left (attempt ${attempt})`,
          ),
      })
    : outcome;
  return play(shortest.script, true);
}

function kindOf({ kind }: Script) {
  const found = simulatedKinds.find(({ name }) => name === kind);
  if (found !== undefined) return found;
  const names = simulatedKinds.map(({ name }) => name).join(", ");
  throw new UserError({
    problem: `the script is of the kind "${kind}"`,
    fix: `use one of ${names}`,
  });
}

async function showSeed(simulation: Simulation, seed: number): Promise<number> {
  const subject = subjectOf(simulation.subjects, seed);
  return shown(simulation, await playSeed({ ...simulation.play, records: true }, subject, seed));
}

async function showScript(simulation: Simulation, script: Script): Promise<number> {
  const options = { ...simulation.play, records: true };
  return shown(simulation, await playScript(options, kindOf(script), script));
}

function shown({ flags, io }: Simulation, outcome: Outcome): number {
  const { failure, script, recorded } = outcome;
  if (flags.log !== undefined) writeFile(flags.log, `${(recorded?.log ?? []).join("\n")}\n`, io);
  save(flags, script, io);
  if (flags.output === "json")
    io.print(JSON.stringify({ ...outcome, recorded: undefined }, null, 2));
  else {
    io.print(`${script.kind}, seed ${script.seed}`);
    printTimeline(outcome, io);
    for (const text of failure?.texts ?? []) io.print(text);
    if (failure === undefined) io.print("every promise held, and it came to rest");
  }
  return failure === undefined ? 0 : 2;
}

function save({ save: file }: SimFlags, script: Script, io: Io): void {
  if (file !== undefined) writeFile(file, `${JSON.stringify(script, null, 1)}\n`, io);
}

function writeFile(file: string, text: string, { workingDirectory }: Io): void {
  try {
    writeFileSync(resolve(workingDirectory, file), text);
  } catch (error) {
    throw new UserError({ problem: `${file} cannot be written: ${(error as Error).message}` });
  }
}

function readScript(file: string, { workingDirectory }: Io): Script {
  try {
    const script = JSON.parse(readFileSync(resolve(workingDirectory, file), "utf8")) as Script;
    if (!Array.isArray(script.steps) || !Array.isArray(script.objects)) throw new Error("no steps");
    return script;
  } catch (error) {
    throw new UserError({
      problem: `${file} is no script: ${(error as Error).message}`,
      fix: "`lockstep sim --replay SEED --save FILE` writes one",
    });
  }
}
