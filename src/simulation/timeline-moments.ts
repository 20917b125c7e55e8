/** Writes a timeline in moments: what happened together stands together, however long each step took. */

export interface Line {
  readonly atMs: number;
  readonly text: string;
}

/** Pods take seconds, controllers milliseconds: a pause of this length is one that some pod took. */
const pauseMs = 400;

/** Whole seconds since the first line, and what happened then in name order. */
export function momentsOf(lines: readonly Line[]): string {
  const beganMs = lines[0]?.atMs ?? 0;
  return groupsOf(lines)
    .map((moment) => {
      const seconds = Math.round(((moment[0]?.atMs ?? 0) - beganMs) / 1000);
      const texts = moment.map(({ text }) => text).toSorted(inTimelineOrder);
      return [`${seconds}s`, ...texts.map((text) => `  ${text}`)].join("\n");
    })
    .join("\n");
}

/** A new moment begins after a pause, wherever on the clock that is: a step that takes longer moves nobody apart. */
function groupsOf(lines: readonly Line[]): Line[][] {
  const moments: Line[][] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (before === undefined || line.atMs - before.atMs >= pauseMs) moments.push([]);
    moments.at(-1)?.push(line);
  }
  return moments;
}

/** What comes up, what goes, what is made; by name within each. */
function inTimelineOrder(a: string, b: string): number {
  const rank = (text: string): number => (text.endsWith(" up") ? 0 : text.startsWith("-") ? 1 : 2);
  return rank(a) - rank(b) || (a < b ? -1 : Number(a > b));
}
