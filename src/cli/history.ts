/** `lockstep history`: the recorded revisions of a rollout, and how many pods run each. */
import { Command } from "commander";
import type { RevisionRow } from "../rollouts/revisions.ts";
import { recordsRevisions } from "../rollouts/kind.ts";
import { revisionRows } from "../rollouts/revisions.ts";
import { rolloutView } from "../rollouts/compose.ts";
import { loadRollout } from "../rollouts/load.ts";
import { withConnection } from "./connect.ts";
import type { Io } from "./io.ts";
import { coloured, columns, painted, paintFor, plain } from "./paint.ts";
import { getTarget, parseTarget } from "./rollout-arguments.ts";
import type { RolloutFlags } from "./rollout-flags.ts";
import { printData, withRolloutFlags } from "./rollout-flags.ts";
import { ageText } from "./rollout-text.ts";
import { widthOf } from "./wrapped.ts";

export function historyCommand(io: Io): Command {
  return withRolloutFlags(new Command("history"))
    .summary("list the recorded revisions of a rollout")
    .description(
      "List the recorded revisions, oldest first: what each changed, and how many pods run it.",
    )
    .argument("<rollout...>", "KIND/NAME or KIND NAME")
    .addHelpText(
      "after",
      "\nExamples:\n  lockstep history podcliqueset/chat\n  lockstep history sts/web -o yaml",
    )
    .action((words: string[], flags: RolloutFlags) =>
      withConnection(flags, io, async (connection) => {
        const { kind, object } = await getTarget(connection, parseTarget(words));
        const loaded = await loadRollout(connection.client, kind, object, io.clock.now());
        const rows = revisionRows(rolloutView(kind, loaded), kind.revisions(loaded));
        const names = (): string[] => rows.map(({ name }) => `controllerrevision.apps/${name}`);
        const data = { apiVersion: "lockstep.dev/history/v1", revisions: rows };
        if (await printData(io, flags.output, data, names)) return;
        if (rows.length === 0) {
          const isMissing = recordsRevisions(kind, object);
          const none = `a ${kind.resource.kind} has no revisions: its spec is all there is`;
          return io.warn(
            isMissing ? "no revision is recorded yet: is the operator running?" : none,
          );
        }
        printRows(rows, flags, io);
      }),
    );
}

function printRows(rows: readonly RevisionRow[], flags: RolloutFlags, io: Io): void {
  const paint = paintFor(io, flags);
  const isWide = flags.output === "wide";
  const wide = ["REVISION", "NAME", "CREATED", "PODS", "ROLE", "CAUSE", "CHANGES"];
  const narrow = ["REVISION", "NAME", "AGE", "PODS", "ROLE", "CHANGES"];
  const header = (isWide ? wide : narrow).map(plain);
  const cells = rows.map(({ number, name, createdAt, pods, role, changeCause, changes }) => [
    plain(String(number)),
    plain(name),
    plain(isWide ? (createdAt ?? "") : ageText(createdAt, io.clock.now())),
    plain(String(pods)),
    coloured(role === "" ? undefined : "green", role),
    ...(isWide ? [plain(changeCause ?? ""), plain(changes)] : [plain(changeCause ?? changes)]),
  ]);
  const width = isWide ? undefined : widthOf(io);
  for (const line of columns([header, ...cells])) io.print(painted(line, paint, width));
}
