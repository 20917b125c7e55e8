/** Plans on a real API server: made with a role that only reads, and true when the change is made. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { KubeObject } from "../../src/api/object.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../../src/api/ocm/managed-cluster.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import type { Resource } from "../../src/api/resource.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { Io } from "../../src/cli/io.ts";
import { run } from "../../src/cli/run.ts";
import { beginKinds } from "../../src/controllers/engine/kind-definition.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { edited } from "../../src/preview/edit.ts";
import type { Plan } from "../../src/preview/plan.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import {
  bindingOf,
  clusterOf,
  inGroupsOf,
  placementObject,
  setName,
  setOf,
} from "../builders/placement-scenario.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import { rolling, statefulSetOf } from "../builders/stateful-set-scenario.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let cluster: RealCluster;
let running: ReturnType<typeof beginKinds>;

const startSeconds = 4;
const stopSeconds = 2;

beforeAll(async () => {
  const kwok = { startDelayMs: startSeconds * 1000, stopDelayMs: stopSeconds * 1000 };
  cluster = await startRealCluster({ kwok });
  await installDefinitions(cluster.client);
  running = beginKinds(kinds, {
    client: cluster.client,
    clock: systemClock(),
    gangSchedulers: [],
    modes: { statefulset: "full" },
  });
  await running.started;
  for (const { resource, object } of Object.values(cases)) {
    await cluster.client.create(resource, object);
  }
  await cluster.client.create(clusterSetResource, setOf(setName));
  await cluster.client.create(clusterSetBindingResource, bindingOf(setName));
  for (let at = 0; at < 10; at++) {
    await cluster.client.create(managedClusterResource, clusterOf(`c${at}`));
  }
  await reader("reader", "*.*");
});

afterAll(async () => {
  await Promise.all(running.kinds.map((kind) => kind.stop()));
  await cluster.stop();
});

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

interface Case {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly verdict: Plan["verdict"];
  readonly fields?: readonly string[];
}

const surging = { maxUnavailable: 0, maxSurge: 1 };
const pairs = {
  replicas: 2,
  cliques: { front: { replicas: 2 }, lead: {}, work: {} },
  groups: { decode: { cliques: ["lead", "work"], replicas: 2 } },
} as const;

const set = (name: string, verdict: Plan["verdict"], more: object = {}): Case => ({
  resource: podCliqueSetResource,
  object: podCliqueSetOf({ name, ...pairs, ...more }),
  verdict,
});
const statefulSet = (name: string, verdict: Plan["verdict"], more: object = {}): Case => ({
  resource: statefulSetResource,
  object: statefulSetOf({ name, ...more }),
  verdict,
});
const group = (name: string, verdict: Plan["verdict"], more: object = {}): Case => ({
  resource: roleBasedGroupResource,
  object: groupOf({ name, ...more }),
  verdict,
});

const pod = { apiVersion: "v1", kind: "Pod" };
const parallel = { podManagementPolicy: "Parallel", ...rolling(2) };
const half = { prefill: "50%", decode: "50%" };

const cases: Readonly<Record<string, Case>> = {
  "PS1 PodCliqueSet, RollingRecreate": set("recreate", "completes"),
  "PS1 PodCliqueSet, RollingUpdate with surge": set("surge", "completes", {
    cliques: { ...pairs.cliques, front: { replicas: 2, updateStrategy: surging } },
  }),
  "PS1 PodCliqueSet, ReplicaRecreate": set("whole", "completes", {
    strategy: { type: "ReplicaRecreate" },
  }),
  "PS1 PodCliqueSet, OnDelete": set("ondelete", "rests", { strategy: { type: "OnDelete" } }),
  "ST1 StatefulSet, OrderedReady": statefulSet("ordered", "completes"),
  "ST1 StatefulSet, Parallel": statefulSet("parallel", "completes", {
    replicas: 5,
    spec: parallel,
  }),
  "ST1 StatefulSet, a partition": statefulSet("parted", "rests", {
    replicas: 4,
    spec: rolling(1, 2),
  }),
  "CO1 RoleBasedGroup, roles on their own": group("alone", "completes"),
  "CO1 RoleBasedGroup, maxSkew": group("skew", "completes", {
    strategy: { maxUnavailable: "50%", maxSkew: "25%" },
  }),
  "CO1 RoleBasedGroup, steps": group("steps", "rests", {
    strategy: { steps: [{ roles: half, pause: {} }] },
  }),
  "CO1 RoleBasedGroup, pods with surge": group("pods", "completes", {
    roles: {
      prefill: { workload: pod, rolloutStrategy: { rollingUpdate: surging } },
      decode: { workload: pod },
    },
  }),
  "PL1 Placement, RollingUpdate": {
    resource: placementResource,
    object: placementObject("web", inGroupsOf(4)),
    verdict: "completes",
    fields: ["spec.decisionStrategy.groupStrategy.clustersPerDecisionGroup=3"],
  },
};

const imagesOf = ({ resource }: Case): readonly string[] => {
  if (resource === placementResource) return [];
  const cliques = Object.keys(pairs.cliques).map((clique) => `${clique}/app=${clique}:v2`);
  return resource === podCliqueSetResource ? cliques : ["app=web:v2"];
};

const nameOf = ({ object }: Case): string => object.metadata.name ?? "";
const unitsOf = ({ resource }: Case): Resource =>
  resource === placementResource ? placementDecisionResource : podResource;

const isRolledOut = async ({ resource, object }: Case): Promise<boolean> => {
  const name = object.metadata.name ?? "";
  const { status } = (await cluster.client.get(resource, { namespace, name })) as KubeObject & {
    status?: { conditions?: readonly { type: string; reason?: string }[] };
  };
  return (
    status?.conditions?.some(
      ({ type, reason }) => type === "Progressing" && reason === "RolledOut",
    ) ?? false
  );
};

/** Creations and deletions, and when the last pod came, went or became ready. */
async function following(given: Case) {
  const { items, metadata } = await cluster.client.list<Pod>(unitsOf(given), { namespace });
  const known = new Map(items.map((pod) => [pod.metadata.uid ?? "", isReady(pod)]));
  const left = new Set<string>();
  const seen: string[] = [];
  const stopping = new AbortController();
  let lastMs = Date.now();
  const { resourceVersion } = metadata as { resourceVersion: string };
  const options = { namespace, resourceVersion, signal: stopping.signal };
  const see = (pod: Pod, isGone: boolean): void => {
    const { uid = "", name = "", deletionTimestamp } = pod.metadata;
    const leaves = isGone || deletionTimestamp !== undefined;
    const before = known.get(uid);
    known.set(uid, isReady(pod));
    if (before === undefined && !leaves) seen.push(`create ${name}`);
    if (leaves ? left.has(uid) : before === isReady(pod)) return;
    if (leaves) seen.push(`delete ${name}`);
    if (leaves) left.add(uid);
    lastMs = Date.now();
  };
  void cluster.client.watch<Pod>(unitsOf(given), options, (event) => {
    if (event.type === "BOOKMARK" || event.type === "ERROR") return;
    const isOwn = event.object.metadata.name?.startsWith(`${nameOf(given)}-`) === true;
    if (isOwn) see(event.object, event.type === "DELETED");
  });
  return { seen, lastMs: () => lastMs, stop: () => stopping.abort() };
}

/** By component, since components do not wait for each other; the order inside one step aside. */
function sequences(lines: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const byComponent = new Map<string, string[][]>();
  for (const line of lines) {
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

test.each(Object.entries(cases))("%s", async (_what, given) => {
  await until("it is there", () => isRolledOut(given), 120_000);
  const { resource } = given;
  const [name, fields = []] = [nameOf(given), given.fields];
  // Of the same repository: how fast its pods start has been seen.
  const images = imagesOf(given);
  const edits = [
    ...images.map((each) => `--image=${each}`),
    ...fields.map((each) => `--set=${each}`),
  ];
  const stop = `--stop-seconds=${stopSeconds}`;
  const words = ["plan", `${resource.plural}/${name}`, ...edits, "-o", "json", stop];
  const { code, text } = await lockstep(words, "reader");
  const plan = JSON.parse(text) as Plan;
  expect({ code, verdict: plan.verdict }).toEqual({ code: 0, verdict: given.verdict });
  const followed = await following(given);
  const startMs = Date.now();
  const current = await cluster.client.get<KubeObject>(resource, { namespace, name });
  await cluster.client.update(resource, edited(current, { images, fields }));
  const planned = plan.steps.flatMap(({ writes }) =>
    writes
      .filter((write) => write.resource === unitsOf(given).plural && write.verb !== "patch")
      .map((write) => `${write.verb} ${write.name}`),
  );
  const limitMs = plan.durationSeconds * 2_000 + 20_000;
  await until("as many come and go", async () => followed.seen.length >= planned.length, limitMs);
  await until("it is quiet", async () => Date.now() - followed.lastMs() > 6_000, limitMs);
  followed.stop();
  expect(sequences(followed.seen)).toEqual(sequences(planned));
  const tookSeconds = (Math.max(startMs, followed.lastMs()) - startMs) / 1000;
  console.log(`${name}: planned ${plan.durationSeconds} s, took ${tookSeconds.toFixed(1)} s`);
  // Plans count whole seconds, and so do the times in statuses. A PodCliqueSet needs a dozen requests, one after
  // the other, between two pods: on a busy machine these take longer than the pods do.
  const slack = resource === podCliqueSetResource ? Number.POSITIVE_INFINITY : 1 + tookSeconds / 10;
  expect(Math.abs(plan.durationSeconds - tookSeconds)).toBeLessThanOrEqual(slack);
});

test("a role that may not read nodes, quotas, budgets and autoscalers is enough, and that is said", async () => {
  await reader("narrow", "pods,statefulsets.apps,controllerrevisions.apps,persistentvolumeclaims");
  const words = ["plan", "sts/ordered", "--image=app=registry.example/other:v3"];
  const { code, warned } = await lockstep(words, "narrow");
  expect(code).toBe(0);
  for (const name of ["nodes", "resourcequotas", "poddisruptionbudgets.policy"]) {
    expect(warned).toContain(`you may not list ${name}`);
  }
});
