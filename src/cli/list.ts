/** `lockstep list`: every rollout with its state and progress. */
import { Command } from "commander";
import type { KubeObject } from "../api/object.ts";
import { ApiError } from "../api/status.ts";
import { listedView } from "../rollouts/compose.ts";
import type { RolloutKind } from "../rollouts/kind.ts";
import { rolloutKinds } from "../rollouts/kinds.ts";
import type { AbsentOperator, MissingLease } from "../rollouts/operator.ts";
import { absenceText, missingLeaseText, readAbsentOperator } from "../rollouts/operator.ts";
import type { RolloutView } from "../rollouts/view.ts";
import { needsHelp, typed, waitsForOperator } from "../rollouts/view.ts";
import type { Connection } from "./connect.ts";
import { withConnection } from "./connect.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./io.ts";
import type { Segment } from "./paint.ts";
import { coloured, columns, painted, paintFor, plain, stateColours } from "./paint.ts";
import { explained, isServed, kindNamed } from "./rollout-arguments.ts";
import type { RolloutFlags } from "./rollout-flags.ts";
import { fullName, printData, withRolloutFlags } from "./rollout-flags.ts";
import { ageText, whyText } from "./rollout-text.ts";
import { widthOf } from "./wrapped.ts";

export function listCommand(io: Io): Command {
  return withRolloutFlags(new Command("list"))
    .summary("list rollouts with their state and progress")
    .description("List the rollouts of a namespace or of all, of every kind or of the kinds named.")
    .argument("[kinds...]", "only these kinds; parts of a PodCliqueSet are listed when named")
    .option("-A, --all-namespaces", "look in all namespaces")
    .addHelpText(
      "after",
      "\nExamples:\n  lockstep list -A\n  lockstep list pcs -o wide\n  lockstep list pclq -n team-a",
    )
    .action((words: string[], flags: RolloutFlags) =>
      withConnection(flags, io, (connection) => list(connection, words, flags, io)),
    );
}

interface Row {
  readonly kind: RolloutKind;
  readonly view: RolloutView;
}

async function list(
  connection: Connection,
  words: readonly string[],
  flags: RolloutFlags,
  io: Io,
): Promise<void> {
  const named = words.flatMap((word) => word.split(",")).map(kindNamed);
  const absent = await readAbsentOperator(connection.client, io.clock.now());
  const rows = await rowsOf(connection, { named, absent }, flags, io);
  const items = rows.map(({ view }) => view);
  const data = { apiVersion: "lockstep.dev/rollouts/v1", items };
  const names = (): string[] => rows.map(({ kind, view }) => fullName(kind, view.object.name));
  if (await printData(io, flags.output, data, names)) return;
  if (rows.length === 0) {
    const where = flags.allNamespaces === true ? "" : ` in namespace ${connection.namespace}`;
    return io.warn(`no rollouts found${where}`);
  }
  const paint = paintFor(io, flags);
  // Who asks for all of it gets all of it.
  const width = flags.output === "wide" ? undefined : widthOf(io);
  const nowMs = io.clock.now();
  const table = [headerOf(flags), ...items.map((view) => cellsOf(view, flags, nowMs))];
  for (const line of columns(table)) io.print(painted(line, paint, width));
  warnOfOperator(items, io);
  const [stuck, ...others] = items.filter(({ state }) => needsHelp(state));
  if (stuck === undefined || !io.isTerminal) return;
  const count = others.length === 0 ? "1 rollout" : `${others.length + 1} rollouts`;
  io.print(`\n${count} cannot go on; what to type: ${paint("bold", asTyped(whyText(stuck), io))}`);
}

/** Once for all of them. */
function warnOfOperator(items: readonly RolloutView[], io: Io): void {
  for (const view of items) {
    const { operator, missingLease } = view;
    if (operator === undefined && missingLease === undefined) continue;
    const text = operator ? absenceText(operator) : missingLeaseText(missingLease ?? "");
    return io.warn(`${text}; what to do: ${asTyped(whyText(view), io)}`);
  }
}

interface Asked {
  readonly named: readonly RolloutKind[];
  readonly absent: AbsentOperator | MissingLease | undefined;
}

/** Kinds that the cluster does not serve are missing only where they were named. */
async function rowsOf(
  connection: Connection,
  { named, absent }: Asked,
  flags: RolloutFlags,
  io: Io,
): Promise<readonly Row[]> {
  const namespace = flags.allNamespaces === true ? undefined : connection.namespace;
  const isNamed = named.length > 0;
  const listOf = async (kind: RolloutKind): Promise<readonly Row[]> => {
    const objects = await objectsOf(connection, kind, namespace).catch((error: unknown) => {
      const isMissing = error instanceof ApiError && error.code === 404 && !isServed(error);
      if (isMissing && !isNamed) return [];
      const why = explained(error, kind, "list", namespace);
      if (isNamed || !(error instanceof ApiError)) throw why;
      io.warn(`warning: ${why instanceof Error ? why.message : String(why)}`);
      return [];
    });
    return objects
      .filter((object) => isNamed || kind.isTopLevel(object))
      .map((object) => ({
        kind,
        view: listedView(kind, object, { nowMs: io.clock.now(), absent }),
      }))
      .toSorted((a, b) => compare(placeOf(a), placeOf(b)));
  };
  return (await Promise.all((isNamed ? named : rolloutKinds).map(listOf))).flat();
}

const placeOf = ({ view: { object } }: Row): string => `${object.namespace}/${object.name}`;
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

async function objectsOf(
  { client }: Connection,
  { resource }: RolloutKind,
  namespace: string | undefined,
): Promise<readonly KubeObject[]> {
  return (await client.list(resource, { namespace })).items;
}

const headerOf = ({ allNamespaces, output }: RolloutFlags): readonly Segment[] =>
  [
    ...(allNamespaces === true ? ["NAMESPACE"] : []),
    "NAME",
    "STATE",
    "AVAILABLE",
    "UPDATED",
    "SINCE",
    ...(output === "wide" ? ["STRATEGY", "REVISION", "AGE"] : []),
    "REASON",
  ].map(plain);

function cellsOf(
  view: RolloutView,
  { allNamespaces, output }: RolloutFlags,
  nowMs: number,
): readonly Segment[] {
  const { object, state, counts, since, strategy, target, createdAt, reason } = view;
  const wide = [strategy, target?.name ?? "", ageText(createdAt, nowMs)];
  return [
    ...(allNamespaces === true ? [plain(object.namespace)] : []),
    plain(typed(object)),
    coloured(stateColours[state], state),
    plain(`${counts.available}/${counts.desired}`),
    plain(`${counts.updated}/${counts.desired}`),
    plain(ageText(since, nowMs)),
    ...(output === "wide" ? wide.map(plain) : []),
    plain(output === "wide" ? reason.message : shortened(view)),
  ];
}

/** A line of a table is for looking over; `why` and the other formats show the rest. */
const reasonLimit = 160;

/** Of what moves or is stalled the gravest cause first, which the sentence before it would push out of sight. */
function shortened(view: RolloutView): string {
  const { state, operator, reason } = view;
  // The line below the table has all of it.
  if (operator !== undefined && waitsForOperator(view)) {
    return `no operator has been at work since ${operator.since}`;
  }
  const { message } = reason;
  const isMoving = state === "Progressing" || state === "Stalled";
  const [sentence = "", ...others] = message.split("; ").map(withFewerNames);
  const cause = isMoving ? others.find((each) => isCause.test(each)) : undefined;
  const rest = [sentence, ...others].filter((each) => each !== cause);
  const text = [...(cause === undefined ? [] : [cause]), ...rest].join("; ");
  if (text.length <= reasonLimit) return text;
  const shorter = state === "Stalled" ? (cause ?? others[0] ?? sentence) : text;
  if (shorter.length <= reasonLimit) return shorter;
  return `${shorter.slice(0, reasonLimit - 3).trimEnd()}...`;
}

/** `web-1, web-2: crashed`; neither `prefill waits for web-1: 1 unit is down` nor `pair: prefill waits` is one. */
const isCause = /^[^\s,:]+(, [^\s,:]+)*( and \d+ more)?: (?!\S+ waits )/;

/** `web-1, web-2 and 3 more: crashed` -> `web-1 and 4 more: crashed`. */
const withFewerNames = (cause: string): string =>
  cause.replace(
    /^([^\s,]+)((?:, [^\s,:]+)+)(?: and (\d+) more)?(?=: )/,
    (_names, first: string, others: string, more = "0") =>
      `${first} and ${others.split(", ").length - 1 + Number(more)} more`,
  );
