/** What a change will do: played to its end in a copy of the cluster by the controllers themselves. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { isNotFound } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import { changesIn, templateChanges } from "../controllers/engine/template-changes.ts";
import type { Behaviour } from "../sim/images/behaviour.ts";
import { isAssisting } from "./assisted-sets.ts";
import type { LiveSizes } from "./components.ts";
import { nothingCounted } from "./components.ts";
import { droppedSettings, withBudgetOf } from "./dropped-budget.ts";
import type { Follower } from "./follower.ts";
import type { Fork, ForkOptions } from "./fork.ts";
import { forkCluster, settled } from "./fork.ts";
import type { Plan, PlanDetails, Verdict } from "./plan.ts";
import type { Played, Workload } from "./play.ts";
import { messageOf, play } from "./play.ts";
import { PodFollower } from "./pod-follower.ts";
import { previewedKind } from "./previewed-kinds.ts";
import type { DisruptionBudget } from "./warnings.ts";
import { brief, warningsOf } from "./warnings.ts";
import { unknownFieldsIn, writtenAgain } from "./write-again.ts";

export interface PreviewRequest extends ForkOptions {
  readonly workload: Workload;
  /** Where nothing is copied: what there is before the change. */
  readonly before?: KubeObject | undefined;
  /** The object after the change; given undefined where there is none yet. */
  readonly change: (current: KubeObject | undefined) => KubeObject;
  readonly disruptionBudgets: readonly DisruptionBudget[];
  /** Where durations come from, in words. */
  readonly durations: string;
  readonly onProgress?: ((seconds: number) => void) | undefined;
}

export interface Preview {
  readonly plan: Plan;
  readonly details: PlanDetails;
}

export async function preview(request: PreviewRequest): Promise<Preview> {
  const { hasDeployments } = previewedKind(request.workload.resource);
  const fork = await forkCluster({ ...request, hasDeployments, isAssisting: isAssisting(request) });
  try {
    return await previewIn(fork, request);
  } finally {
    await fork.stop();
  }
}

async function previewIn(fork: Fork, request: PreviewRequest): Promise<Preview> {
  const { clock, client, recorder } = fork;
  const { workload, before } = request;
  const { resource } = workload;
  if (before !== undefined) await start(fork, workload, before);
  const current = await settled(clock, lookUp(fork, workload));
  const wanted = request.change(current);
  await requireValid(fork, resource, { next: wanted, current });
  const next = withBudgetOf(current, wanted);
  for (const each of [current, next]) {
    if (each !== undefined) previewedKind(resource).requirePlayable?.(each);
  }
  const follower = previewedKind(resource).follower(next, await sizesOf(fork, workload), current);
  await watchFor(fork, workload, follower);
  recorder.take();
  follower.take();
  const startMs = clock.now();
  follower.begin(startMs);
  const unchanged = current && (await writtenAgain(fork, resource, withBudgetOf(current, current)));
  const heard = fork.warnings.length;
  const write =
    current === undefined
      ? client.create<KubeObject>(resource, next)
      : client.update<KubeObject>(resource, next);
  const written = await write;
  const unknownFields = unknownFieldsIn(fork.warnings.slice(heard), unchanged?.warnings ?? []);
  const isSame =
    current !== undefined && written.metadata.generation === current.metadata.generation;
  const { onProgress, catalogue } = request;
  const slowestMs = Math.max(0, ...catalogue.entries.map(({ change }) => longestMs(change)));
  const played = await play(fork, { workload, follower, onProgress, slowestMs });
  const changes = changesOf(unchanged?.object, written);
  const problems = fork.problems.map((problem) =>
    problem instanceof Error ? problem.message : String(problem),
  );
  const result: Result = {
    request,
    played,
    follower,
    startMs,
    changes,
    isSame,
    problems,
    unknownFields,
    dropped: droppedSettings(current, wanted),
  };
  return { plan: planOf(result), details: detailsOf(result) };
}

/** What the server would refuse makes no sense to anybody who looks at it before. */
async function requireValid(
  { client, clock }: Fork,
  resource: Resource,
  { next, current }: { readonly next: KubeObject; readonly current: KubeObject | undefined },
): Promise<void> {
  const options = { dryRun: true };
  await settled(
    clock,
    current === undefined
      ? client.create<KubeObject>(resource, next, options)
      : client.update<KubeObject>(resource, next, options),
  );
}

async function start(fork: Fork, workload: Workload, object: KubeObject): Promise<void> {
  await requireValid(fork, workload.resource, { next: object, current: undefined });
  previewedKind(workload.resource).requirePlayable?.(object);
  await settled(fork.clock, fork.client.create(workload.resource, object));
  const played = await play(fork, { workload, follower: new PodFollower(nothingCounted) });
  if (played.ending === "stalls" || played.ending === "timeout") throw doesNotStart(played);
}

const longestMs = ({
  pullSeconds,
  startSeconds,
  readySeconds,
  terminationSeconds,
}: Partial<Behaviour>) =>
  [pullSeconds, startSeconds, readySeconds, terminationSeconds]
    .map((seconds) => (typeof seconds === "number" ? seconds * 1000 : 0))
    .reduce((sum, each) => sum + each, 0);

const doesNotStart = ({ object }: Played): UserError =>
  new UserError({
    problem: `what --from describes does not start by itself: ${brief(messageOf(object))}`,
    fix: "correct it, or give it room with --nodes",
  });

/** The follower sees what there is before anything changes. */
async function watchFor(fork: Fork, workload: Workload, follower: Follower): Promise<void> {
  const { namespace } = workload.key;
  const { items } = await settled(fork.clock, fork.client.list(follower.resource, { namespace }));
  for (const object of items) follower.see("ADDED", object, fork.clock.now());
}

async function lookUp({ client }: Fork, { resource, key }: Workload) {
  try {
    return await client.get<KubeObject>(resource, key);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Sizes that autoscalers and people gave to cliques and groups survive a rollout. */
async function sizesOf({ client, clock }: Fork, workload: Workload): Promise<LiveSizes> {
  const sizes = new Map<string, number>();
  const { key } = workload;
  for (const resource of previewedKind(workload.resource).sizedBy) {
    const { items } = await settled(clock, client.list(resource, { namespace: key.namespace }));
    for (const { metadata, ...object } of items) {
      const spec = object["spec"] as { readonly replicas?: number } | undefined;
      if (spec?.replicas !== undefined) sizes.set(metadata.name ?? "", spec.replicas);
    }
  }
  return sizes;
}

function changesOf(
  current: KubeObject | undefined,
  next: KubeObject,
): Pick<PlanDetails, "changes" | "fields"> {
  if (current === undefined) return { changes: "created", fields: [] };
  const fields = changesIn([], current["spec"], next["spec"]).map(({ path, before, after }) => ({
    path: path.join("."),
    ...(before === undefined ? {} : { before: shown(before) }),
    ...(after === undefined ? {} : { after: shown(after) }),
  }));
  return { changes: templateChanges(current["spec"], next["spec"]), fields };
}

const longestValue = 60;

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue - 3)}...` : text;
}

interface Result {
  readonly request: PreviewRequest;
  readonly played: Played;
  readonly follower: Follower;
  readonly startMs: number;
  readonly changes: Pick<PlanDetails, "changes" | "fields">;
  readonly isSame: boolean;
  readonly problems: readonly string[];
  /** As the server words it: `unknown field "spec.replicass"`. */
  readonly unknownFields: readonly string[];
  /** Settings that the server of the cluster drops. */
  readonly dropped: readonly string[];
}

function verdictOf(result: Result): Verdict {
  const { played, follower, isSame } = result;
  const { ending, steps } = played;
  if (ending === "stalls" || ending === "timeout") return "stalls";
  if (played.rollback !== undefined) return "stalls";
  const { plural } = follower.resource;
  const isTouched = steps.some(({ writes }) => writes.some(({ resource }) => resource === plural));
  // What is under way already goes on, whatever is changed.
  if (!isTouched && (isSame || ending === "rolledOut")) return "nothing";
  return ending === "rests" ? "rests" : "completes";
}

function planOf(result: Result): Plan {
  const { request, played, follower, startMs } = result;
  const { resource, key } = request.workload;
  const verdict = verdictOf(result);
  const components = follower.components();
  return {
    apiVersion: "lockstep.dev/plan/v1",
    object: { kind: resource.kind, namespace: key.namespace ?? "", name: key.name },
    verdict,
    durationSeconds: Math.round((played.endMs - startMs) / 1000),
    steps: played.steps,
    components,
    peakExtra: follower.peakExtra(),
    warnings: warningsOf({
      verdict,
      kind: resource.kind,
      steps: played.steps,
      components,
      object: played.object,
      follower,
      disruptionBudgets: request.disruptionBudgets,
      problems: result.problems,
      rollback: played.rollback,
      idleSettings: [
        ...(previewedKind(resource).idleSettings?.(played.object) ?? []),
        ...result.dropped,
      ],
      unknownFields: result.unknownFields,
    }),
  };
}

function detailsOf({ request, played, follower, startMs, changes }: Result): PlanDetails {
  const seconds = (ms: number): number => Math.round((ms - startMs) / 1000);
  const moments = [0, ...played.steps.map(({ atSeconds }) => atSeconds), seconds(played.endMs)];
  const gaps = moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
  return {
    ...changes,
    ending: brief(messageOf(played.object)),
    longestWaitSeconds: Math.max(0, ...gaps),
    durations: request.durations,
    curves: Object.fromEntries(
      [...follower.curves()].map(([name, points]) => [
        name,
        points.map(({ atMs, available }) => ({ atSeconds: seconds(atMs), available })),
      ]),
    ),
  };
}
