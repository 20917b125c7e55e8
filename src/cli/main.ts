/** The command line's entry: runs a command and turns what went wrong into one line and an exit code. */
import { CommanderError } from "commander";
import { ApiError } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import type { Io } from "./io.ts";
import { processIo } from "./io.ts";
import { buildProgram } from "./program.ts";

/** 0 done, 1 refused or failed, 2 the command line itself was wrong. */
export async function run(words: readonly string[], io: Io): Promise<number> {
  try {
    await buildProgram(io).parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
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
    io.warn(`error: ${error.message}`);
    return 1;
  }
  // Anything else is a defect of ours: show where, so that it can be reported.
  io.warn(`lockstep: internal error: ${error instanceof Error ? error.stack : String(error)}`);
  return 1;
}

/** What the server refused, in kubectl's words. */
function refusalText(error: ApiError): string {
  const { details } = error.status;
  if (error.reason !== "Invalid" || details === undefined) {
    return `Error from server (${error.reason || error.code}): ${error.message}`;
  }
  const title = `The ${details.kind} "${details.name}" is invalid`;
  const causes = (details.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  const different = [...new Set(causes)];
  if (different.length === 0) return title;
  if (different.length === 1) return `${title}: ${different[0]}`;
  return `${title}: \n${different.map((cause) => `* ${cause}`).join("\n")}`;
}

process.exitCode = await run(process.argv.slice(2), processIo());
