/** Colours and columns of text: colours only on a terminal, and never where NO_COLOR or --no-color says so. */
import picocolors from "picocolors";
import type { RolloutState } from "../rollouts/view.ts";
import type { Io } from "./io.ts";
import { ownSequences, terminalText } from "./terminal-text.ts";

export type Colour = "red" | "green" | "yellow" | "cyan" | "magenta" | "blue" | "dim" | "bold";

export type Paint = (colour: Colour | undefined, text: string) => string;

export interface ColourFlags {
  /** False with --no-color. */
  readonly color?: boolean;
}

export function paintFor(io: Pick<Io, "isTerminal" | "environment">, flags: ColourFlags): Paint {
  const isWanted =
    io.isTerminal && flags.color !== false && (io.environment["NO_COLOR"] ?? "") === "";
  const colours = coloursFor(isWanted);
  return (colour, text) => (colour === undefined ? text : colours[colour](text));
}

export type Colours = Readonly<Record<Colour, (text: string) => string>>;

/** They take effect where `printableLine` prints them; the same sequences in text from elsewhere do not. */
export function coloursFor(isWanted: boolean): Colours {
  const colours = picocolors.createColors(isWanted);
  const own =
    (colour: Colour) =>
    (text: string): string =>
      ownSequences(colours[colour](terminalText(text)));
  return {
    red: own("red"),
    green: own("green"),
    yellow: own("yellow"),
    cyan: own("cyan"),
    magenta: own("magenta"),
    blue: own("blue"),
    dim: own("dim"),
    bold: own("bold"),
  };
}

export const stateColours: Readonly<Record<RolloutState, Colour>> = {
  Healthy: "green",
  Progressing: "cyan",
  Paused: "yellow",
  AtPartition: "magenta",
  AwaitingDelete: "magenta",
  AwaitingTurn: "magenta",
  Stalled: "red",
  Rejected: "red",
  Deleting: "dim",
};

export const stateIcons: Readonly<Record<RolloutState, string>> = {
  Healthy: "✔",
  Progressing: "◌",
  Paused: "‖",
  AtPartition: "◔",
  AwaitingDelete: "◔",
  AwaitingTurn: "◔",
  Stalled: "✖",
  Rejected: "✖",
  Deleting: "◷",
};

/** A piece of a line with its colour; what is measured and cut is the text alone. */
export interface Segment {
  readonly text: string;
  readonly colour?: Colour;
}

export type Line = readonly Segment[];

export const plain = (text: string): Segment => ({ text });
export const coloured = (colour: Colour | undefined, text: string): Segment =>
  colour === undefined ? { text } : { text, colour };

/** Wide characters are not measured: names of Kubernetes have none. */
export function painted(line: Line, paint: Paint, width = Number.POSITIVE_INFINITY): string {
  let left = width;
  const parts: string[] = [];
  for (const { text, colour } of line) {
    if (left <= 0) break;
    if (text === "") continue;
    const shown = text.length > left ? `${text.slice(0, Math.max(0, left - 1))}…` : text;
    parts.push(paint(colour, shown));
    left -= shown.length;
  }
  return parts.join("").trimEnd();
}

const gap = 3;

/** Rows with the cells of each column below each other; nothing after the last. */
export function columns(rows: readonly (readonly Segment[])[]): readonly Line[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach(({ text }, at) => {
      if (at < row.length - 1) widths[at] = Math.max(widths[at] ?? 0, text.length);
    });
  }
  return rows.map((row) =>
    row.flatMap((cell, at) => {
      if (at === row.length - 1) return [cell];
      return [cell, plain(" ".repeat((widths[at] ?? 0) - cell.text.length + gap))];
    }),
  );
}
