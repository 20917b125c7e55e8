/** Starts what is simulated beside an API server: nodes, scheduler, kubelets, node lifecycle, Deployments. */
import { namespaceResource } from "../api/namespace.ts";
import type { PodGang } from "../api/grove/podgang.ts";
import { podGangResource } from "../api/grove/podgang.ts";
import type { Node } from "../api/node.ts";
import { nodeResource } from "../api/node.ts";
import type { Pod } from "../api/pod.ts";
import { podResource } from "../api/pod.ts";
import { Cache } from "../runtime/cache.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventRecorder } from "../runtime/event-recorder.ts";
import { eventRecorder } from "../runtime/event-recorder.ts";
import { ownerIndex, ownerKeys } from "./deployments/claim.ts";
import { workloadControllers } from "./deployments/workload-controllers.ts";
import type { Catalogue } from "./images/catalogue.ts";
import { defaultCatalogue } from "./images/catalogue.ts";
import { Kubelet } from "./kubelet/kubelet.ts";
import { NodeLifecycleController } from "./node-lifecycle-controller.ts";
import type { NodeShape } from "./nodes.ts";
import { defaultShape, Nodes } from "./nodes.ts";
import { podGangs } from "./scheduler/pod-gangs.ts";
import { Scheduler, schedulerName } from "./scheduler/scheduler.ts";

export interface ClusterOptions {
  readonly client: Client;
  /** `systemClock(speed)` for people, a VirtualClock for tests and scenarios. */
  readonly clock: Clock;
  readonly nodes?: number;
  /** Names of nodes that the API has already: they are played as they are. */
  readonly adopted?: readonly string[];
  readonly shape?: Partial<NodeShape>;
  readonly catalogue?: Catalogue;
  /** Schedules the pods of a PodGang all at once or not at all. The server must serve PodGangs. */
  readonly gangs?: boolean;
  /** Runs the controllers of Deployments and ReplicaSets. */
  readonly deployments?: boolean;
  /** Places the pods of every scheduler. */
  readonly placesAll?: boolean;
  /** Writes no events, and of pods only what changes their readiness: a tenth of the writes matters to controllers. */
  readonly isTerse?: boolean;
  /** Called with every error that will be retried. */
  readonly onProblem?: (problem: unknown) => void;
}

export interface SimulatedCluster {
  readonly pods: Cache<Pod>;
  readonly nodes: Cache<Node>;
  /** Adds one more node and returns its name. */
  addNode(shape?: Partial<NodeShape>): Promise<string>;
  removeNode(name: string): Promise<void>;
  /** Cuts a node off, as a broken network would: its pods keep running unseen until it recovers. */
  failNode(name: string): void;
  recoverNode(name: string): void;
  /** Whether its kubelet reports; others learn of its silence only after a while. */
  answers(node: string): boolean;
  stop(): Promise<void>;
}

export const defaultNodeCount = 8;

/** Resolves when all nodes are registered and the scheduler and the kubelets run. */
export async function startCluster(options: ClusterOptions): Promise<SimulatedCluster> {
  const { client, clock, onProblem, catalogue = defaultCatalogue() } = options;
  const shape = { ...defaultShape, ...options.shape };
  const machines = await machinesOf(options, shape);

  const pods = podCache(options);
  const nodes = new Cache<Node>({ client, clock, onProblem, resource: nodeResource });
  const namespaces = new Cache({ client, clock, onProblem, resource: namespaceResource });
  const counter = { value: 0 };
  const isTerse = options.isTerse === true;
  const recorder = (component: string) =>
    isTerse ? noEvents : eventRecorder({ client, clock, component, counter, onProblem });

  const common = { client, clock, pods, onProblem };
  const gangs = new Cache<PodGang>({ client, clock, onProblem, resource: podGangResource });
  const scheduler = new Scheduler({
    ...common,
    nodes,
    namespaces,
    ...(options.gangs === true ? { gangs: podGangs({ gangs, pods }) } : {}),
    placesAll: options.placesAll === true,
    reportsLate: isTerse,
    events: recorder(schedulerName),
  });
  const kubelet = new Kubelet({
    ...common,
    nodes: machines,
    catalogue,
    reportsReadinessOnly: isTerse,
    events: recorder("kubelet"),
  });
  const nodeLifecycle = new NodeLifecycleController({
    ...common,
    nodes: machines,
    nodeCache: nodes,
    events: recorder("node-controller"),
  });

  const workloads =
    options.deployments === true ? workloadControllers({ ...common, recorder }) : undefined;
  const caches = [pods, nodes, namespaces, ...(options.gangs === true ? [gangs] : [])] as Cache[];
  for (const cache of caches) cache.start();
  await Promise.all(caches.map((cache) => cache.whenSynced()));
  await Promise.all([scheduler.start(), kubelet.start()]);
  nodeLifecycle.start();
  await workloads?.start();
  return {
    pods,
    nodes,
    addNode: (change) => machines.add({ ...shape, ...change }),
    removeNode: (name) => machines.remove(name),
    failNode: (name) => machines.fail(name),
    recoverNode: (name) => machines.recover(name),
    answers: (name) => machines.isAlive(name),
    async stop() {
      await workloads?.stop();
      nodeLifecycle.stop();
      await Promise.all([scheduler.stop(), kubelet.stop()]);
      for (const cache of caches) cache.stop();
    },
  };
}

async function machinesOf(
  { client, clock, nodes = defaultNodeCount, adopted = [] }: ClusterOptions,
  shape: NodeShape,
): Promise<Nodes> {
  const machines = new Nodes(client, clock);
  for (let index = 0; index < nodes; index++) await machines.add(shape);
  for (const name of adopted) machines.adopt(name);
  return machines;
}

const noEvents: EventRecorder = {
  record: () => undefined,
  takeNumber: () => 0,
  flush: () => Promise.resolve(),
};

const podCache = ({ client, clock, onProblem }: ClusterOptions): Cache<Pod> =>
  new Cache<Pod>({
    client,
    clock,
    onProblem,
    resource: podResource,
    indexes: {
      node: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]),
      [ownerIndex]: ownerKeys,
    },
  });
