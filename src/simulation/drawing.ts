/** A recorded run for people: what happened and when, and a lane for every pod. */
import type { Mark, Recorded } from "./recording.ts";
import type { Script } from "./script.ts";
import { faultTexts, isEventFault } from "./script.ts";

const mostLanes = 30;

/** The state of every pod from left to right, with a row that points at what happened. */
export function drawTimeline({ marks, notes }: Recorded, columns = 100): readonly string[] {
  const lanes = [...new Set(marks.map(({ lane }) => lane))].toSorted();
  const endMs = Math.max(1, ...marks.map(({ atMs }) => atMs), ...notes.map(({ atMs }) => atMs));
  const nameWidth = Math.max(8, ...lanes.map((lane) => lane.length));
  const width = Math.max(20, columns - nameWidth - 2);
  const columnOf = (atMs: number): number =>
    Math.min(width - 1, Math.floor((atMs * width) / endMs));
  const row = (name: string, cells: string): string => `${name.padEnd(nameWidth)} ${cells}`;
  const pointers = Array.from({ length: width }, () => " ");
  notes.forEach(({ atMs }, index) => {
    pointers[columnOf(atMs)] = letterOf(index);
  });
  const shown = lanes.slice(0, mostLanes);
  const hidden = lanes.length - shown.length;
  return [
    row("", pointers.join("").trimEnd()),
    ...shown.map((lane) =>
      row(
        lane,
        drawLane(
          marks.filter((mark) => mark.lane === lane),
          width,
          columnOf,
        ),
      ),
    ),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    row("", `0 s${`${(endMs / 1000).toFixed(0)} s`.padStart(width - 3)}`),
    ...notes.map(
      ({ atMs, text }, index) =>
        `${letterOf(index)} ${`${(atMs / 1000).toFixed(1)}s`.padStart(8)}  ${text}`,
    ),
  ];
}

export const legend =
  "a digit: serves, the last digit of its version; - not ready; x terminating (a Placement: clusters in each decision)";

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const letterOf = (index: number): string => letters[index % letters.length] ?? "?";

function drawLane(
  marks: readonly Mark[],
  width: number,
  columnOf: (atMs: number) => number,
): string {
  const cells = Array.from({ length: width }, () => " ");
  marks.forEach(({ atMs, state }, index) => {
    const next = marks[index + 1];
    const end = next === undefined ? width : Math.max(columnOf(next.atMs), columnOf(atMs) + 1);
    for (let at = columnOf(atMs); at < end; at++) cells[at] = state;
  });
  return cells.join("").trimEnd();
}

/** What is left of a script, one line each. */
export function scriptLines({ steps, strikes = [], operators, nodes }: Script): readonly string[] {
  return [
    `${operators === 1 ? "one operator" : `${operators} operators`}, ${nodes} nodes`,
    ...steps.map(
      ({ atMs, what }) => `at ${(atMs / 1000).toFixed(1)}s ${what}: ${faultTexts[what]}`,
    ),
    ...strikes.map(({ what, nth }) => {
      const on = isEventFault(what) ? "event" : "request";
      return `${on} ${nth} ${what}: ${faultTexts[what]}`;
    }),
  ];
}
