/** Lines of tables of sentences: `Stalled=True NoBudget: ...` of a condition, `Warning Stalled: ...` of an event. */
import type { Resource } from "../../src/api/resource.ts";
import type {
  ActionReasons,
  PerformedActions,
} from "../../src/controllers/engine/action-events.ts";
import { ActionEvents } from "../../src/controllers/engine/action-events.ts";
import type { NameConflictTexts } from "../../src/controllers/engine/name-conflict.ts";
import { nameConflictEvent } from "../../src/controllers/engine/name-conflict.ts";
import { NameConflictError } from "../../src/controllers/engine/perform.ts";
import { refusedStatus } from "../../src/controllers/engine/size-limits.ts";

interface Text {
  readonly type: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Conditioned {
  readonly conditions?: readonly (Text & { readonly status: string })[] | undefined;
}

/** The conditions of these types, in this order; of all types where none is named. */
export function conditionLines(
  { conditions = [] }: Conditioned,
  ...types: readonly string[]
): readonly string[] {
  const wanted = types.length === 0 ? conditions.map(({ type }) => type) : types;
  return wanted.flatMap((name) =>
    conditions
      .filter(({ type }) => type === name)
      .map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`),
  );
}

/** Of an object that is too large to plan for. */
export const tooLargeLines = (problem: string | undefined, ...types: readonly string[]) =>
  problem === undefined
    ? []
    : conditionLines(refusedStatus({ metadata: {} }, {}, { problem, nowMs: 0 }), ...types);

export const eventLines = (events: readonly (Text | undefined)[]): readonly string[] =>
  events.flatMap((event) =>
    event === undefined ? [] : [`${event.type} ${event.reason}: ${event.message}`],
  );

/** What is reported of actions, in the words and under the reasons of a kind. */
export function actionLines(reasons: ActionReasons, actions: PerformedActions): readonly string[] {
  const recorded: Text[] = [];
  const clock = { now: () => 0, after: () => ({ cancel: () => undefined }) };
  const events = { record: (_about: unknown, event: Text) => recorded.push(event) };
  const reporter = new ActionEvents(clock as never, events as never, reasons);
  const about = { metadata: { name: "chat", uid: "chat" } };
  reporter.add(about, actions);
  reporter.reportNow(about);
  return eventLines(recorded);
}

/** What is said of an object that has the name of one to be created. */
export async function nameConflictLines(
  texts: NameConflictTexts,
  { owner, resource }: { readonly owner: Resource; readonly resource: Resource },
  controller?: { readonly kind: string; readonly name: string },
): Promise<readonly string[]> {
  const ownerReferences =
    controller === undefined ? [] : [{ apiVersion: "", uid: "", controller: true, ...controller }];
  const found = { metadata: { name: "chat-0", namespace: "default", ownerReferences } };
  const live = { get: () => Promise.resolve(found) };
  const error = new NameConflictError(resource, found, undefined);
  const conflict = { resource: owner, owner: { metadata: { name: "chat" } }, texts };
  return eventLines([await nameConflictEvent(live as never, conflict, error)]);
}

type Lines = readonly string[];

/** What every state of a table says: the state, then its lines. It stands in a file beside the test. */
export async function sentencesOf<T>(
  table: Readonly<Record<string, T>>,
  says: (row: T) => Lines | Promise<Lines>,
): Promise<string> {
  const rows: string[] = [];
  for (const [state, row] of Object.entries(table)) {
    const lines = await says(row);
    rows.push([state, ...lines.map((line) => `  ${line}`)].join("\n"));
  }
  return `${rows.join("\n\n")}\n`;
}
