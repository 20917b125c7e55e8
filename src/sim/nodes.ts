/** The simulated nodes: their Node objects, and which of them are alive. */
import type { Node } from "../api/node.ts";
import { nodeResource } from "../api/node.ts";
import { isAlreadyExists } from "../api/status.ts";
import { timeText } from "../api/time-text.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";

const notReadyKey = "node.kubernetes.io/not-ready";

export interface NodeShape {
  readonly cpu: string;
  readonly memory: string;
  readonly pods: number;
  /** Counted as `nvidia.com/gpu`. */
  readonly gpus: number;
  readonly nodesPerRack: number;
  readonly zones: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export const defaultShape: NodeShape = {
  cpu: "64",
  memory: "512Gi",
  pods: 110,
  gpus: 8,
  nodesPerRack: 2,
  zones: 2,
};

/** Racks have no well-known label upstream; ours is documented in docs/simulation.md. */
export const rackLabel = "lockstep.dev/rack";

/** All nodes with their numbers. A failed node still exists in the API, but nothing on it changes. */
export class Nodes {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #numbers = new Map<string, number>();
  readonly #failed = new Set<string>();
  readonly #listeners = new Set<(name: string) => void>();
  #next = 0;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Adds the next node (`node-0`, `node-1`, ...) and returns its name. */
  async add(shape: NodeShape = defaultShape): Promise<string> {
    const number = this.#next++;
    const node = nodeObject(number, shape, this.#clock.now());
    const name = node.metadata.name ?? "";
    this.#numbers.set(name, number);
    try {
      const created = await this.#client.create(nodeResource, node);
      if (created.status?.allocatable === undefined) await this.#report(node);
      await this.#removeNotReadyTaint(created);
    } catch (error) {
      // In a cluster with durable storage the node may exist already.
      if (!isAlreadyExists(error)) throw error;
      await this.#report(node);
    }
    return name;
  }

  /** Plays a node that the API has already, such as one that was copied from another cluster. */
  adopt(name: string): void {
    if (!this.#numbers.has(name)) this.#numbers.set(name, this.#next++);
  }

  /** Removes the node from the cluster for good. */
  async remove(name: string): Promise<void> {
    this.#numbers.delete(name);
    this.#failed.delete(name);
    await this.#client.delete(nodeResource, { name });
  }

  /** Cuts the node off: its kubelet reports nothing and obeys nothing until it recovers. */
  fail(name: string): void {
    if (!this.#numbers.has(name) || this.#failed.has(name)) return;
    this.#failed.add(name);
    this.#notify(name);
  }

  recover(name: string): void {
    if (this.#failed.delete(name)) this.#notify(name);
  }

  isAlive(name: string): boolean {
    return this.#numbers.has(name) && !this.#failed.has(name);
  }

  isKnown(name: string): boolean {
    return this.#numbers.has(name);
  }

  numberOf(name: string): number {
    return this.#numbers.get(name) ?? 0;
  }

  /** Calls the listener with the name of every node that fails or recovers. */
  onHealthChange(listener: (name: string) => void): void {
    this.#listeners.add(listener);
  }

  #notify(name: string): void {
    for (const listener of this.#listeners) listener(name);
  }

  /** Admission taints a new node until its kubelet reports that it is ready; ours are ready from the start. */
  async #removeNotReadyTaint({ metadata, spec }: Node): Promise<void> {
    const taints = spec?.taints ?? [];
    const others = taints.filter(({ key }) => key !== notReadyKey);
    if (others.length === taints.length) return;
    const patch = { type: "merge", body: { spec: { taints: others } } } as const;
    await this.#client.patch(nodeResource, { name: metadata.name ?? "" }, patch);
  }

  async #report(node: Node): Promise<void> {
    const key = { name: node.metadata.name ?? "" };
    const patch = { type: "merge", body: { status: node.status } } as const;
    await this.#client.patch(nodeResource, key, patch, { subresource: "status" });
  }
}

export function hostIP(number: number): string {
  const address = number + 2;
  return `172.18.${Math.floor(address / 256)}.${address % 256}`;
}

function nodeObject(number: number, shape: NodeShape, nowMs: number): Node {
  const name = `node-${number}`;
  const rack = Math.floor(number / shape.nodesPerRack);
  const capacity = {
    cpu: shape.cpu,
    memory: shape.memory,
    pods: `${shape.pods}`,
    "ephemeral-storage": "1Ti",
    "nvidia.com/gpu": `${shape.gpus}`,
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/region": "sim",
        "topology.kubernetes.io/zone": `zone-${rack % shape.zones}`,
        [rackLabel]: `rack-${rack}`,
        ...shape.labels,
      },
    },
    spec: {},
    status: {
      capacity,
      allocatable: capacity,
      conditions: healthyConditions(nowMs),
      addresses: [
        { type: "InternalIP", address: hostIP(number) },
        { type: "Hostname", address: name },
      ],
      nodeInfo: nodeInfo(name),
    },
  };
}

export function healthyConditions(nowMs: number): NonNullable<Node["status"]>["conditions"] {
  const at = { lastHeartbeatTime: timeText(nowMs), lastTransitionTime: timeText(nowMs) };
  const fine = (type: string, reason: string, message: string) =>
    ({ type, status: "False", reason, message, ...at }) as const;
  return [
    fine("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    fine("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    fine("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    {
      type: "Ready",
      status: "True",
      reason: "KubeletReady",
      message: "kubelet is posting ready status",
      ...at,
    },
  ];
}

function nodeInfo(name: string): NonNullable<NonNullable<Node["status"]>["nodeInfo"]> {
  return {
    machineID: name,
    systemUUID: name,
    bootID: name,
    kernelVersion: "simulated",
    osImage: "Lockstep simulated node",
    containerRuntimeVersion: "sim://1.0.0",
    kubeletVersion: "v1.36.0-lockstep",
    kubeProxyVersion: "",
    operatingSystem: "linux",
    architecture: "amd64",
  };
}
