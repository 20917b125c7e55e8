/** `lockstep dashboard`: a page that shows and, where allowed, steers the rollouts of a cluster. */
import { Command } from "commander";
import { randomBytes } from "node:crypto";
import { UserError } from "../api/user-error.ts";
import type { Connection, ConnectionFlags } from "./connect.ts";
import { withConnection, withConnectionFlags } from "./connect.ts";
import type { Io } from "./io.ts";
import { wholeNumber } from "./numbers.ts";
import type { AddressEntry, LoginEntry } from "./run-dashboard.ts";

interface DashboardFlags extends ConnectionFlags {
  readonly port: number;
  readonly address: string;
  readonly allowActions?: boolean;
  readonly login?: boolean;
}

export function dashboardCommand(io: Io): Command {
  return withConnectionFlags(new Command("dashboard"))
    .summary("show rollouts on a page")
    .description(
      "Serve a page that shows the rollouts of the cluster live, with your own permissions. " +
        "It only looks unless --allow-actions is given.",
    )
    .option("-A, --all-namespaces", "show all namespaces")
    .option("--port <number>", "port of the page; 0 for any free one", wholeNumber(0, 65535), 0)
    .option("--address <address>", "address of the page", "127.0.0.1")
    .option("--allow-actions", "let the page pause, resume, undo, promote, restart and set images")
    .option(
      "--login",
      "everybody signs in with a token of the cluster, and sees and does what that token may",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  lockstep dashboard -A\n  lockstep dashboard -n team-a --allow-actions" +
        "\n  lockstep dashboard -A --login --allow-actions --port 8080   for a whole team",
    )
    .action((flags: DashboardFlags) =>
      withConnection(flags, io, async (connection) => {
        const { startDashboard } = await import("./run-dashboard.ts");
        const dashboard = await startDashboard({
          io,
          host: flags.address,
          port: flags.port,
          namespace: flags.allNamespaces === true ? undefined : connection.namespace,
          allowsActions: flags.allowActions === true,
          leaseClock: io.clock,
          entry: entryOf(flags, connection),
        }).catch((error: unknown) => {
          throw cannotServe(error as NodeJS.ErrnoException, flags);
        });
        io.print(`dashboard  ${dashboard.url}`);
        if (flags.login === true) {
          io.print("Sign in there with a token of the cluster: kubectl create token NAME");
        }
        io.print("Ctrl-C stops it.");
        await new Promise<void>((resolve) =>
          io.stopping.addEventListener("abort", () => resolve(), { once: true }),
        );
        await dashboard.stop();
      }),
    );
}

function cannotServe({ code, message }: NodeJS.ErrnoException, flags: DashboardFlags): UserError {
  const isPort = code === "EADDRINUSE" || code === "EACCES";
  return new UserError({
    problem: `cannot serve the page at ${flags.address}:${flags.port}: ${message}`,
    fix: isPort
      ? "choose another port with --port; 0 takes any free one"
      : "choose an address of this machine with --address",
  });
}

function entryOf({ login }: DashboardFlags, connection: Connection): AddressEntry | LoginEntry {
  if (login === true) return { withToken: (token) => connection.withToken(token) };
  return { client: connection.client, token: randomBytes(24).toString("hex") };
}
