/** The terminal as commands see it, so that tests can run a command without one. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Clock } from "../runtime/clock.ts";
import { systemClock } from "../runtime/system-clock.ts";
import type { Transport } from "../runtime/transport.ts";
import type { ClusterFlags } from "./cluster-flags.ts";
import { printableLine } from "./terminal-text.ts";

export interface Io {
  print(line: string): void;
  /** For progress and errors: never mixed into output that another program reads. */
  warn(line: string): void;
  /** Whether output goes to a person's terminal: only then are colours and redraws used. */
  readonly isTerminal: boolean;
  /** How many characters fit; read again before every drawing. */
  size?(): { readonly columns: number; readonly rows: number };
  /** Calls when that has changed; the answer ends it. */
  onResize?(listener: () => void): () => void;
  /** Text without an end of line, with control sequences: only for a terminal. */
  write?(text: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the user typed for `lockstep`: what is printed to be typed begins with it. */
  readonly invocation?: string;
  /** What such a command ends with, so that it reaches the same cluster. */
  readonly clusterFlags?: ClusterFlags;
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
    onResize: (listener) => {
      process.stdout.on("resize", listener);
      return () => void process.stdout.off("resize", listener);
    },
    write: (text) => void process.stdout.write(text),
    environment: process.env,
    invocation: invocationOf(process.argv[1] ?? "", process.env),
    workingDirectory: process.cwd(),
    readStandardInput: () => readFileSync(0, "utf8"),
    stopping: stop.signal,
    clock: systemClock(),
  };
}

/** A clone has no `lockstep` on the path: there it is started by npm, and kubectl starts its plugins itself. */
export function invocationOf(program: string, environment: Io["environment"]): string {
  if (basename(program).startsWith("kubectl-lockstep")) return "kubectl lockstep";
  const isClone = /(^|[/\\])bin[/\\]lockstep\.mjs$/.test(program);
  return isClone || environment["npm_command"] !== undefined ? "npx lockstep" : "lockstep";
}

/** Alone, after a colon up to the end, or in backquotes inside of a sentence. */
const commands = /(?<=^|`|: )(lockstep|kubectl)( [a-z][^`]*)/g;

/** A command as the user can type it here. */
export const asTyped = (
  text: string,
  { invocation = "lockstep", clusterFlags }: Pick<Io, "invocation" | "clusterFlags">,
): string =>
  text.replaceAll(commands, (_command, program: keyof ClusterFlags, words: string) => {
    // What is written into kubectl is read by it, and `&&` ends a command.
    const last = words.includes(" | kubectl ") ? "kubectl" : program;
    const flags = clusterFlags?.[last] ?? "";
    const name = program === "lockstep" ? invocation : program;
    return `${name}${words.replaceAll(" && ", `${flags} && `)}${flags}`;
  });
