/** `lockstep why`: what a rollout or a pod does, what it waits for, under which rule, and what would free it. */
import { Command } from "commander";
import type { Pod } from "../api/pod.ts";
import { podResource } from "../api/pod.ts";
import { ApiError, isNotFound } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import { rolloutView } from "../rollouts/compose.ts";
import type { EventObject } from "../rollouts/events.ts";
import { loadRollout } from "../rollouts/load.ts";
import { readAbsentOperator } from "../rollouts/operator.ts";
import { rolloutKinds } from "../rollouts/kinds.ts";
import { nearest } from "../rollouts/nearest.ts";
import { inNamespace } from "../rollouts/commands.ts";
import { podsOf } from "../rollouts/view.ts";
import type { Explanation } from "../rollouts/why.ts";
import { explain, explainPod } from "../rollouts/why.ts";
import { eventResource } from "../runtime/event-recorder.ts";
import type { Connection } from "./connect.ts";
import { withConnection } from "./connect.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./io.ts";
import type { Paint } from "./paint.ts";
import { paintFor, stateColours } from "./paint.ts";
import type { Target } from "./rollout-arguments.ts";
import { getTarget, isServed, mayNot, parseTarget, podWords } from "./rollout-arguments.ts";
import type { RolloutFlags } from "./rollout-flags.ts";
import { printData, withRolloutFlags } from "./rollout-flags.ts";
import { ageText } from "./rollout-text.ts";
import { commandTexts, widthOf, wrapped } from "./wrapped.ts";

export function whyCommand(io: Io): Command {
  return withRolloutFlags(new Command("why"), ["json", "yaml"])
    .summary("say why a rollout or a pod is where it is, and what would free it")
    .description(
      "Say what a rollout does, what it waits for and since when, under which rule, what would free it, " +
        "and the command for that. A single pod can be asked about too.",
    )
    .argument("<what...>", "KIND/NAME, KIND NAME, or pod/NAME")
    .addHelpText(
      "after",
      "\nExamples:\n  lockstep why podcliqueset/chat\n  lockstep why pod/web-3 -o json",
    )
    .action((words: string[], flags: RolloutFlags) =>
      withConnection(flags, io, async (connection) => {
        const named = parseTarget(words);
        const isPod = podWords.includes(named.kindWord.toLowerCase());
        const explanation = isPod
          ? await whyPod(connection, named.name, io)
          : explain((await loadedOf(connection, await getTarget(connection, named), io)).view);
        if (await printData(io, flags.output, explanation, () => [])) return;
        const lines = explanationLines(
          typeable(explanation, io),
          { nowMs: io.clock.now(), width: widthOf(io) },
          paintFor(io, flags),
        );
        for (const line of lines) io.print(line);
      }),
    );
}

const typeable = (explanation: Explanation, io: Io): Explanation => ({
  ...explanation,
  commands: explanation.commands.map((each) => ({ ...each, command: asTyped(each.command, io) })),
});

async function loadedOf({ client }: Connection, { kind, object }: Target, io: Io) {
  const nowMs = io.clock.now();
  const [loaded, absent] = await Promise.all([
    loadRollout(client, kind, object, nowMs),
    readAbsentOperator(client, nowMs),
  ]);
  return { view: rolloutView(kind, { ...loaded, absent }), records: kind.revisions(loaded) };
}

async function whyPod(connection: Connection, name: string, io: Io): Promise<Explanation> {
  const pod = await getPod(connection, name);
  const target = await rolloutOf(connection, pod);
  if (target === undefined) {
    throw new UserError({
      problem: `pod ${name} belongs to no rollout of Lockstep`,
      fix: `see what it belongs to: kubectl describe pod ${name}${inNamespace(connection)}`,
    });
  }
  const [{ view, records }, events] = await Promise.all([
    loadedOf(connection, target, io),
    eventsOfPods(connection, name),
  ]);
  const node = podsOf(view.nodes).find((each) => each.name === name);
  if (node === undefined) {
    throw new UserError({ problem: `pod ${name} is gone`, fix: "ask again" });
  }
  return explainPod(view, node, { records, events, uid: pod.metadata.uid ?? "" });
}

/** Of all that had this name; nothing where they may not be read: they only say what was before. */
async function eventsOfPods({ client, namespace }: Connection, name: string) {
  const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${name}`;
  try {
    const { items } = await client.list<EventObject>(eventResource, { namespace, fieldSelector });
    return items;
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return [];
    throw error;
  }
}

async function getPod({ client, namespace }: Connection, name: string): Promise<Pod> {
  try {
    return await client.get<Pod>(podResource, { namespace, name });
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) {
      throw mayNot(error, podResource, "get", namespace);
    }
    if (!isNotFound(error) || !isServed(error)) throw error;
    const { items } = await client.list(podResource, { namespace });
    const meant = nearest(
      name,
      items.map(({ metadata }) => metadata.name ?? ""),
    );
    throw new UserError({
      problem: `there is no pod "${name}" in namespace ${namespace}`,
      fix:
        meant === undefined
          ? `see \`kubectl get pods${inNamespace({ namespace })}\``
          : `did you mean ${meant}?`,
    });
  }
}

/** The outermost rollout: the set of a clique, not the clique; the group of a role, not its StatefulSet. */
async function rolloutOf(connection: Connection, pod: Pod): Promise<Target | undefined> {
  for (const kind of rolloutKinds) {
    const name = kind.rolloutOf?.(pod);
    if (name !== undefined) return getTarget(connection, { kindWord: kind.word, name });
  }
  return undefined;
}

export function explanationLines(
  explanation: Explanation,
  { nowMs, width }: { readonly nowMs: number; readonly width: number },
  paint: Paint,
): readonly string[] {
  const { object, state, since, doing, waitsFor, waitingFor, rule, freedBy, commands } =
    explanation;
  const age = ageText(since, nowMs);
  const title = `${object.word}/${object.name}: ${paint(stateColours[state], state)}`;
  const room = width - labelWidth;
  const labelled = (label: string, texts: readonly string[]): readonly string[] =>
    texts.map((text, at) => `  ${paint("dim", (at === 0 ? label : "").padEnd(10))} ${text}`);
  const row = (label: string, text: string): readonly string[] =>
    labelled(label, wrapped(text, room));
  const more = waitingFor - waitsFor.length;
  const awaited = [
    ...withSameCause(waitsFor).map((units) => awaitedText(units, nowMs)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  const typed = commands.flatMap(({ command, does }) => {
    const [first, ...rest] = commandTexts(command, does, room);
    return [first.replace(command, () => paint("bold", command)), ...rest];
  });
  return [
    `${title}${age === "" ? "" : ` for ${age}`}`,
    ...row("doing", doing),
    ...labelled(
      "waits for",
      awaited.flatMap((text) => wrapped(text, room)),
    ),
    ...(since === undefined ? [] : row("since", since)),
    ...row("rule", `${rule.number} ${rule.title}: ${rule.sentence}`),
    ...row("freed by", freedBy),
    ...labelled("type", typed),
    ...explanation.notes.flatMap((note) => row("note", note)),
  ];
}

const labelWidth = 13;

type Awaited = Explanation["waitsFor"][number];

/** In the order in which they come; what is said of several is said once, so that the command stays in sight. */
function withSameCause(units: readonly Awaited[]): readonly (readonly Awaited[])[] {
  const groups = new Map<string, Awaited[]>();
  for (const unit of units) {
    const key = JSON.stringify([unit.health, unit.cause]);
    groups.set(key, [...(groups.get(key) ?? []), unit]);
  }
  return [...groups.values()];
}

function awaitedText(units: readonly Awaited[], nowMs: number): string {
  const names = units.map(({ name }) => name).join(", ");
  const [{ health, cause }] = units as readonly [Awaited, ...Awaited[]];
  const [longest] = units.flatMap(({ since }) => since ?? []).toSorted();
  const text = ageText(longest, nowMs);
  const age = text === "" ? "" : ` for ${text}`;
  return `${names} (${health}${age})${cause === undefined ? "" : `: ${cause}`}`;
}
