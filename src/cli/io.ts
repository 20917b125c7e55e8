/** The terminal as commands see it, so that tests can run a command without one. */
import { readFileSync } from "node:fs";
import type { Clock } from "../runtime/clock.ts";
import { systemClock } from "../runtime/system-clock.ts";
import type { Transport } from "../runtime/transport.ts";
import { printableLine } from "./terminal-text.ts";

export interface Io {
  print(line: string): void;
  /** For progress and errors: never mixed into output that another program reads. */
  warn(line: string): void;
  /** Whether output goes to a person's terminal: only then are colours and redraws used. */
  readonly isTerminal: boolean;
  /** How many characters fit; read again before every drawing, since people resize. */
  size?(): { readonly columns: number; readonly rows: number };
  /** Text without an end of line, with control sequences: only for a terminal. */
  write?(text: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readStandardInput(): string;
  /** Aborts on Ctrl-C and on a signal that asks the process to stop. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  /** A cluster in this process: used instead of the one that a kubeconfig names. */
  readonly cluster?: Transport;
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
    print: (line) => void process.stdout.write(`${printableLine(line)}\n`),
    warn: (line) => void process.stderr.write(`${printableLine(line)}\n`),
    isTerminal: process.stdout.isTTY,
    size: () => ({ columns: process.stdout.columns ?? 80, rows: process.stdout.rows ?? 24 }),
    write: (text) => void process.stdout.write(text),
    environment: process.env,
    workingDirectory: process.cwd(),
    readStandardInput: () => readFileSync(0, "utf8"),
    stopping: stop.signal,
    clock: systemClock(),
  };
}
