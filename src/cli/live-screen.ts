/**
 * Draws over what was drawn before, on a screen of its own as editors have it: a terminal that is made smaller wraps
 * and moves lines, so nothing may depend on where they were. The last drawing stays on the terminal when it ends.
 */
import type { Io } from "./io.ts";
import { printableLine } from "./terminal-text.ts";

const escape = "\u001b[";
const ownScreen = `${escape}?1049h${escape}?25l`;
const formerScreen = `${escape}?1049l${escape}?25h`;
const home = `${escape}H`;
const clearAll = `${escape}2J`;
const clearToEndOfLine = `${escape}K`;
const clearBelow = `${escape}J`;

export class LiveScreen {
  readonly #io: Io;
  #last: readonly string[] = [];
  #size = "";

  constructor(io: Io) {
    this.#io = io;
  }

  /** Lines must fit the width: the terminal would wrap them. */
  draw(lines: readonly string[]): void {
    const { columns = 0, rows = 0 } = this.#io.size?.() ?? {};
    const size = `${columns}x${rows}`;
    const start = this.#size === "" ? `${ownScreen}${clearAll}` : "";
    const isResized = this.#size !== "" && this.#size !== size;
    const text = lines.map((line) => `${printableLine(line)}${clearToEndOfLine}\n`).join("");
    this.#io.write?.(`${start}${isResized ? clearAll : ""}${home}${text}${clearBelow}`);
    this.#size = size;
    this.#last = lines;
  }

  end(): void {
    if (this.#size === "") return;
    const text = this.#last.map((line) => `${printableLine(line)}${clearToEndOfLine}\n`).join("");
    // The terminal may have been resized meanwhile, and put the cursor behind what stood there, or echoed ^C.
    this.#io.write?.(`${formerScreen}\r${text}`);
  }
}
