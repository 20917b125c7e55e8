/** One drawing of `lockstep watch`: what a rollout looks like on a terminal of a given size. Pure. */
import { isAtRest, typed } from "../rollouts/view.ts";
import type { Gauge, RolloutView } from "../rollouts/view.ts";
import type { Colour, Line, Segment } from "./paint.ts";
import { coloured, plain, stateColours, stateIcons } from "./paint.ts";
import { ageText, countsText, etaText, shortRevision } from "./rollout-text.ts";
import { treeLines } from "./watch-tree.ts";

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
}

const eventsShown = 5;
/** The tree gets this many lines before events are left out for it. */
const leastTree = 6;

export function frameOf(view: RolloutView, size: FrameSize): readonly Line[] {
  const head = headLines(view, size);
  // The cursor needs a line of its own below the drawing.
  const left = size.rows - 1 - head.length - 1;
  const events = eventLines(view, size, Math.min(eventsShown, left - leastTree - 2));
  const tree = treeLines(view, { ...size, rows: Math.max(3, left - events.length) });
  return [...head, [], ...tree, ...events].slice(0, Math.max(1, size.rows - 1));
}

function headLines(view: RolloutView, { nowMs, columns }: FrameSize): readonly Line[] {
  const { object, state, since, reason, strategy, counts, changes, notes } = view;
  const age = ageText(since, nowMs);
  return [
    [
      coloured("bold", typed(object)),
      plain(`  namespace ${object.namespace}  ${strategy}`),
      plain(view.partition === undefined ? "" : `  partition ${view.partition}`),
      coloured("yellow", view.isPaused && state !== "Paused" ? "  paused" : ""),
    ],
    [
      coloured(stateColours[state], `${stateIcons[state]} ${state}`),
      plain(age === "" ? "" : ` for ${age}`),
    ],
    ...wrapped(reason.message, columns - 2).map((text): Line => [plain(`  ${text}`)]),
    [label("revision"), ...revisionSegments(view), plain(`  ${changes}`)],
    [label("progress"), ...progressSegments(view, nowMs)],
    [label("budget"), ...budgetSegments(view), plain(`  ${countsText(counts)}`)],
    ...notes.slice(0, 2).map((note): Line => [label("note"), coloured("dim", note)]),
  ];
}

const label = (text: string): Segment => coloured("dim", `  ${text.padEnd(10)}`);

/** At most three lines: the whole text is in `lockstep why`. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.length > 3 ? [...lines.slice(0, 2), `${lines[2]} …`] : lines;
}

function revisionSegments({ current, target }: RolloutView): readonly Segment[] {
  if (target === undefined) return [plain("none recorded yet")];
  const to = coloured("green", `${shortRevision(target)} ${target.name}`);
  if (current === undefined || current.name === target.name) return [to];
  return [coloured("yellow", `${shortRevision(current)} ${current.name}`), plain(" -> "), to];
}

const barWidth = 24;

function progressSegments(view: RolloutView, nowMs: number): readonly Segment[] {
  const { progress, state } = view;
  const { unit, done, total } = progress;
  const full = total === 0 ? barWidth : Math.floor((barWidth * done) / total);
  const eta = isAtRest(state) ? "" : etaText(view, nowMs);
  return [
    coloured("green", "█".repeat(full)),
    coloured("dim", "░".repeat(barWidth - full)),
    plain(` ${done}/${total} ${unit}s${eta === "" ? "" : `  ${eta}`}`),
  ];
}

/** `unavailable 1/1 surge 0/1`. */
function budgetSegments({ budget }: RolloutView): readonly Segment[] {
  if (budget === undefined) return [plain("none: OnDelete")];
  return [plain("unavailable "), gauge(budget.unavailable), plain(" surge "), gauge(budget.surge)];
}

function gauge({ used, allowed }: Gauge): Segment {
  const colour: Colour = used > allowed ? "red" : used === allowed && used > 0 ? "yellow" : "green";
  return coloured(colour, `${used}/${allowed}`);
}

function eventLines(view: RolloutView, { nowMs }: FrameSize, most: number): readonly Line[] {
  if (most <= 0 || view.events.length === 0) return [];
  const recent = view.events.slice(-most);
  return [
    [],
    [coloured("dim", "events")],
    ...recent.map(({ type, reason, message, lastSeen, count }): Line => {
      const times = count > 1 ? ` (x${count})` : "";
      return [
        coloured("dim", `  ${ageText(lastSeen, nowMs).padStart(5)} `),
        coloured(type === "Warning" ? "red" : undefined, reason),
        plain(`${times}  ${message}`),
      ];
    }),
  ];
}
