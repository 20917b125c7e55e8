/** `lockstep diff`: what differs between two recorded revisions, field by field. */
import { Command } from "commander";
import { UserError } from "../api/user-error.ts";
import { rolloutView } from "../rollouts/compose.ts";
import { loadRollout } from "../rollouts/load.ts";
import type { RevisionRecord } from "../rollouts/revisions.ts";
import { recordsRevisions } from "../rollouts/kind.ts";
import { inNamespace } from "../rollouts/commands.ts";
import { differencesBetween, pathText } from "../rollouts/revisions.ts";
import type { RolloutView } from "../rollouts/view.ts";
import { typed } from "../rollouts/view.ts";
import { withConnection } from "./connect.ts";
import type { Io } from "./io.ts";
import { paintFor } from "./paint.ts";
import { getTarget, parseTarget } from "./rollout-arguments.ts";
import type { RolloutFlags } from "./rollout-flags.ts";
import { printData, withRolloutFlags } from "./rollout-flags.ts";

export function diffCommand(io: Io): Command {
  return withRolloutFlags(new Command("diff"), ["json", "yaml"])
    .summary("show what differs between two revisions")
    .description(
      "Show what differs between two recorded revisions. Without numbers: between the current and the target one, " +
        "or, at rest, between the last two. With one number: between it and the newest.",
    )
    .argument("<rollout...>", "KIND/NAME [REVISION] [REVISION]")
    .addHelpText(
      "after",
      "\nExamples:\n  lockstep diff podcliqueset/chat\n  lockstep diff sts/web 1 3",
    )
    .action((words: string[], flags: RolloutFlags) =>
      withConnection(flags, io, async (connection) => {
        const named = parseTarget(words);
        const { kind, object } = await getTarget(connection, named);
        const loaded = await loadRollout(connection.client, kind, object, io.clock.now());
        const view = rolloutView(kind, loaded);
        if (!recordsRevisions(kind, object)) {
          throw new UserError({
            problem: `a ${kind.resource.kind} has no revisions to compare`,
            fix: `its spec is all there is: kubectl get ${typed(view.object)}${inNamespace(view.object)} -o yaml`,
          });
        }
        const [before, after] = choose(view, kind.revisions(loaded), named.rest);
        await printDifferences(before, after, flags, io);
      }),
    );
}

type Pair = readonly [RevisionRecord, RevisionRecord];

function choose(
  view: RolloutView,
  records: readonly RevisionRecord[],
  numbers: readonly string[],
): Pair {
  if (numbers.length > 2) {
    throw new UserError({
      problem: "diff compares two revisions",
      fix: "give at most two numbers",
    });
  }
  const [from, to] = numbers.map((text) => recordNumbered(view, records, text));
  const newest = records.at(-1);
  const byName = (name: string | undefined) => records.find((record) => record.name === name);
  const isMoving = view.current?.name !== view.target?.name;
  const before = from ?? (isMoving ? byName(view.current?.name) : records.at(-2));
  const after = to ?? (from === undefined && isMoving ? byName(view.target?.name) : newest);
  if (before === undefined || after === undefined) {
    throw new UserError({
      problem: `${typed(view.object)} has fewer than two recorded revisions: there is nothing to compare`,
      fix: "change its template first",
    });
  }
  return [before, after];
}

function recordNumbered(
  { object }: RolloutView,
  records: readonly RevisionRecord[],
  text: string,
): RevisionRecord {
  const found = records.find(({ number, name }) => String(number) === text || name === text);
  if (found !== undefined) return found;
  const known = records.map(({ number }) => number).join(", ");
  throw new UserError({
    problem: `${typed(object)} has no revision ${text}`,
    fix: `recorded are ${known}: see \`lockstep history ${typed(object)}${inNamespace(object)}\``,
  });
}

async function printDifferences(
  before: RevisionRecord,
  after: RevisionRecord,
  flags: RolloutFlags,
  io: Io,
): Promise<void> {
  const differences = differencesBetween(before, after);
  const ref = ({ name, number }: RevisionRecord) => ({ name, number });
  const data = {
    apiVersion: "lockstep.dev/diff/v1",
    before: ref(before),
    after: ref(after),
    differences,
  };
  if (await printData(io, flags.output, data, () => [])) return;
  const paint = paintFor(io, flags);
  io.print(paint("red", `--- revision ${before.number} (${before.name})`));
  io.print(paint("green", `+++ revision ${after.number} (${after.name})`));
  if (differences.length === 0) return io.print("no difference");
  const { yamlText } = await import("./yaml-text.ts");
  for (const { path, before: old, after: next } of differences) {
    io.print(paint("bold", pathText(path)));
    const lines = (value: unknown): readonly string[] =>
      value === undefined ? [] : yamlText(value).split("\n");
    for (const line of lines(old)) io.print(paint("red", `- ${line}`));
    for (const line of lines(next)) io.print(paint("green", `+ ${line}`));
  }
}
