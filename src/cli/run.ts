/** Runs one command and turns what went wrong into one line and an exit code. */
import { CommanderError } from "commander";
import { ApiError } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import { clusterFlagsOf, withFlagsLast } from "./cluster-flags.ts";
import { ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./io.ts";
import { buildProgram } from "./program.ts";
import { refusalText } from "./refusal-text.ts";
import { terminalText } from "./terminal-text.ts";

/** 0 done, 1 refused or failed, 2 the command line itself was wrong; `status` has codes of its own. */
export async function run(given: readonly string[], terminal: Io): Promise<number> {
  const words = withFlagsLast(given);
  const io = { ...terminal, clusterFlags: clusterFlagsOf(words, terminal) };
  try {
    const program = await buildProgram(io, words);
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof ExitCode) return error.code;
    return isInterruption(error, io.stopping) ? 0 : report(error, io);
  }
}

/** A command that was interrupted has not failed, however far it had come. */
function isInterruption(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.name === "AbortError"));
}

function report(error: unknown, io: Io): number {
  if (error instanceof CommanderError) {
    const isHelp = error.code === "commander.helpDisplayed" || error.code === "commander.version";
    return error.exitCode === 0 || isHelp ? 0 : 2;
  }
  if (error instanceof ApiError) {
    io.warn(refusalText(error));
    return 1;
  }
  if (error instanceof UserError) {
    io.warn(`error: ${terminalText(asTyped(error.message, io))}`);
    return 1;
  }
  // Anything else is a defect of ours: show where, so that it can be reported.
  io.warn(`lockstep: internal error: ${error instanceof Error ? error.stack : String(error)}`);
  return 1;
}
