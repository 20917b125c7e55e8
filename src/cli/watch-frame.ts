/** One drawing of `lockstep watch`: what a rollout looks like on a terminal of a given size. Pure. */
import { servingText } from "../rollouts/counting.ts";
import { isAtRest, typed } from "../rollouts/view.ts";
import type { Gauge, RolloutView } from "../rollouts/view.ts";
import { asksForHelp, awaitedUnits, explain, headlineOf } from "../rollouts/why.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./io.ts";
import type { Colour, Line, Segment } from "./paint.ts";
import { coloured, plain, stateColours, stateIcons } from "./paint.ts";
import { ageText, countsText, etaText, shortRevision } from "./rollout-text.ts";
import { rowsWanted, treeLines } from "./watch-tree.ts";
import { wrapped } from "./wrapped.ts";

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  /** How what is printed to be typed is typed here. */
  readonly io?: Pick<Io, "invocation" | "clusterFlags">;
}

const eventsShown = 5;
export function frameOf(view: RolloutView, size: FrameSize): readonly Line[] {
  const head = headLines(view, size);
  // The cursor needs a line of its own below the drawing.
  const left = size.rows - 1 - head.length - 1;
  const events = eventLines(view, size, Math.min(eventsShown, left - rowsWanted(view) - 2));
  const tree = treeLines(view, { ...size, rows: Math.max(3, left - events.length) });
  const lines = [...head, [], ...tree, ...events];
  const most = Math.max(1, size.rows - 1);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), [coloured("dim", "… enlarge the terminal to see its pods")]];
}

/** What somebody needs first stands first: a small terminal cuts what is below. */
function headLines(view: RolloutView, size: FrameSize): readonly Line[] {
  const { nowMs, columns } = size;
  const { object, state, since, strategy, changes, notes } = view;
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
    ...(asksForHelp(view) ? helpLines(view, size) : reasonLines(view.reason.message, columns)),
    [label("revision"), ...revisionSegments(view), plain(`  ${changes}`)],
    [label("progress"), ...progressSegments(view, nowMs)],
    ...budgetLines(view, columns),
    ...notes.slice(0, 2).map((note): Line => [label("note"), coloured("dim", note)]),
  ];
}

const reasonLines = (text: string, columns: number): readonly Line[] =>
  wrapped(text, columns - 2, 3).map((line): Line => [plain(`  ${line}`)]);

/** Where something is stuck: which unit is stuck and why, and what to type; the rest is in `lockstep why`. */
function helpLines(view: RolloutView, { columns, nowMs, io = {} }: FrameSize): readonly Line[] {
  const [stuck, ...others] = awaitedUnits(view);
  const [command] = explain(view).commands;
  const room = columns - labelWidth;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const cause = stuck?.cause === undefined ? "" : `: ${stuck.cause}`;
  const forHow = ageText(stuck?.since, nowMs);
  const unit =
    stuck === undefined
      ? []
      : wrapped(
          `${stuck.name}${more} (${stuck.health}${forHow === "" ? "" : ` for ${forHow}`})${cause}`,
          room,
          3,
        );
  return [
    ...reasonLines(headlineOf(view), columns),
    ...labelled("waits for", unit, undefined),
    ...(command === undefined
      ? []
      : commandLines(asTyped(command.command, io), command.does, room)),
  ];
}

/** A command is shown whole, so that it can be typed; what it does only where there is room for that. */
function commandLines(command: string, does: string, room: number): readonly Line[] {
  const [first = [], ...rest] = labelled("type", wrapped(command, room), "bold");
  const explanation = `   (${does})`;
  const hasRoom = rest.length === 0 && command.length + explanation.length <= room;
  return [hasRoom ? [...first, plain(explanation)] : first, ...rest];
}

const labelWidth = 12;
const label = (text: string): Segment => coloured("dim", `  ${text.padEnd(labelWidth - 2)}`);

const labelled = (name: string, texts: readonly string[], colour: Colour | undefined): Line[] =>
  texts.map((text, at) => [label(at === 0 ? name : ""), coloured(colour, text)]);

function revisionSegments({ current, target, counts }: RolloutView): readonly Segment[] {
  if (target === undefined) {
    return [
      plain(counts.unit === "cluster" ? "none: its spec is all there is" : "none recorded yet"),
    ];
  }
  const to = coloured("green", `${shortRevision(target)} ${target.name}`);
  if (current === undefined || current.name === target.name) return [to];
  return [coloured("yellow", `${shortRevision(current)} ${current.name}`), plain(" -> "), to];
}

const barWidth = 24;

function progressSegments(view: RolloutView, nowMs: number): readonly Segment[] {
  const { progress, state } = view;
  const { unit, done, total } = progress;
  const isRest = isAtRest(state);
  // Where nothing is asked for all of it is there, once somebody has said that nothing is.
  const share = total === 0 ? Number(isRest) : done / total;
  const full = Math.floor(barWidth * share);
  const eta = isRest ? "" : etaText(view, nowMs);
  return [
    coloured("green", "█".repeat(full)),
    coloured("dim", "░".repeat(barWidth - full)),
    plain(` ${done}/${total} ${unit}s${eta === "" ? "" : `  ${eta}`}`),
  ];
}

/** What is used of it, and what serves; one below the other where there is no room beside. */
function budgetLines(view: RolloutView, columns: number): readonly Line[] {
  const segments = budgetSegments(view);
  const counts = countsText(view.counts);
  const length = segments.reduce((sum, { text }) => sum + text.length, labelWidth);
  const isBeside = length + 2 + counts.length <= columns;
  const note = view.budget === undefined ? "" : servingText(view.budget);
  return [
    [label("budget"), ...segments, plain(isBeside ? `  ${counts}` : "")],
    ...(isBeside ? [] : [[label(""), plain(counts)]]),
    ...(note === "" ? [] : [[label(""), coloured("dim", note)]]),
  ];
}

/** `unavailable 1/1 surge 0/1`. */
function budgetSegments({ budget, strategy }: RolloutView): readonly Segment[] {
  if (budget === undefined) {
    return [plain(strategy.startsWith("OnDelete") ? "none: OnDelete" : "none")];
  }
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
