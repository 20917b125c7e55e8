/** Plays the node lifecycle controller: taints failed nodes, evicts pods, and deletes the pods of removed nodes. */
import type { Node, NodeCondition } from "../api/node.ts";
import { nodeResource } from "../api/node.ts";
import type { Pod } from "../api/pod.ts";
import { isFinished, podResource } from "../api/pod.ts";
import { isConflict, isNotFound } from "../api/status.ts";
import { timeText } from "../api/time-text.ts";
import type { Cache } from "../runtime/cache.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock, Timer } from "../runtime/clock.ts";
import type { EventRecorder } from "../runtime/event-recorder.ts";
import { keyOf } from "../runtime/object-store.ts";
import { evictionDelayMs, failureTaints, isFailureTaint } from "./eviction.ts";
import { healthyConditions } from "./nodes.ts";
import type { Nodes } from "./nodes.ts";

export interface NodeLifecycleOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Needs the index `node`. */
  readonly pods: Cache<Pod>;
  readonly nodeCache: Cache<Node>;
  readonly nodes: Nodes;
  readonly events: EventRecorder;
  readonly onProblem?: (problem: unknown) => void;
}

/** How long a node may stay silent before it counts as failed: upstream's default node-monitor-grace-period. */
const nodeMonitorGraceMs = 40_000;

export class NodeLifecycleController {
  readonly #options: NodeLifecycleOptions;
  readonly #evictions = new Map<string, Timer>();
  readonly #pending = new Set<Timer>();
  #unsubscribe: (() => void)[] = [];

  constructor(options: NodeLifecycleOptions) {
    this.#options = options;
    options.nodes.onHealthChange((name) => this.#healthChanged(name));
  }

  start(): void {
    const { pods, nodeCache } = this.#options;
    this.#unsubscribe = [
      nodeCache.onChange((change) => {
        const name = change.object.metadata.name ?? "";
        if (change.type === "deleted") this.#later(() => this.#deletePodsOf(name));
        else if (change.type === "updated" && hasOtherTaints(change.old, change.object))
          for (const pod of this.#podsOn(name)) this.#updateEviction(pod);
      }),
      pods.onChange((change) => {
        if (change.type === "deleted") this.#cancel(keyOf(change.object));
        else this.#updateEviction(change.object);
      }),
    ];
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const timer of [...this.#evictions.values(), ...this.#pending]) timer.cancel();
    this.#evictions.clear();
  }

  #healthChanged(name: string): void {
    const { nodes } = this.#options;
    if (nodes.isAlive(name)) return this.#attempt(this.#report(name, true));
    this.#later(async () => {
      if (nodes.isAlive(name) || !nodes.isKnown(name)) return;
      await this.#report(name, false);
      for (const pod of this.#podsOn(name)) await this.#markUnready(pod);
    });
  }

  async #report(name: string, isAlive: boolean): Promise<void> {
    const { client, clock, nodeCache } = this.#options;
    const node = nodeCache.get(name);
    if (node === undefined) return;
    const others = node.spec?.taints?.filter((taint) => !isFailureTaint(taint)) ?? [];
    const taints = isAlive ? others : [...others, ...failureTaints(timeText(clock.now()))];
    const conditions = isAlive ? healthyConditions(clock.now()) : this.#unknownConditions(node);
    const status = { type: "merge", body: { status: { conditions } } } as const;
    await client.patch(nodeResource, { name }, status, { subresource: "status" });
    await client.patch(nodeResource, { name }, { type: "merge", body: { spec: { taints } } });
  }

  #unknownConditions(node: Node): readonly NodeCondition[] {
    const lastTransitionTime = timeText(this.#options.clock.now());
    return (node.status?.conditions ?? []).map((condition) => ({
      ...condition,
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastTransitionTime,
    }));
  }

  async #markUnready(pod: Pod): Promise<void> {
    const { client, clock } = this.#options;
    const { namespace, name = "", uid } = pod.metadata;
    const lastTransitionTime = timeText(clock.now());
    const reason = "NodeNotReady";
    const conditions = [{ type: "Ready", status: "False", reason, lastTransitionTime }];
    const body = { metadata: { uid }, status: { conditions } };
    const patch = { type: "strategic", body } as const;
    await ignoringRaces(
      client.patch(podResource, { namespace, name }, patch, { subresource: "status" }),
    );
  }

  /** Schedules, keeps or cancels the eviction of a pod according to the taints of its node. */
  #updateEviction(pod: Pod): void {
    const key = keyOf(pod);
    const node = this.#options.nodeCache.get(pod.spec.nodeName ?? "");
    const needsNoEviction = isFinished(pod) || pod.metadata.deletionTimestamp !== undefined;
    const delayMs = needsNoEviction ? undefined : evictionDelayMs(pod, node?.spec?.taints);
    if (delayMs === undefined) return this.#cancel(key);
    if (this.#evictions.has(key)) return;
    const evict = (): void => this.#attempt(this.#evict(pod));
    this.#evictions.set(key, this.#options.clock.after(delayMs, evict));
  }

  async #evict(pod: Pod): Promise<void> {
    this.#cancel(keyOf(pod));
    const message = `Marking for deletion Pod ${keyOf(pod)}`;
    const reason = "TaintManagerEviction";
    this.#options.events.record(pod, { type: "Normal", reason, message });
    await this.#delete(pod);
  }

  /** No kubelet is left to stop the pods of a removed node, so they are deleted without a grace period. */
  async #deletePodsOf(node: string): Promise<void> {
    if (this.#options.nodeCache.get(node) !== undefined) return;
    for (const pod of this.#podsOn(node)) await this.#delete(pod, 0);
  }

  async #delete(pod: Pod, gracePeriodSeconds?: number): Promise<void> {
    const { namespace, name = "", uid } = pod.metadata;
    const options = { uid, gracePeriodSeconds };
    await ignoringRaces(this.#options.client.delete(podResource, { namespace, name }, options));
  }

  #podsOn(node: string): readonly Pod[] {
    const pods = this.#options.pods.byIndex("node", node);
    return pods.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  #cancel(key: string): void {
    this.#evictions.get(key)?.cancel();
    this.#evictions.delete(key);
  }

  #later(task: () => Promise<void>): void {
    const timer = this.#options.clock.after(nodeMonitorGraceMs, () => {
      this.#pending.delete(timer);
      this.#attempt(task());
    });
    this.#pending.add(timer);
  }

  #attempt(task: Promise<void>): void {
    task.catch((problem: unknown) => this.#options.onProblem?.(problem));
  }
}

function hasOtherTaints(before: Node, after: Node): boolean {
  return JSON.stringify(before.spec?.taints) !== JSON.stringify(after.spec?.taints);
}

/** The pod may have been deleted or replaced meanwhile. */
async function ignoringRaces(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
