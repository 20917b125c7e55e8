/** `lockstep watch`: a rollout live, redrawn in place on a terminal, line by line into a pipe. */
import { Command } from "commander";
import { timeText } from "../api/time-text.ts";
import type { Timer } from "../runtime/clock.ts";
import { FollowedRollout } from "../rollouts/follow.ts";
import type { RolloutView } from "../rollouts/view.ts";
import { withConnection, withConnectionFlags } from "./connect.ts";
import type { Connection } from "./connect.ts";
import type { Io } from "./io.ts";
import { LiveScreen } from "./live-screen.ts";
import { parseDuration } from "./numbers.ts";
import type { Paint } from "./paint.ts";
import { painted, paintFor, stateColours } from "./paint.ts";
import type { Target } from "./rollout-arguments.ts";
import { getTarget, parseTarget } from "./rollout-arguments.ts";
import type { RolloutFlags } from "./rollout-flags.ts";
import { budgetText, countsText } from "./rollout-text.ts";
import type { PodTexts } from "./watch-changes.ts";
import { podChanges, podTexts } from "./watch-changes.ts";
import { frameOf } from "./watch-frame.ts";

interface WatchFlags extends Omit<RolloutFlags, "output"> {
  readonly timeout?: number;
  readonly once?: boolean;
}

export function watchCommand(io: Io): Command {
  return withConnectionFlags(new Command("watch"))
    .option("--no-color", "no colours (also with NO_COLOR set)")
    .summary("show a rollout live: tree, budget, progress, reason, events")
    .description(
      "Show a rollout live until Ctrl-C, also into a pipe, where it prints a line per change; " +
        "`lockstep status --watch` ends with the rollout. Shown are the tree of its replicas, groups and pods with " +
        "their revisions, how much of the budget is used, progress with an estimate, why it waits, and recent events.",
    )
    .argument("<rollout...>", "KIND/NAME or KIND NAME")
    .option("--timeout <duration>", "end after 90s, 5m, ...", parseDuration)
    .option("--once", "draw it once and end")
    .addHelpText(
      "after",
      "\nExamples:\n  lockstep watch podcliqueset/chat\n  lockstep watch sts/web --timeout 10m | tee rollout.log",
    )
    .action((words: string[], flags: WatchFlags) =>
      withConnection(flags, io, async (connection) => {
        const target = await getTarget(connection, parseTarget(words));
        await watch(connection, target, flags, io);
      }),
    );
}

/** Drawings follow each other no faster than a person can see, and ages go on without any change. */
const betweenDrawingsMs = 200;
const tickMs = 1_000;

async function watch(
  { client }: Connection,
  { kind, object }: Target,
  flags: WatchFlags,
  io: Io,
): Promise<void> {
  const { clock, stopping } = io;
  const out = io.isTerminal ? screenOutput(flags, io) : lineOutput(flags, io);
  const pending: { timer?: Timer; isSoon: boolean } = { isSoon: false };
  let finish: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (finish = resolve));
  const draw = (): void => {
    pending.timer?.cancel();
    pending.isSoon = false;
    const view = rollout.view();
    out.show(
      view,
      new Set(rollout.loaded()?.related["pods"]?.map(({ metadata }) => metadata.name ?? "")),
    );
    if (view === undefined || flags.once === true) return finish();
    if (out.isLive) pending.timer = clock.after(tickMs, draw);
  };
  const soon = (): void => {
    if (pending.isSoon) return;
    pending.timer?.cancel();
    pending.isSoon = true;
    pending.timer = clock.after(betweenDrawingsMs, draw);
  };
  const rollout = new FollowedRollout({ client, clock, kind, object, onChange: soon });
  stopping.addEventListener("abort", finish, { once: true });
  const ignoreSize = out.isLive ? io.onResize?.(soon) : undefined;
  const limit = flags.timeout === undefined ? undefined : clock.after(flags.timeout, finish);
  try {
    await Promise.race([rollout.start(), ended]);
    draw();
    if (stopping.aborted) finish();
    await ended;
  } finally {
    limit?.cancel();
    ignoreSize?.();
    pending.timer?.cancel();
    rollout.stop();
    out.end();
  }
}

interface Output {
  /** Whether it is drawn again as time passes. */
  readonly isLive: boolean;
  /** Undefined when the object is gone; `existing` are the names of all pods that are there. */
  show(view: RolloutView | undefined, existing: ReadonlySet<string>): void;
  end(): void;
}

function screenOutput(flags: WatchFlags, io: Io): Output {
  const paint = paintFor(io, flags);
  const screen = new LiveScreen(io);
  const isOnce = flags.once === true;
  let isGone = false;
  return {
    isLive: !isOnce,
    show: (view) => {
      isGone = view === undefined;
      if (view === undefined) return;
      const size = io.size?.() ?? { columns: 80, rows: 24 };
      const lines = frameOf(view, { ...size, nowMs: io.clock.now(), io });
      const texts = lines.map((line) => painted(line, paint, size.columns));
      if (!isOnce) return screen.draw(texts);
      for (const text of texts) io.print(text);
    },
    end: () => {
      screen.end();
      if (isGone) io.print("it was deleted");
    },
  };
}

/** Only what has changed: lines that a log keeps and a script reads. */
function lineOutput(flags: WatchFlags, io: Io): Output {
  const paint = paintFor(io, flags);
  const seen = new Set<string>();
  let pods: PodTexts | undefined;
  let last = "";
  const say = (text: string, at = timeText(io.clock.now())): void => io.print(`${at} ${text}`);
  return {
    isLive: false,
    show: (view, existing) => {
      if (view === undefined) return say("it was deleted");
      const isFirst = pods === undefined;
      const now = podTexts(view, existing, pods);
      for (const text of podChanges(pods, now)) say(text);
      pods = now;
      const events = newEvents(view, seen);
      // What happened before is no change; a single look shows it all the same.
      if (!isFirst || flags.once === true) for (const { text, at } of events) say(text, at);
      const line = stateLine(view, paint);
      if (line !== last) say(line);
      last = line;
    },
    end: () => undefined,
  };
}

function stateLine({ state, reason, counts, budget }: RolloutView, paint: Paint): string {
  const gauge = budget === undefined ? "" : `, ${budgetText(budget)}`;
  return `${paint(stateColours[state], state)}: ${countsText(counts)}${gauge}: ${reason.message}`;
}

interface NewEvent {
  readonly text: string;
  /** When it happened, which may be a while before it is written. */
  readonly at: string;
}

function newEvents({ events }: RolloutView, seen: Set<string>): readonly NewEvent[] {
  return events.flatMap(({ type, reason, message, lastSeen }) => {
    const key = JSON.stringify([reason, message, lastSeen]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ text: `event ${type} ${reason}: ${message}`, at: lastSeen }];
  });
}
