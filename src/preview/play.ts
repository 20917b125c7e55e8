/** Plays a change to its end in a copy of a cluster, and says what happened on the way. */
import type { Condition } from "../api/apps.ts";
import type { KubeObject, ObjectKey } from "../api/object.ts";
import { isTerminating } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import type { Follower } from "./follower.ts";
import type { Fork } from "./fork.ts";
import type { PlannedStep, PlannedWrite } from "./plan.ts";
import type { RecordedWrite } from "./recorder.ts";

export interface Workload {
  readonly resource: Resource;
  readonly key: ObjectKey;
}

interface Observed extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface Played {
  readonly ending: "rolledOut" | "rests" | "stalls" | "timeout";
  /** The last state of the workload. */
  readonly object: Observed;
  readonly steps: readonly PlannedStep[];
  /** When the last pod came, went or became ready. */
  readonly endMs: number;
  /** Undefined unless the operator itself wrote the workload back. */
  readonly rollback: Rollback | undefined;
}

/** How things were before it was rolled back. */
export interface Rollback {
  /** What the workload said. */
  readonly said: string;
  readonly isSurgeWaiting: boolean;
}

/** How often the copy is looked at. */
const tickMs = 1_000;
/** Nothing more comes when nothing came for this long. */
const quietMs = 15_000;
/** What still moves after this does not end the stall: a container that crashes again and again. */
const longestStallMs = 600_000;
/** Longer than the progress deadlines that people set: nothing will come any more. */
const stillMs = 2 * 3_600_000;
const longestMs = 60 * 24 * 3_600_000;

export interface PlayOptions {
  readonly workload: Workload;
  readonly follower: Follower;
  /** How long the slowest pod takes to start or stop. */
  readonly slowestMs?: number;
  /** Virtual seconds that passed, now and then. */
  readonly onProgress?: ((seconds: number) => void) | undefined;
}

/** Runs until the workload is at rest or stalls. */
export async function play(fork: Fork, options: PlayOptions): Promise<Played> {
  const { clock, recorder } = fork;
  const { workload, follower } = options;
  const startMs = clock.now();
  const steps: PlannedStep[] = [];
  const watching = new AbortController();
  let object = await read(fork, workload);
  const onObject = (seen: KubeObject): void => void (object = seen as Observed);
  follow(fork, watching.signal, { workload, follower, onObject });
  let lastMoveMs = startMs;
  let lastPodMs = startMs;
  let stalledMs = Infinity;
  let rollback: Rollback | undefined;
  for (;;) {
    const before = { said: messageOf(object), isSurgeWaiting: follower.isSurgeWaiting };
    await clock.runFor(tickFor(clock.now() - Math.max(lastMoveMs, lastPodMs)));
    follower.look();
    const writes = [...recorder.take(), ...follower.take()].toSorted((a, b) => a.atMs - b.atMs);
    addSteps(steps, stepsOf(writes, startMs, messageOf(object)));
    rollback ??= wroteBack(writes, workload) ? before : undefined;
    const own = writes.filter(({ resource }) => resource === follower.resource.plural);
    lastMoveMs = Math.max(lastMoveMs, writes.at(-1)?.atMs ?? 0);
    lastPodMs = Math.max(lastPodMs, own.at(-1)?.atMs ?? 0, follower.lastChangeMs);
    const elapsedMs = clock.now() - startMs;
    options.onProgress?.(elapsedMs / 1000);
    const silentMs = clock.now() - Math.max(lastMoveMs, lastPodMs);
    stalledMs = isStalled(object) ? Math.min(stalledMs, clock.now()) : Infinity;
    const stalledForMs = Math.max(0, clock.now() - stalledMs);
    const ending = endingOf(object, {
      isQuiet: silentMs >= quietMs,
      // What is done about a stall takes a moment: a surge is given up, other parts go on.
      isStuck: Math.min(silentMs, stalledForMs) >= quietMs || stalledForMs >= longestStallMs,
    });
    const mostSilentMs = stillMs + 2 * (options.slowestMs ?? 0);
    if (ending === undefined && silentMs < Math.min(mostSilentMs, longestMs - elapsedMs)) continue;
    watching.abort();
    return { ending: ending ?? "timeout", object, steps, endMs: lastPodMs, rollback };
  }
}

const wroteBack = (writes: readonly RecordedWrite[], { resource, key }: Workload): boolean =>
  writes.some((write) => write.resource === resource.plural && write.name === key.name);

/** While nothing happens, it is looked at less often. */
const tickFor = (silentMs: number): number =>
  silentMs < 60_000 ? tickMs : silentMs < 600_000 ? 10 * tickMs : 60 * tickMs;

const read = async ({ client }: Fork, { resource, key }: Workload): Promise<Observed> =>
  client.get<Observed>(resource, key);

function follow(
  { client, clock }: Fork,
  signal: AbortSignal,
  {
    workload,
    follower,
    onObject,
  }: PlayOptions & { readonly onObject: (object: KubeObject) => void },
): void {
  const { resource, key } = workload;
  const fieldSelector = `metadata.name=${key.name}`;
  const own = { namespace: key.namespace, fieldSelector, resourceVersion: "0", signal };
  void client.watch(resource, own, (event) => {
    if (event.type === "ADDED" || event.type === "MODIFIED") onObject(event.object);
  });
  const units = { namespace: key.namespace, resourceVersion: "0", signal };
  void client.watch(follower.resource, units, (event) => {
    if (event.type === "ADDED" || event.type === "MODIFIED" || event.type === "DELETED") {
      follower.see(event.type, event.object, clock.now());
    }
  });
}

const conditionOf = ({ status }: Observed, wanted: string): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === wanted);

const isStalled = (object: Observed): boolean => conditionOf(object, "Stalled")?.status === "True";

export const messageOf = (object: Observed): string =>
  conditionOf(object, "Progressing")?.message ?? "";

function endingOf(
  object: Observed,
  { isQuiet, isStuck }: { readonly isQuiet: boolean; readonly isStuck: boolean },
): Played["ending"] | undefined {
  // A Placement does not say which generation it has seen: it has once nothing moves.
  const seen = object.status?.observedGeneration ?? (isQuiet ? object.metadata.generation : 0);
  const isSeen = seen === object.metadata.generation;
  if (!isSeen || isTerminating(object)) return undefined;
  if (isStalled(object)) return isStuck ? "stalls" : undefined;
  const progressing = conditionOf(object, "Progressing");
  if (!isQuiet || progressing?.status !== "False") return undefined;
  return progressing.reason === "RolledOut" ? "rolledOut" : "rests";
}

/** What was seen in two looks and belongs to one second is one step. */
function addSteps(steps: PlannedStep[], more: readonly PlannedStep[]): void {
  for (const [index, step] of more.entries()) {
    const last = steps.at(-1);
    if (index > 0 || last?.atSeconds !== step.atSeconds) steps.push(step);
    else steps[steps.length - 1] = { ...step, writes: [...last.writes, ...step.writes] };
  }
}

/** The writes of one second are one step, or several where they have reasons of their own. */
function stepsOf(
  writes: readonly RecordedWrite[],
  startMs: number,
  message: string,
): readonly PlannedStep[] {
  const steps: { atSeconds: number; reason: string; writes: PlannedWrite[] }[] = [];
  for (const { atMs, reason = message, ...write } of writes) {
    const atSeconds = Math.floor((atMs - startMs) / 1000);
    const last = steps.at(-1);
    if (last?.atSeconds === atSeconds && last.reason === reason) last.writes.push(write);
    else steps.push({ atSeconds, reason, writes: [write] });
  }
  return steps;
}
