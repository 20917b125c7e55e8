/** Breaks text between its words, for terminals of a given width. Pure. */
import type { Io } from "./io.ts";

export function wrapped(
  text: string,
  width: number,
  most = Number.POSITIVE_INFINITY,
): readonly string[] {
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  if (lines.length <= most) return lines;
  const last = (lines[most - 1] ?? "").slice(0, width - 2).trimEnd();
  return [...lines.slice(0, most - 1), `${last} …`];
}

/** Lines below each other, each behind as many spaces: `  a sentence that` and `  goes on`. */
export const indented = (text: string, width: number, indent: string): readonly string[] =>
  wrapped(text, width - indent.length).map((line) => indent + line);

/** A pipe gets whole lines: what reads them breaks them where it likes. */
export const widthOf = ({ isTerminal, size }: Pick<Io, "isTerminal" | "size">): number =>
  (isTerminal ? size?.().columns : undefined) ?? Number.POSITIVE_INFINITY;

/** A command stays in one piece, so that it can be copied; what it does follows below where there is no room. */
export function commandTexts(
  command: string,
  does: string,
  room: number,
): readonly [string] | readonly [string, string] {
  const whole = `${command}   (${does})`;
  return whole.length <= room ? [whole] : [command, `(${does})`];
}
