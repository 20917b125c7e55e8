/** Draws lines over the ones drawn before: the last drawing stays on the terminal when the command ends. */
import type { Io } from "./io.ts";
import { printableLine } from "./terminal-text.ts";

const escape = "\u001b[";
const hideCursor = `${escape}?25l`;
const showCursor = `${escape}?25h`;
const clearToEndOfLine = `${escape}K`;
const clearBelow = `${escape}J`;

export class LiveScreen {
  readonly #io: Io;
  #height = 0;

  constructor(io: Io) {
    this.#io = io;
  }

  /** Lines must fit the width: one that wraps would be counted as one. */
  draw(lines: readonly string[]): void {
    const up = this.#height === 0 ? hideCursor : `${escape}${this.#height}A\r`;
    const text = lines.map((line) => `${printableLine(line)}${clearToEndOfLine}\n`).join("");
    this.#io.write?.(`${up}${text}${clearBelow}`);
    this.#height = lines.length;
  }

  end(): void {
    if (this.#height > 0) this.#io.write?.(showCursor);
  }
}
