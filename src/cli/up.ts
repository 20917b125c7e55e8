/** `lockstep up`: the flags; the cluster itself is loaded when the command runs. */
import { Command } from "commander";
import { localKubeconfig } from "./cluster-flags.ts";
import type { Io } from "./io.ts";
import { positiveNumber, wholeNumber } from "./numbers.ts";

export interface UpFlags {
  readonly port: number;
  readonly dashboardPort: number;
  readonly kubeconfig?: string;
  readonly nodes: number;
  readonly speed: number;
  readonly controllers: string;
  readonly images?: string;
  readonly http?: boolean;
}

export const defaultPort = 7443;

export function upCommand(io: Io): Command {
  return new Command("up")
    .summary("start the embedded cluster")
    .description(
      "Start a small Kubernetes in this process: API server, scheduler, simulated nodes, " +
        "garbage collector and controllers. kubectl works against it. " +
        "Ctrl-C stops everything; nothing is kept.",
    )
    .option(
      "--port <number>",
      "port of the API server; 0 takes any free one",
      wholeNumber(0, 65535),
      defaultPort,
    )
    .option(
      "--dashboard-port <number>",
      "port of the dashboard; 0 takes any free one",
      wholeNumber(0, 65535),
      0,
    )
    .option("--kubeconfig <file>", `where to write the kubeconfig (default: ${localKubeconfig})`)
    .option("--nodes <number>", "how many nodes to simulate", wholeNumber(0, 5000), 8)
    .option("--speed <factor>", "run time this many times faster", positiveNumber(1000), 1)
    .option(
      "--controllers <list>",
      "controllers to run, separated by commas, or none; they serve no metrics, `lockstep operator` does",
      "all",
    )
    .option("--images <file>", "catalogue of how images behave (see docs/simulation.md)")
    .option("--http", "serve plain http instead of https")
    .action(async (flags: UpFlags) => {
      const { runCluster } = await import("./run-cluster.ts");
      await runCluster(flags, io);
    });
}
