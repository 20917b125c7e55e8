/** The terminal as commands see it, so that tests can run a command without one. */
import { readFileSync } from "node:fs";

export interface Io {
  print(line: string): void;
  /** For progress and errors: never mixed into output that another program reads. */
  warn(line: string): void;
  /** Whether output goes to a person's terminal: only then are colours and redraws used. */
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readStandardInput(): string;
  /** Aborts on Ctrl-C and on a signal that asks the process to stop. */
  readonly stopping: AbortSignal;
}

export function processIo(): Io {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort(signal));
  // `lockstep get | head` closes the pipe early; that is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    warn: (line) => void process.stderr.write(`${line}\n`),
    isTerminal: process.stdout.isTTY,
    environment: process.env,
    workingDirectory: process.cwd(),
    readStandardInput: () => readFileSync(0, "utf8"),
    stopping: stop.signal,
  };
}
