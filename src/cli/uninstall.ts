/** `lockstep uninstall`: the flags; what it does is loaded when the command runs. */
import { Command } from "commander";
import type { ConnectionFlags } from "./connect.ts";
import { withConnection, withConnectionFlags } from "./connect.ts";
import type { Io } from "./io.ts";
import { positiveNumber } from "./numbers.ts";
import { defaultLeaseNamespace } from "../rollouts/operator.ts";

export interface UninstallFlags extends ConnectionFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly keepDefinitions?: boolean;
  readonly leaseNamespace: string;
  readonly timeout: number;
}

const longestWaitSeconds = 86_400;

export function uninstallCommand(io: Io): Command {
  return withConnectionFlags(new Command("uninstall"))
    .summary("remove all custom objects and definitions from a cluster")
    .description(
      "Delete all objects of Lockstep's kinds with everything they own, wait until they are gone, then delete the " +
        "definitions and the policy of `lockstep crds --defaults`. " +
        "Where no operator runs any more, it removes the finalizers that nobody else would: so it also " +
        "ends a namespace or a definition that hangs in Terminating. With -n only the objects of that namespace are " +
        "removed, and the definitions are kept. Your own StatefulSets and their pods are not touched.",
    )
    .option("--dry-run", "only say what would be deleted")
    .option("--yes", "really delete; without it nothing is")
    .option("--keep-definitions", "delete the objects, keep the definitions")
    .option(
      "--lease-namespace <name>",
      "where a running operator has its lease",
      defaultLeaseNamespace,
    )
    .option(
      "--timeout <seconds>",
      "how long to wait for what others must end",
      positiveNumber(longestWaitSeconds),
      300,
    )
    .action(async (flags: UninstallFlags) => {
      const { systemClock } = await import("../runtime/system-clock.ts");
      const { uninstall } = await import("./uninstall-steps.ts");
      await withConnection(flags, io, ({ client }) =>
        uninstall({ client, clock: systemClock(), io }, flags),
      );
    });
}
