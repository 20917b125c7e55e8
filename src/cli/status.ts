/** `lockstep status`: where a rollout is, for people and for scripts. */
import { Command } from "commander";
import { rolloutView } from "../rollouts/compose.ts";
import { FollowedRollout } from "../rollouts/follow.ts";
import { loadRollout } from "../rollouts/load.ts";
import { readAbsentOperator } from "../rollouts/operator.ts";
import type { RevisionView, RolloutView } from "../rollouts/view.ts";
import type { Timer } from "../runtime/clock.ts";
import { servingText } from "../rollouts/counting.ts";
import { isAtRest, needsHelp, typed } from "../rollouts/view.ts";
import { asksForHelp, explain } from "../rollouts/why.ts";
import type { Connection } from "./connect.ts";
import { withConnection } from "./connect.ts";
import { shortDuration } from "./event-table.ts";
import { ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./io.ts";
import { parseDuration } from "./numbers.ts";
import type { Paint } from "./paint.ts";
import { paintFor, stateColours } from "./paint.ts";
import type { Target } from "./rollout-arguments.ts";
import { getTarget, parseTarget } from "./rollout-arguments.ts";
import type { RolloutFlags } from "./rollout-flags.ts";
import { fullName, printData, withRolloutFlags, writerOf } from "./rollout-flags.ts";
import {
  ageText,
  budgetText,
  countsText,
  etaText,
  shortRevision,
  whyText,
} from "./rollout-text.ts";
import { commandTexts, indented, widthOf } from "./wrapped.ts";

export interface StatusFlags extends RolloutFlags {
  readonly watch?: boolean;
  /** In milliseconds. */
  readonly timeout?: number;
}

export const exitCodes = { healthy: 0, stalled: 2, moving: 3 } as const;

export function statusCommand(io: Io): Command {
  return withRolloutFlags(new Command("status"))
    .summary("say where a rollout is; the exit code says whether it is healthy")
    .description(
      "Say where a rollout is. Exit code 0: all that was asked for is there (a partition that is reached counts). " +
        "2: stalled or rejected, a person has to help. 3: still moving, paused or being deleted.",
    )
    .argument("<rollout...>", "KIND/NAME or KIND NAME")
    .option("-w, --watch", "print changes until it is at rest or stalled")
    .option("--timeout <duration>", "with --watch: give up after 90s, 5m, ...", parseDuration)
    .addHelpText(
      "after",
      "\nExamples:\n  lockstep status podcliqueset/chat\n  lockstep status sts/web --watch --timeout 10m",
    )
    .action((words: string[], flags: StatusFlags) =>
      withConnection(flags, io, async (connection) => {
        const write = flags.watch === true ? await writerOf(flags.output) : undefined;
        const target = await getTarget(connection, parseTarget(words));
        const code =
          flags.watch === true
            ? await follow(connection, target, { ...flags, write }, io)
            : await once(connection, target, flags, io);
        if (code !== exitCodes.healthy) throw new ExitCode(code);
      }),
    );
}

async function once(
  { client }: Connection,
  { kind, object }: Target,
  flags: RolloutFlags,
  io: Io,
): Promise<number> {
  const loadedAtMs = io.clock.now();
  const [loaded, absent] = await Promise.all([
    loadRollout(client, kind, object, loadedAtMs),
    readAbsentOperator(client, loadedAtMs),
  ]);
  const view = rolloutView(kind, { ...loaded, absent });
  const names = (): string[] => [fullName(kind, view.object.name)];
  if (!(await printData(io, flags.output, dataOf(view), names))) {
    const nowMs = io.clock.now();
    const width = widthOf(io);
    const [title, ...texts] = statusLines(view, nowMs, paintFor(io, flags));
    const more = flags.output === "wide" ? [wideText(view, nowMs)] : [];
    const lines = [...texts, ...more].flatMap((text) => indented(text, width, "  "));
    for (const line of [title, ...lines, ...helpLines(view, io, width)]) io.print(line);
  }
  return codeOf(view);
}

const dataOf = (view: RolloutView) => ({ apiVersion: "lockstep.dev/rollout/v1", ...view });

export function codeOf({ state }: RolloutView): number {
  if (isAtRest(state)) return exitCodes.healthy;
  return needsHelp(state) ? exitCodes.stalled : exitCodes.moving;
}

/** The title, and what stands below it. */
function statusLines(
  view: RolloutView,
  nowMs: number,
  paint: Paint,
): readonly [string, ...(readonly string[])] {
  const { object, state, since, reason, counts, budget, progress, notes } = view;
  const age = ageText(since, nowMs);
  // Of clusters the counts say it already.
  const isMoving = !isAtRest(state) && progress.total > 0 && progress.unit !== "cluster";
  const facts = [
    countsText(counts),
    ...(budget === undefined ? [] : [budgetText(budget), servingText(budget)]),
    ...(isMoving ? [`${progress.done}/${progress.total} ${progress.unit}s done`] : []),
    etaText(view, nowMs),
  ].filter((text) => text !== "");
  return [
    `${typed(object)}: ${paint(stateColours[state], state)}${age === "" ? "" : ` for ${age}`}`,
    reason.message,
    facts.join("; "),
    ...notes.map((note) => `note: ${note}`),
  ];
}

/** `RollingUpdate, Parallel, partition 3; revision #1 web-5f -> #2 web-7b: app image v1 -> v2; 3m old`. */
function wideText(view: RolloutView, nowMs: number): string {
  const { strategy, partition, current, target, changes, createdAt } = view;
  const isMoving = current !== undefined && target !== undefined && current.name !== target.name;
  const named = (revision: RevisionView): string =>
    [...new Set([shortRevision(revision), revision.name])].join(" ");
  const revision = [isMoving ? named(current) : "", target === undefined ? "" : named(target)]
    .filter((text) => text !== "")
    .join(" -> ");
  const age = ageText(createdAt, nowMs);
  const facts = [
    `${strategy}${partition === undefined ? "" : `, partition ${partition}`}`,
    revision === ""
      ? ""
      : `revision ${revision}${isMoving && changes !== "" ? `: ${changes}` : ""}`,
    age === "" ? "" : `${age} old`,
  ];
  return facts.filter((text) => text !== "").join("; ");
}

/** Where something is stuck, what to type; the rest is in `why`. */
function helpLines(view: RolloutView, io: Io, width: number): readonly string[] {
  if (!asksForHelp(view)) return [];
  const [first] = explain(view).commands;
  const freeing = "  to free it: ";
  const help =
    first === undefined
      ? []
      : commandTexts(asTyped(first.command, io), first.does, width - freeing.length).map(
          (text, at) => (at === 0 ? freeing : " ".repeat(freeing.length)) + text,
        );
  return [...help, `  more: ${asTyped(whyText(view), io)}`];
}

/** One line per change, until nothing more is to come or the time is over. */
async function follow(
  { client }: Connection,
  { kind, object }: Target,
  flags: StatusFlags & { readonly write: ((data: unknown) => string) | undefined },
  io: Io,
): Promise<number> {
  const paint = paintFor(io, flags);
  let last = "";
  let hasEnded = false;
  let hasWaited = false;
  let waiting: Timer | undefined;
  return new Promise((resolve, reject) => {
    const timer =
      flags.timeout === undefined
        ? undefined
        : io.clock.after(flags.timeout, () =>
            end(exitCodes.moving, `still moving after ${shortDuration(flags.timeout ?? 0)}`),
          );
    const rollout = new FollowedRollout({ client, clock: io.clock, kind, object, onChange: show });
    io.stopping.addEventListener("abort", () => end(exitCodes.moving), { once: true });
    rollout.start().then(show, reject);

    function end(code: number, why?: string): void {
      if (hasEnded) return;
      hasEnded = true;
      timer?.cancel();
      waiting?.cancel();
      rollout.stop();
      if (flags.output === "name") io.print(fullName(kind, object.metadata.name ?? ""));
      if (why !== undefined) io.warn(`${typedOf()}: ${why}`);
      resolve(code);
    }

    function show(): void {
      if (hasEnded) return;
      const view = rollout.view();
      if (view === undefined) return end(exitCodes.stalled, "it was deleted");
      if (isAheadOfItsPods(view) && !hasWaited) {
        waiting ??= io.clock.after(podLagMs, () => {
          hasWaited = true;
          show();
        });
        return;
      }
      const line = changeLine(view, paint);
      if (line !== last && flags.output !== "name") io.print(flags.write?.(dataOf(view)) ?? line);
      last = line;
      if (isAtRest(view.state) || needsHelp(view.state)) end(codeOf(view));
    }
  });

  function typedOf(): string {
    return `${kind.word}/${object.metadata.name}`;
  }
}

/** News of an object and of its pods come apart: they may be as late as this. */
const podLagMs = 1_000;

const isAheadOfItsPods = ({ state, counts }: RolloutView): boolean =>
  state === "Healthy" && counts.available < counts.desired;

/** `Progressing: 2/3 replicas available, 1/3 updated: replacing ...`. */
export const changeLine = ({ state, reason, counts }: RolloutView, paint: Paint): string =>
  [paint(stateColours[state], state), countsText(counts), reason.message].join(": ");
