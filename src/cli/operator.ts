/** `lockstep operator`: the flags; the operator itself is loaded when the command runs. */
import { Command, InvalidArgumentError, Option } from "commander";
import { dns1123LabelProblems } from "../api/dns-name.ts";
import { defaultLeaseNamespace } from "../rollouts/operator.ts";
import type { ConnectionFlags } from "./connect.ts";
import { withClusterFlags } from "./connect.ts";
import type { Io } from "./io.ts";
import { wholeNumber } from "./numbers.ts";

export interface OperatorFlags extends ConnectionFlags {
  readonly controllers: string;
  readonly statefulsetMode: "full" | "assist";
  readonly gangSchedulers: readonly string[];
  readonly leaderElect: boolean;
  readonly leaseNamespace: string;
  /** Empty for the whole cluster. */
  readonly namespaces: readonly string[];
  readonly metricsPort: number;
  readonly metricsAddress?: string;
  /** 0 for no limit. */
  readonly kubeApiQps: number;
  readonly kubeApiBurst: number;
  readonly logLevel: string;
}

/** Kubelets and Prometheus come from outside a pod; on a machine nobody but its own users should. */
export const metricsHost = (
  { metricsAddress }: Pick<OperatorFlags, "metricsAddress">,
  { environment }: Pick<Io, "environment">,
): string =>
  metricsAddress ?? ((environment["KUBERNETES_SERVICE_HOST"] ?? "") === "" ? "127.0.0.1" : "::");

export function namespaceList(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => dns1123LabelProblems(name).length > 0);
  if (wrong === undefined) return [...new Set(names)];
  throw new InvalidArgumentError(
    `"${wrong}" is no name of a namespace; write them as team-a,team-b`,
  );
}

const withRequestLimits = (command: Command): Command =>
  command
    .option(
      "--kube-api-qps <number>",
      "requests per second to the API server in the long run; 0 for no limit of our own",
      wholeNumber(0, 100_000),
      0,
    )
    .option(
      "--kube-api-burst <number>",
      "requests at once after a rest, where --kube-api-qps limits them",
      wholeNumber(1, 100_000),
      100,
    );

export function operatorCommand(io: Io): Command {
  return withRequestLimits(withClusterFlags(new Command("operator")))
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
    .option(
      "--gang-schedulers <list>",
      "schedulers that place PodGangs as a whole; for others, gangs that do not fit are held back",
      (text: string) => text.split(",").map((name) => name.trim()),
      ["kai-scheduler"],
    )
    .option("--no-leader-elect", "do not take a lease; only where nothing else can be running")
    .option(
      "--lease-namespace <name>",
      "namespace of the lease; its Role must be there",
      defaultLeaseNamespace,
    )
    .option(
      "--namespaces <list>",
      "look after these namespaces only, separated by commas, instead of all; " +
        "`lockstep rbac --namespaces` prints their roles",
      namespaceList,
      [],
    )
    .option(
      "--metrics-port <number>",
      "port for /metrics, /healthz and /readyz; 0 for none",
      wholeNumber(0, 65535),
      8080,
    )
    .option(
      "--metrics-address <address>",
      "address of that port (default: every address in a pod, 127.0.0.1 elsewhere)",
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
