/** `lockstep plan`: the flags; what plays the change is loaded when the command runs. */
import { Command, Option } from "commander";
import type { ConnectionFlags } from "./connect.ts";
import { withConnectionFlags } from "./connect.ts";
import { ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { wholeNumber } from "./numbers.ts";

export interface PlanFlags extends ConnectionFlags {
  readonly filename?: string;
  readonly from?: string;
  readonly image: readonly string[];
  readonly set: readonly string[];
  readonly replicas?: number;
  readonly nodes: number;
  readonly startSeconds?: number;
  readonly stopSeconds?: number;
  readonly output?: "json";
  readonly html?: string;
}

const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text];

export function planCommand(io: Io): Command {
  return withConnectionFlags(new Command("plan"))
    .summary("show what a change will do before it is made")
    .description(
      "Play a change to its end in a copy of the cluster, with the controllers themselves, in virtual time. " +
        "Reads from the cluster and never writes to it.",
    )
    .argument("[object]", "the workload to change: KIND/NAME")
    .option("-f, --filename <file>", "the workload as it will be")
    .option("--from <file>", "the workload as it is, instead of the one in the cluster")
    .option(
      "--image <container=image>",
      "a new image, also clique/container=image; once for each",
      collect,
      [],
    )
    .option("--set <path=value>", "another value of any field; once for each", collect, [])
    .option("--replicas <count>", "another number of replicas", wholeNumber(0, 1_000_000))
    .option("--nodes <count>", "simulated nodes where none can be read", wholeNumber(1, 10_000), 8)
    .option("--start-seconds <count>", "how long a pod takes to be ready", wholeNumber(0, 86_400))
    .option("--stop-seconds <count>", "how long a pod takes to stop", wholeNumber(0, 86_400))
    .option("--html <file>", "also write it as a page with a timeline to scrub")
    .addOption(new Option("-o, --output <format>", "print the plan for programs").choices(["json"]))
    .addHelpText(
      "after",
      `
Examples:
  lockstep plan -f new.yaml                         what applying this would do
  lockstep plan pcs/chat --image server=server:v2   what this image would do
  lockstep plan --from old.yaml -f new.yaml         without any cluster
  lockstep plan rbg/chat --image app=app:v2 --html plan.html

Exit codes: 0 completes, rests or has nothing to do; 2 will not finish;
1 could not be planned.`,
    )
    .action(async (object: string | undefined, flags: PlanFlags) => {
      const { runPlan } = await import("./run-plan.ts");
      const code = await runPlan(object, flags, io);
      if (code !== 0) throw new ExitCode(code);
    });
}
