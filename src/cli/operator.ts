/** `lockstep operator`: the flags; the operator itself is loaded when the command runs. */
import { Command, Option } from "commander";
import type { ConnectionFlags } from "./connect.ts";
import { withConnectionFlags } from "./connect.ts";
import type { Io } from "./io.ts";
import { wholeNumber } from "./numbers.ts";

export interface OperatorFlags extends ConnectionFlags {
  readonly controllers: string;
  readonly statefulsetMode: "full" | "assist";
  readonly leaderElect: boolean;
  readonly leaseNamespace: string;
  readonly metricsPort: number;
  readonly logLevel: string;
}

export function operatorCommand(io: Io): Command {
  return withConnectionFlags(new Command("operator"))
    .summary("run the controllers against a cluster")
    .description(
      "Run Lockstep's controllers against the cluster of the kubeconfig, or of the pod it runs in. " +
        "Start as many as you like: one leads, the others wait.",
    )
    .option("--controllers <list>", "controllers to run, separated by commas", "all")
    .addOption(
      new Option(
        "--statefulset-mode <mode>",
        "`full` where the cluster's own StatefulSet controller is off, `assist` beside it",
      )
        .choices(["full", "assist"])
        .default("assist"),
    )
    .option("--no-leader-elect", "do not take a lease; only where nothing else can be running")
    .option("--lease-namespace <name>", "namespace of the lease", "kube-system")
    .option(
      "--metrics-port <number>",
      "port for /metrics and /healthz; 0 for none",
      wholeNumber(0, 65535),
      8080,
    )
    .addOption(
      new Option("--log-level <level>", "how much to log")
        .choices(["debug", "info", "warn", "error"])
        .default("info"),
    )
    .action(async (flags: OperatorFlags) => {
      const { operate } = await import("./operate.ts");
      await operate(flags, io);
    });
}
