/** Plans on a real API server: made with a role that only reads, and true when the change is made. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import type { Condition } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { nodeResource } from "../../src/api/node.ts";
import type { KubeObject } from "../../src/api/object.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../../src/api/ocm/managed-cluster.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import type { Resource } from "../../src/api/resource.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { Io } from "../../src/cli/io.ts";
import { run } from "../../src/cli/run.ts";
import { beginKinds } from "../../src/controllers/engine/kind-definition.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { edited } from "../../src/preview/edit.ts";
import type { Plan } from "../../src/preview/plan.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { bindingOf, clusterOf, setName, setOf } from "../builders/placement-scenario.ts";
import { fakeNode } from "../control-plane/control-plane.ts";
import type { TruthCase } from "../preview/truth-cases.ts";
import { groups, placements, podCliqueSets, statefulSets } from "../preview/truth-cases.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 900_000 });

let cluster: RealCluster;
let running: ReturnType<typeof beginKinds>;

/** Long beside what requests take on a busy machine, so that a tenth of a step is more than all of them. */
const startSeconds = 10;
const stopSeconds = 2;
const stepSeconds = startSeconds + stopSeconds;
/** Nothing more comes when nothing came for longer than a pod needs. */
const quietMs = (stepSeconds + 6) * 1000;

const titled = (
  title: string,
  cases: Readonly<Record<string, TruthCase>>,
): readonly (readonly [string, TruthCase])[] =>
  Object.entries(cases).map(([name, given]) => [`${title}, ${name}`, given]);

const cases = [
  ...titled("PS1 PodCliqueSet", podCliqueSets),
  ...titled("ST1 StatefulSet", statefulSets),
  ...titled("CO1 RoleBasedGroup", groups),
  ...titled("PL1 Placement", placements),
];

/** Made before anything moves: who plans keeps the operator of this process from working. */
const plans = new Map<TruthCase, Planned>();

interface Planned {
  readonly code: number;
  readonly plan: Plan;
}

beforeAll(async () => {
  const kwok = {
    startDelayMs: startSeconds * 1000,
    stopDelayMs: stopSeconds * 1000,
    brokenImages: ["front:broken", "web:broken"],
  };
  cluster = await startRealCluster({ kwok });
  await installDefinitions(cluster.client);
  running = beginKinds(kinds, {
    client: cluster.client,
    clock: systemClock(),
    gangSchedulers: [],
    modes: { statefulset: "full" },
  });
  await running.started;
  await surroundings();
  for (const [, { resource, object }] of cases) await cluster.client.create(resource, object);
  await reader("reader", "*.*");
  for (const [title, given] of cases) {
    await until(`${title} is there`, () => isRolledOut(given), 240_000);
  }
  for (const [, given] of cases) plans.set(given, await planOf(given, givenDurations));
});

afterAll(async () => {
  await Promise.all(running.kinds.map((kind) => kind.stop()));
  await cluster.stop();
});

/** Room for all, a pool of two GPUs for each that is to run out of room, and a fleet. */
async function surroundings(): Promise<void> {
  const pools = cases.flatMap(([, { pool }]) => pool ?? []);
  const nodes = [
    ...["node-c", "node-d"].map((name) => fakeNode(name)),
    ...pools.map((pool) => fakeNode(`node-${pool}`, { pool }, 2)),
  ];
  for (const node of nodes) await cluster.client.create(nodeResource, node as never);
  await cluster.client.create(clusterSetResource, setOf(setName));
  await cluster.client.create(clusterSetBindingResource, bindingOf(setName));
  for (let at = 0; at < 10; at++) {
    await cluster.client.create(managedClusterResource, clusterOf(`c${at}`));
  }
}

/** A user who may read these and nothing else. */
async function reader(user: string, resources: string): Promise<void> {
  const tools = cluster.kubectl;
  await tools.output(["create", "clusterrole", user, "--verb=get,list", `--resource=${resources}`]);
  await tools.output([
    "create",
    "clusterrolebinding",
    user,
    `--clusterrole=${user}`,
    `--user=${user}`,
  ]);
}

function kubeconfigOf(user: string): string {
  const config = parse(readFileSync(cluster.plane.kubeconfig, "utf8")) as {
    users: { user: Record<string, unknown> }[];
  };
  const users = config.users.map((each) => ({ ...each, user: { ...each.user, as: user } }));
  const file = join(cluster.plane.folder, `kubeconfig-${user}`);
  writeFileSync(file, stringify({ ...config, users }));
  return file;
}

async function lockstep(words: readonly string[], user: string) {
  const printed: string[] = [];
  const warned: string[] = [];
  const io: Io = {
    print: (text) => void printed.push(text),
    warn: (text) => void warned.push(text),
    isTerminal: false,
    environment: {},
    workingDirectory: cluster.plane.folder,
    readStandardInput: () => "",
    stopping: new AbortController().signal,
    clock: systemClock(),
  };
  const code = await run([...words, "--kubeconfig", kubeconfigOf(user)], io);
  return { code, text: printed.join("\n"), warned: warned.join("\n") };
}

const nameOf = ({ object }: TruthCase): string => object.metadata.name ?? "";
const unitsOf = ({ resource }: TruthCase): Resource =>
  resource === placementResource ? placementDecisionResource : podResource;

/** Of the same repository: how fast its pods start has been seen. */
function imagesOf({ resource, object, tag }: TruthCase): readonly string[] {
  if (tag === "") return [];
  const [within, newTag = ""] = tag.includes(":") ? tag.split(":") : [undefined, tag];
  if (resource !== podCliqueSetResource) {
    return [`${within === undefined ? "" : `${within}/`}app=web:${newTag}`];
  }
  const { template } = object["spec"] as { template: { cliques: readonly { name: string }[] } };
  return template.cliques
    .map(({ name }) => name)
    .filter((clique) => within === undefined || clique === within)
    .map((clique) => `${clique}/app=${clique}:${newTag}`);
}

/** Pods of many workloads that start at once take longer than those of one: how long it takes is given. */
const givenDurations = [`--start-seconds=${startSeconds}`, `--stop-seconds=${stopSeconds}`];

async function planOf(given: TruthCase, durations: readonly string[]): Promise<Planned> {
  const { resource, fields = [] } = given;
  const edits = [
    ...imagesOf(given).map((each) => `--image=${each}`),
    ...fields.map((each) => `--set=${each}`),
  ];
  const name = `${resource.plural}/${nameOf(given)}`;
  const words = ["plan", name, ...edits, "-o", "json", ...durations];
  const { code, text, warned } = await lockstep(words, "reader");
  if (!text.startsWith("{")) throw new Error(`${words.join(" ")}: ${text} ${warned}`);
  return { code, plan: JSON.parse(text) as Plan };
}

async function conditionOf(given: TruthCase, type: string): Promise<Condition | undefined> {
  const key = { namespace, name: nameOf(given) };
  const { status } = await cluster.client.get<
    KubeObject & { status?: { conditions?: readonly Condition[] } }
  >(given.resource, key);
  return status?.conditions?.find((condition) => condition.type === type);
}

const isRolledOut = async (given: TruthCase): Promise<boolean> =>
  (await conditionOf(given, "Progressing"))?.reason === "RolledOut";

interface Seen {
  /** `create web-1`. */
  readonly what: string;
  readonly atMs: number;
}

/** Creations and deletions, and when the last pod came, went or became ready. */
async function following(given: TruthCase) {
  const { items, metadata } = await cluster.client.list<Pod>(unitsOf(given), { namespace });
  const known = new Map(items.map((pod) => [pod.metadata.uid ?? "", isReady(pod)]));
  const left = new Set<string>();
  const seen: Seen[] = [];
  const stopping = new AbortController();
  let lastMs = Date.now();
  const { resourceVersion } = metadata as { resourceVersion: string };
  const options = { namespace, resourceVersion, signal: stopping.signal };
  const see = (pod: Pod, isGone: boolean): void => {
    const { uid = "", name = "", deletionTimestamp } = pod.metadata;
    const atMs = Date.now();
    const leaves = isGone || deletionTimestamp !== undefined;
    const before = known.get(uid);
    known.set(uid, isReady(pod));
    if (before === undefined && !leaves) seen.push({ what: `create ${name}`, atMs });
    if (leaves && !left.has(uid)) seen.push({ what: `delete ${name}`, atMs });
    else if (!isGone && (leaves || before === isReady(pod))) return;
    if (leaves) left.add(uid);
    lastMs = atMs;
  };
  void cluster.client.watch<Pod>(unitsOf(given), options, (event) => {
    if (event.type === "BOOKMARK" || event.type === "ERROR") return;
    const isOwn = event.object.metadata.name?.startsWith(`${nameOf(given)}-`) === true;
    if (isOwn) see(event.object, event.type === "DELETED");
  });
  return { seen, lastMs: () => lastMs, stop: () => stopping.abort() };
}

/** Pods of a ReplicaSet have names that nobody can foresee. */
const generatedName = /-[a-z0-9]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/;
const foreseen = (line: string): string => line.replace(generatedName, "");

/** By component, since components do not wait for each other; the order inside one step aside. */
function sequences(lines: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const byComponent = new Map<string, string[][]>();
  for (const line of lines.map(foreseen)) {
    const component = line.replace(/^\w+ /, "").replace(/-\d+$/, "");
    const steps = byComponent.get(component) ?? [];
    const last = steps.at(-1);
    if (last?.[0]?.split(" ")[0] === line.split(" ")[0]) last?.push(line);
    else steps.push([line]);
    byComponent.set(component, steps);
  }
  return Object.fromEntries(
    [...byComponent]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([component, steps]) => [component, steps.flatMap((step) => step.toSorted())]),
  );
}

const writesIn = ({ steps }: Plan, { plural }: Resource) =>
  steps.flatMap(({ atSeconds, writes }) =>
    writes
      .filter(({ resource, verb }) => resource === plural && verb !== "patch")
      .map(({ verb, name }) => ({ what: `${verb} ${name}`, atMs: atSeconds * 1000 })),
  );

/** What is planned for a clearly later moment comes later, also across components. */
function outOfOrder(planned: readonly Seen[], seen: readonly Seen[]): readonly string[] {
  const moments = new Map<string, number[]>();
  for (const { what, atMs } of seen) {
    moments.set(foreseen(what), [...(moments.get(foreseen(what)) ?? []), atMs]);
  }
  const both = planned.flatMap(({ what, atMs: plannedMs }) => {
    const atMs = moments.get(foreseen(what))?.shift();
    return atMs === undefined ? [] : [{ what, plannedMs, atMs }];
  });
  return both.flatMap((later) =>
    both
      .filter((earlier) => later.plannedMs - earlier.plannedMs > 2_500)
      .filter((earlier) => earlier.atMs > later.atMs)
      .map((earlier) => `${earlier.what} after ${later.what}`),
  );
}

const endings = {
  completes: { reason: "RolledOut", status: "False" },
  rests: { status: "False" },
  stalls: { status: "True" },
  nothing: {},
} as const;

/** As the object itself says it; a stall once its deadline is over. */
async function endsAs(given: TruthCase): Promise<void> {
  // After a rollback it runs what it ran before.
  const verdict = given.code === "RolledBack" ? "completes" : given.verdict;
  const type = verdict === "stalls" ? "Stalled" : "Progressing";
  const want: Partial<Condition> = endings[verdict];
  await until(
    `${nameOf(given)} ${given.verdict}`,
    async () => {
      const found = await conditionOf(given, type);
      return found?.status === want.status && (want.reason ?? found?.reason) === found?.reason;
    },
    60_000,
  );
}

interface Outcome {
  readonly code: number;
  readonly verdict: Plan["verdict"];
  readonly warning: string | undefined;
  readonly sequences: Readonly<Record<string, readonly string[]>>;
  readonly outOfOrder: readonly string[];
  /** Beyond what counts as the same time. */
  readonly secondsOff: number;
}

const expected = (given: TruthCase, { plan }: Planned): Outcome => ({
  code: given.verdict === "stalls" ? 2 : 0,
  verdict: given.verdict,
  warning: given.code,
  sequences: sequences(writesIn(plan, unitsOf(given)).map(({ what }) => what)),
  outOfOrder: [],
  secondsOff: 0,
});

test.concurrent.each(cases)("%s", async (_what, given) => {
  const planned = plans.get(given) as Planned;
  expect(await outcomeOf(given, planned)).toEqual(expected(given, planned));
});

test("ST1 how long pods take to start is seen on those that run", async () => {
  const given = { ...(statefulSets["OrderedReady"] as TruthCase), tag: "v3" };
  const planned = await planOf(given, [`--stop-seconds=${stopSeconds}`]);
  expect(await outcomeOf(given, planned)).toEqual(expected(given, planned));
});

/** Makes the change and follows it to its end. */
async function outcomeOf(given: TruthCase, { code, plan }: Planned): Promise<Outcome> {
  const followed = await following(given);
  const startMs = Date.now();
  const { resource, fields = [] } = given;
  const key = { namespace, name: nameOf(given) };
  const current = await cluster.client.get<KubeObject>(resource, key);
  await cluster.client.update(resource, edited(current, { images: imagesOf(given), fields }));
  const planned = writesIn(plan, unitsOf(given));
  const limitMs = plan.durationSeconds * 2_000 + 60_000;
  await until("as many come and go", async () => followed.seen.length >= planned.length, limitMs);
  await until("it is quiet", async () => Date.now() - followed.lastMs() > quietMs, limitMs);
  await endsAs(given);
  followed.stop();
  const tookSeconds = (Math.max(startMs, followed.lastMs()) - startMs) / 1000;
  const { durationSeconds } = plan;
  console.log(`${nameOf(given)}: planned ${durationSeconds} s, took ${tookSeconds.toFixed(1)} s`);
  // Where no pod is waited for, only requests take time, and plans count whole seconds.
  const slack = tookSeconds < startSeconds ? 1 : tookSeconds / 10;
  return {
    code,
    verdict: plan.verdict,
    warning: given.code === undefined ? undefined : plan.warnings[0]?.code,
    sequences: sequences(followed.seen.map(({ what }) => what)),
    outOfOrder: outOfOrder(planned, followed.seen),
    secondsOff: Math.max(0, Math.abs(durationSeconds - tookSeconds) - slack),
  };
}

test("a role that may not read nodes, quotas, budgets and autoscalers is enough, and that is said", async () => {
  await reader("narrow", "pods,statefulsets.apps,controllerrevisions.apps,persistentvolumeclaims");
  const words = ["plan", "sts/ordered", "--image=app=registry.example/other:v3"];
  const { code, warned } = await lockstep(words, "narrow");
  expect(code).toBe(0);
  for (const name of ["nodes", "resourcequotas", "poddisruptionbudgets.policy"]) {
    expect(warned).toContain(`you may not list ${name}`);
  }
});
