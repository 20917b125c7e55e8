/** Makes text safe for a terminal: what the terminal would obey is shown as text instead. */
import { randomBytes } from "node:crypto";

/** Control characters except tab and line feed, and marks that reorder or hide what follows. */
const commands = /(?![\t\n])[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const spelledOut = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** For text from a cluster or a file: a name cannot colour, hide or retype anything. */
export function terminalText(text: string): string {
  return text.replaceAll(commands, spelledOut);
}

const escape = String.fromCharCode(27);

/** Stands for the escape character in our own colours: made for this process, so that no text can have it. */
const mark = `\u{e000}${randomBytes(9).toString("base64url")}`;

/** Escape sequences of ours, to be printed by `printableLine`. */
export const ownSequences = (text: string): string => text.replaceAll(escape, mark);

/** For a whole line that may be coloured by us: our colours take effect, everything else is shown. */
export const printableLine = (line: string): string => terminalText(line).replaceAll(mark, escape);
