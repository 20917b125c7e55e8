/** `lockstep sim`: the flags; what runs is loaded when the command runs. */
import { Command, Option } from "commander";
import { ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { positiveNumber, wholeNumber } from "./numbers.ts";

export interface SimFlags {
  readonly kind?: string;
  readonly seed?: number;
  readonly runs?: number;
  readonly minutes?: number;
  readonly faults?: string;
  readonly filename: readonly string[];
  readonly nodes?: number;
  readonly jobs: number;
  readonly replay?: number;
  readonly script?: string;
  readonly save?: string;
  readonly log?: string;
  readonly keepGoing?: boolean;
  readonly shrink: boolean;
  readonly output?: "json";
  /** A process of `--jobs`: a line of JSON for every run. */
  readonly job?: boolean;
}

const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text];
const seedNumber = wholeNumber(0, 2_147_483_647);

export function simCommand(io: Io): Command {
  return new Command("sim")
    .summary("put rollouts through faults, by the thousand, and check every promise")
    .description(
      "Run the controllers in virtual time among simulated nodes while requests fail, watches break, " +
        "operators crash, nodes go and people change their minds. Every promise is checked after every event, " +
        "and in the end everything has to come to rest. Reaches no cluster.",
    )
    .option(
      "--kind <kinds>",
      "podcliqueset, statefulset, rolebasedgroup, placement; several with commas",
    )
    .option("-f, --filename <path>", "your own manifests instead of drawn objects", collect, [])
    .option("--seed <number>", "the first seed; left out, one of this moment", seedNumber)
    .option(
      "--runs <count>",
      "how many seeds; 100 where --minutes is left out too",
      wholeNumber(1, 1e9),
    )
    .option("--minutes <count>", "stop after so much time", positiveNumber(100_000))
    .option(
      "--faults <list>",
      "only these faults, with or without rates: crash=0.01,conflict; or none",
    )
    .option("--nodes <count>", "simulated nodes; left out, 2 to 4", wholeNumber(1, 1_000))
    .option(
      "--jobs <count>",
      "processes side by side; 0: one for each core",
      wholeNumber(0, 256),
      1,
    )
    .option("--keep-going", "go on after a failure, and report all of them")
    .option("--no-shrink", "report a failure as it came, without looking for a shorter one")
    .option("--replay <seed>", "show the run of one seed", seedNumber)
    .option("--script <file>", "play a run that was saved, or written by hand")
    .option("--save <file>", "write the run that failed, or that is shown, to a file for --script")
    .option("--log <file>", "with --replay or --script: write every event of the run to a file")
    .addOption(
      new Option("-o, --output <format>", "print the summary for programs").choices(["json"]),
    )
    .addOption(new Option("--job").hideHelp())
    .addHelpText("after", help)
    .action(async (flags: SimFlags) => {
      const { runSim } = await import("./run-sim.ts");
      const code = await runSim(flags, io);
      if (code !== 0) throw new ExitCode(code);
    });
}

const help = `
Faults of requests and watches, with a probability for each request or event:
  conflict, throttled, serverError, timeout, appliedTimeout, lateTimeout,
  admission, crash, slowWatch, droppedWatch, relist
Faults and changes of a moment, with a weight:
  outOfStep, lostLeader, clockJump, nodeLoss, eviction, podLoss,
  image, neverReady, broken, slowStart, unschedulable, replicas, partition,
  strategy, pause, undo, delete

Examples:
  lockstep sim                                  a hundred runs of all kinds
  lockstep sim --kind statefulset --runs 1000   one kind
  lockstep sim -f my.yaml --minutes 5           your own manifests
  lockstep sim --faults crash=0.02,image        crashes only, and new images
  lockstep sim --kind statefulset --replay 17   what happens in one run
  lockstep sim --script broken.json             play a saved run again

Exit codes: 0 every promise held; 2 one was broken; 1 could not run.`;
