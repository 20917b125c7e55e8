/** A copy of a cluster in virtual time: the real controllers, simulated nodes, and no way back to the original. */
import { namespaceResource } from "../api/namespace.ts";
import { autoscalerResource } from "../api/autoscaler.ts";
import { podGangResource } from "../api/grove/podgang.ts";
import type { Node } from "../api/node.ts";
import { nodeResource } from "../api/node.ts";
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { podResource } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import { isNotFound } from "../api/status.ts";
import { parseTime } from "../api/time-text.ts";
import type { ApiServer } from "../apiserver/api-server.ts";
import { createApiServer } from "../apiserver/api-server.ts";
import { builtinResources } from "../apiserver/catalogue/builtin-resources.ts";
import { seededIds } from "../apiserver/ids.ts";
import type { KindDefinition } from "../controllers/engine/kind-definition.ts";
import { startKinds } from "../controllers/engine/kind-definition.ts";
import type { ControllerObserver } from "../runtime/controller.ts";
import type { Client } from "../runtime/client.ts";
import { restClient } from "../runtime/rest-client.ts";
import type { Transport } from "../runtime/transport.ts";
import { VirtualClock } from "../runtime/virtual-clock.ts";
import { startAutoscaling } from "../sim/autoscaler/autoscaler-controller.ts";
import { withoutConditions } from "../sim/cluster-stateful-sets.ts";
import { startCluster } from "../sim/cluster.ts";
import type { Catalogue } from "../sim/images/catalogue.ts";
import { isEmbedded } from "./assisted-sets.ts";
import { Quotas, quotaResource } from "./quota.ts";
import { WriteRecorder } from "./recorder.ts";

/** An object as it is in the cluster. */
export interface Copied {
  readonly resource: Resource;
  readonly object: KubeObject;
}

export interface ForkOptions {
  readonly kinds: readonly KindDefinition[];
  /** Serves the custom kinds. */
  readonly installDefinitions: (client: Client, wanted: readonly Resource[]) => Promise<void>;
  readonly startMs: number;
  readonly copied: readonly Copied[];
  /** Simulated nodes, where none are copied. */
  readonly nodes: number;
  /** Whether Lockstep only assists the controller of StatefulSets that the cluster has itself. */
  readonly isAssisting?: boolean;
  /** Whether the controllers of Deployments have a part in it. */
  readonly hasDeployments?: boolean;
  readonly catalogue: Catalogue;
}

export interface Fork {
  readonly clock: VirtualClock;
  /** As a user of the copy. */
  readonly client: Client;
  readonly recorder: WriteRecorder;
  /** What went wrong inside the copy, retried or not. */
  readonly problems: readonly unknown[];
  /** What the server warned of when its user wrote. */
  readonly warnings: readonly string[];
  stop(): Promise<void>;
}

export async function forkCluster(options: ForkOptions): Promise<Fork> {
  const { kinds, catalogue } = options;
  const copied = withOwnersOutside(onKnownNodes(options.copied));
  const clock = new VirtualClock(Math.max(options.startMs, latestMoment(copied)));
  const server = await serverWith(copied, { clock, ...options });
  const warnings: string[] = [];
  const client = restClient(hearing(server.transport, warnings));
  const problems: unknown[] = [];
  const onProblem = (problem: unknown): void => void problems.push(problem);
  const transport = withoutEvents(server.transport);
  const ending = new AbortController();
  const quotas = new Quotas(objectsOf(copied, quotaResource));
  quotas.follow(client, ending.signal);
  const gangSchedulers = gangSchedulersFor(copied);
  const cluster = await settled(
    clock,
    startCluster({
      client: restClient(transport),
      clock,
      catalogue,
      gangs: gangSchedulers === undefined && customKindsOf(kinds).includes(podGangResource),
      placesAll: true,
      isTerse: true,
      deployments: options.hasDeployments === true,
      onProblem,
      ...nodesOf(copied, options.nodes),
    }),
  );
  const recorder = new WriteRecorder();
  const observe = (): ControllerObserver => ({
    reconciled: (_key, { error }) => (error === undefined ? undefined : onProblem(error)),
  });
  const start = (mode: "full" | "assist", through: Transport) => {
    const operator = restClient(recorder.record(quotas.guard(through), clock));
    const modes = { statefulset: mode };
    const options = { clock, modes, onProblem, observe, gangSchedulers, leastRestMs };
    return settled(clock, startKinds(kinds, { client: operator, ...options }));
  };
  const { isAssisting = false } = options;
  const running = [
    ...(await start("full", isAssisting ? withoutConditions(transport) : transport)),
    ...(isAssisting ? await start("assist", transport) : []),
  ];
  const autoscaling = await autoscalingOf(copied, restClient(transport), { clock, onProblem });
  return {
    clock,
    client,
    recorder,
    problems,
    warnings,
    async stop() {
      ending.abort();
      if (autoscaling !== undefined) await settled(clock, autoscaling.stop());
      const stopping = Promise.all(running.map((kind) => kind.stop()));
      await settled(clock, stopping);
      await settled(clock, cluster.stop());
      await server.stop();
    },
  };
}

async function serverWith(
  copied: readonly Copied[],
  {
    clock,
    installDefinitions,
    kinds,
  }: Pick<ForkOptions, "installDefinitions" | "kinds"> & { clock: VirtualClock },
): Promise<ApiServer> {
  // What was copied from another copy has uids of the seed 1.
  const ids = seededIds(1 + copied.length);
  const server = createApiServer({ clock, ids, resources: builtinResources() });
  await settled(clock, installDefinitions(server.client, customKindsOf(kinds)));
  for (const { resource, objects } of grouped(withNamespaces(copied))) {
    if (await settled(clock, isServed(server.client, resource))) server.restore(resource, objects);
  }
  return server;
}

/** Only what the controllers know: a definition takes longer to check than many a rollout to play. */
const customKindsOf = (kinds: readonly KindDefinition[]): readonly Resource[] =>
  kinds.flatMap(({ customKinds }) => customKinds.map(({ resource }) => resource));

/** Only where there are autoscalers: they look every fifteen seconds. */
async function autoscalingOf(
  copied: readonly Copied[],
  client: Client,
  { clock, onProblem }: { clock: VirtualClock; onProblem: (problem: unknown) => void },
) {
  if (objectsOf(copied, autoscalerResource).length === 0) return undefined;
  return settled(clock, startAutoscaling({ client, clock, onProblem }));
}

/** What happens in one moment is reconciled together: seconds are counted, and most of the work is saved. */
const leastRestMs = 20;

/** Nobody reads the events of a copy, and they are a third of all writes. */
const withoutEvents = (transport: Transport): Transport => ({
  stream: (request, onEvent) => transport.stream(request, onEvent),
  request: (request) =>
    request.method !== "GET" && request.path.includes("/events")
      ? Promise.resolve({ status: 201, warnings: [], body: request.body })
      : transport.request(request),
});

const hearing = (transport: Transport, warnings: string[]): Transport => ({
  stream: (request, onEvent) => transport.stream(request, onEvent),
  request: async (request) => {
    const answer = await transport.request(request);
    warnings.push(...answer.warnings);
    return answer;
  },
});

/** Waiting for something in the copy takes virtual time. */
export async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let isOver = false;
  const over = promise.finally(() => (isOver = true));
  over.catch(() => undefined);
  await clock.runUntilTrue(() => isOver, 600_000);
  return over;
}

/** Quotas and kinds of others are not served in a copy. */
async function isServed(client: Client, resource: Resource): Promise<boolean> {
  try {
    await client.list(resource, { limit: 1 });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

const objectsOf = (copied: readonly Copied[], wanted: Resource): readonly KubeObject[] =>
  copied.filter(({ resource }) => resource === wanted).map(({ object }) => object);

/** Clocks of clusters differ from ours: a pod that was ready before the copy begins must not be ready after it. */
function latestMoment(copied: readonly Copied[]): number {
  let latestMs = 0;
  for (const { resource, object } of copied) {
    if (resource !== podResource) continue;
    for (const { lastTransitionTime } of (object as Pod).status?.conditions ?? []) {
      latestMs = Math.max(latestMs, parseTime(lastTransitionTime ?? "") ?? 0);
    }
  }
  return latestMs;
}

/** As `lockstep operator` has it. */
const knownGangSchedulers = ["kai-scheduler"];

/**
 * Undefined where the scheduler of the copied cluster places gangs as a whole: the one of the embedded cluster, or one
 * that pods ask for by its name. Any other places pods one by one.
 */
function gangSchedulersFor(copied: readonly Copied[]): readonly string[] | undefined {
  const nodes = objectsOf(copied, nodeResource) as readonly Node[];
  const pods = objectsOf(copied, podResource) as unknown as readonly Pod[];
  const asksForOne = pods.some(({ spec }) =>
    knownGangSchedulers.includes(spec.schedulerName ?? ""),
  );
  return nodes.length === 0 || isEmbedded(nodes) || asksForOne ? undefined : knownGangSchedulers;
}

/** Those of the cluster that are ready, or simulated ones: at least as many as pods are on. */
function nodesOf(copied: readonly Copied[], simulated: number) {
  const nodes = objectsOf(copied, nodeResource);
  const ready = nodes.filter(isReady).map(({ metadata }) => metadata.name ?? "");
  const needed = Math.max(simulated, nodeNames(copied).length);
  return { nodes: nodes.length > 0 ? 0 : needed, adopted: ready };
}

const nodeNames = (copied: readonly Copied[]): readonly string[] => {
  const pods = objectsOf(copied, podResource) as unknown as readonly Pod[];
  return [...new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []))].toSorted();
};

/** Where nodes could not be read, pods are put on simulated ones: nothing would run or stop them on the others. */
function onKnownNodes(copied: readonly Copied[]): readonly Copied[] {
  if (objectsOf(copied, nodeResource).length > 0) return copied;
  const places = new Map(nodeNames(copied).map((name, index) => [name, `node-${index}`]));
  return copied.map((each) => {
    const { spec } = each.object as Partial<Pod>;
    if (each.resource !== podResource || spec?.nodeName === undefined) return each;
    const nodeName = places.get(spec.nodeName);
    return { ...each, object: { ...each.object, spec: { ...spec, nodeName } } };
  });
}

/** No kind of this group is served in a copy. */
const outside = "outside.lockstep.dev/v1";

/**
 * Owners that are not copied are there all the same: the garbage collector would delete what they own, and only
 * owners of kinds that it does not know are taken for granted.
 */
function withOwnersOutside(copied: readonly Copied[]): readonly Copied[] {
  const uids = new Set(copied.map(({ object }) => object.metadata.uid));
  return copied.map((each) => {
    const { metadata } = each.object;
    if (metadata.ownerReferences?.every(({ uid }) => uids.has(uid)) ?? true) return each;
    const ownerReferences = metadata.ownerReferences?.map((owner) =>
      uids.has(owner.uid) ? owner : { ...owner, apiVersion: outside },
    );
    return { ...each, object: { ...each.object, metadata: { ...metadata, ownerReferences } } };
  });
}

const isReady = (object: KubeObject): boolean =>
  (object as Node).status?.conditions?.some(
    ({ type, status }) => type === "Ready" && status === "True",
  ) ?? false;

/** Every namespace that something is in. */
function withNamespaces(copied: readonly Copied[]): readonly Copied[] {
  const names = new Set(copied.flatMap(({ object }) => object.metadata.namespace ?? []));
  const missing = [...names].filter((name) => name !== "default");
  const namespaces = missing.map((name) => ({
    resource: namespaceResource,
    object: {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, uid: `namespace-${name}` },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    },
  }));
  return [...namespaces, ...copied];
}

function grouped(
  copied: readonly Copied[],
): readonly { readonly resource: Resource; readonly objects: readonly KubeObject[] }[] {
  const groups = new Map<string, { resource: Resource; objects: KubeObject[] }>();
  for (const { resource, object } of copied) {
    const key = `${resource.plural}.${resource.group}`;
    const group = groups.get(key) ?? { resource, objects: [] };
    group.objects.push(object);
    groups.set(key, group);
  }
  return [...groups.values()];
}
