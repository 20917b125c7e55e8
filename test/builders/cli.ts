/** Runs commands as a person does, on a cluster in this process and in its time; what they print is kept. */
import type { Io } from "../../src/cli/io.ts";
import { run } from "../../src/cli/run.ts";
import { printableLine } from "../../src/cli/terminal-text.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import type { Transport } from "../../src/runtime/transport.ts";

export interface CliOptions {
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface CommandAnswer {
  readonly code: number;
  /** Both streams, in the order in which they were printed; errors begin with `!`. */
  readonly text: string;
}

export interface RunningCommand {
  /** Everything printed so far. */
  text(): string;
  /** The same with its colours, as a terminal gets it. */
  raw(): string;
  /** What is on the screen: the last drawing. */
  screen(): string;
  interrupt(): void;
  readonly ended: Promise<CommandAnswer>;
}

export function cliOf(world: { readonly clock: VirtualClock; readonly transport: Transport }) {
  /**
   * Modules of a command are loaded in real time, in which no virtual time may pass. So it has only started once
   * they are there, which its first request shows, or its end.
   */
  const start = async (line: string, options: CliOptions = {}): Promise<RunningCommand> => {
    const asked = onFirstRequest(world.transport);
    const printed: string[] = [];
    const drawn: string[] = [];
    const stop = new AbortController();
    const { isTerminal = false, columns = 120, rows = 40, environment = {} } = options;
    const io: Io = {
      print: (text) => void printed.push(printableLine(text)),
      warn: (text) => void printed.push(`! ${printableLine(text)}`),
      isTerminal,
      size: () => ({ columns, rows }),
      write: (text) => void drawn.push(text),
      environment,
      workingDirectory: "/",
      readStandardInput: () => "",
      stopping: stop.signal,
      clock: world.clock,
      cluster: asked.transport,
    };
    const text = (): string => withoutControls(printed.join("\n"));
    const ended = run(wordsOf(line), io).then((code) => ({ code, text: text() }));
    await Promise.race([asked.first, ended]);
    return {
      text,
      raw: () => printed.join("\n"),
      screen: () => withoutControls(drawn.findLast((each) => each.includes("\n")) ?? ""),
      interrupt: () => stop.abort(),
      ended,
    };
  };
  return {
    start,
    /** Commands that end by themselves; time passes only for those that wait. */
    lockstep: async (line: string, options: CliOptions = {}): Promise<CommandAnswer> => {
      const running = await start(line, options);
      const progress = { hasEnded: false };
      void running.ended.then(() => (progress.hasEnded = true));
      if (/ (-w|--watch|--timeout)\b/.test(line)) {
        while (!progress.hasEnded) await world.clock.runFor(100);
      }
      const answer = await running.ended;
      const screen = running.screen();
      return screen === "" ? answer : { ...answer, text: [answer.text, screen].join("\n").trim() };
    },
  };
}

function onFirstRequest(transport: Transport) {
  let hasAsked: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (hasAsked = resolve));
  const asking: Transport = {
    request: (request) => {
      hasAsked();
      return transport.request(request);
    },
    stream: (request, onEvent) => {
      hasAsked();
      return transport.stream(request, onEvent);
    },
  };
  return { first, transport: asking };
}

/** Quotes keep words together, as in a shell. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

const escape = String.fromCodePoint(27);

/** The text of one drawing; colours become `<red>...</>` so that a golden file shows them. */
export function withoutControls(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "31": "<red>",
    "32": "<green>",
    "33": "<yellow>",
    "35": "<magenta>",
    "36": "<cyan>",
    "1": "<bold>",
    "2": "<dim>",
  };
  return text
    .split(escape)
    .map((part, at) => {
      if (at === 0) return part;
      const [, codes = "", end = "", rest = ""] = /^\[([?0-9;]*)([A-Za-z])(.*)$/s.exec(part) ?? [];
      return `${end === "m" ? (names[codes] ?? "</>") : ""}${rest}`;
    })
    .join("")
    .replaceAll("\r", "")
    .trimEnd();
}
