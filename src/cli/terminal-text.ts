/** Makes text safe for a terminal: what the terminal would obey is shown as text instead. */

/** Control characters except tab and line feed, and marks that reorder or hide what follows. */
const commands = /(?![\t\n])[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const spelledOut = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** For text from a cluster or a file: a name cannot colour, hide or retype anything. */
export function terminalText(text: string): string {
  return text.replaceAll(commands, spelledOut);
}

const escape = String.fromCharCode(27);
const colour = new RegExp(`(${escape}\\[[\\d;]*m)`);

/** For a whole line that may be coloured by us: colours stay, everything else is shown. */
export function printableLine(line: string): string {
  if (line.search(commands) < 0) return line;
  return line
    .split(colour)
    .map((part, index) => (index % 2 === 1 ? part : terminalText(part)))
    .join("");
}
