/** `lockstep version`: of the command line and of the cluster. */
import { Command } from "commander";
import { withConnection, withConnectionFlags } from "./connect.ts";
import type { ConnectionFlags } from "./connect.ts";
import type { Io } from "./io.ts";
import { version } from "./release.ts";

interface VersionFlags extends ConnectionFlags {
  readonly client?: boolean;
  readonly output?: string;
}

export function versionCommand(io: Io): Command {
  return withConnectionFlags(new Command("version"))
    .summary("print the version of the command line and of the cluster")
    .description(
      "Print the version of the command line, of Node.js, and of the cluster if one answers.",
    )
    .option("--client", "do not ask the cluster")
    .option("-o, --output <format>", "json")
    .addHelpText("after", "\nExamples:\n  lockstep version\n  lockstep version --client -o json")
    .action(async (flags: VersionFlags) => {
      const server = flags.client === true ? undefined : await serverVersion(flags, io);
      if (flags.output === "json") {
        const data = {
          lockstep: version,
          node: process.version,
          ...(server === undefined ? {} : { server }),
        };
        return io.print(JSON.stringify(data, undefined, 2));
      }
      io.print(`lockstep ${version} on Node.js ${process.version}`);
      if (flags.client !== true) io.print(`cluster  ${server ?? "none answers"}`);
    });
}

async function serverVersion(flags: ConnectionFlags, io: Io): Promise<string | undefined> {
  let found: string | undefined;
  try {
    await withConnection(flags, io, async ({ transport }) => {
      const { body } = await transport.request({ method: "GET", path: "/version" });
      found = (body as { gitVersion?: string }).gitVersion;
    });
  } catch {
    return undefined;
  }
  return found;
}
