/** One program of the control plane: its log file, how to stop it, and the error when it ends by itself. */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Child {
  readonly name: string;
  readonly logFile: string;
  readonly pid: number;
  /** True until the program has ended. */
  isRunning(): boolean;
  /** The last lines of its log, for error messages. */
  tail(): string;
  /** Asks it to end, kills it after `patienceMs`, and resolves when it has ended. */
  stop(patienceMs?: number): Promise<void>;
}

const living = new Set<{ kill(signal: NodeJS.Signals): boolean }>();

/** A test run that crashes must not leave servers behind. */
process.on("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

export function startChild(
  name: string,
  binary: string,
  args: readonly string[],
  folder: string,
): Child {
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, "w");
  const child = spawn(binary, args, { cwd: folder, stdio: ["ignore", log, log] });
  closeSync(log);
  living.add(child);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  }).then(() => living.delete(child));

  return {
    name,
    logFile,
    pid: child.pid ?? 0,
    isRunning: () => living.has(child),
    tail: () => readFileSync(logFile, "utf8").split("\n").slice(-25).join("\n"),
    async stop(patienceMs = 5000) {
      child.kill("SIGTERM");
      const insist = setTimeout(() => child.kill("SIGKILL"), patienceMs);
      await ended;
      clearTimeout(insist);
    },
  };
}
