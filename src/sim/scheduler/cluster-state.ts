/** The scheduler's view of the cluster, summed up per node so that no decision scans all pods. */
import type { LabelSelector } from "../../api/label-selector.ts";
import type { Node } from "../../api/node.ts";
import type { Pod } from "../../api/pod.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { Amounts } from "../../api/pod-requests.ts";
import { amountsOf, podRequests } from "../../api/pod-requests.ts";
import { hostPorts } from "./host-ports.ts";
import { HeldTerms } from "./held-terms.ts";
import { change, MatchCounts } from "./match-counts.ts";

export interface NodeState {
  readonly name: string;
  readonly node: Node;
  readonly allocatable: Amounts;
  readonly usage: NodeUsage;
}

/** What the pods of a node use in total. Kept apart from the Node object, which may be deleted and created again. */
export interface NodeUsage {
  readonly amounts: Map<string, number>;
  readonly ports: Map<string, number>;
  podCount: number;
}

interface Placed {
  readonly node: string;
  readonly pod: Pod;
}

export class ClusterState {
  readonly #nodes = new Map<string, NodeState>();
  readonly #usage = new Map<string, NodeUsage>();
  readonly #placed = new Map<string, Placed>();
  #sorted: readonly NodeState[] | undefined;
  readonly counts: MatchCounts;
  readonly held: HeldTerms;
  readonly namespacesBySelector: (selector: LabelSelector) => readonly string[];

  constructor(namespacesBySelector: (selector: LabelSelector) => readonly string[]) {
    this.namespacesBySelector = namespacesBySelector;
    this.held = new HeldTerms(namespacesBySelector);
    this.counts = new MatchCounts(() => this.#pairs());
  }

  /** All nodes by name. */
  nodes(): readonly NodeState[] {
    this.#sorted ??= [...this.#nodes.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return this.#sorted;
  }

  putNode(node: Node): void {
    const name = node.metadata.name ?? "";
    const allocatable = amountsOf(node.status?.allocatable);
    this.#nodes.set(name, { name, node, allocatable, usage: this.#usageOf(name) });
    this.#sorted = undefined;
  }

  removeNode(name: string): void {
    this.#nodes.delete(name);
    this.#sorted = undefined;
  }

  placementOf(key: string): Placed | undefined {
    return this.#placed.get(key);
  }

  /** Counts the pod on its node; a pod that was counted before is updated. */
  place(pod: Pod, node: string): void {
    const key = keyOf(pod);
    const before = this.#placed.get(key);
    if (before !== undefined && before.node === node && countsTheSame(before.pod, pod)) {
      this.#placed.set(key, { node, pod });
      return;
    }
    this.remove(key);
    this.#placed.set(key, { node, pod });
    this.#change(pod, node, 1);
    this.counts.add(node, pod);
    this.held.add(node, pod);
  }

  /** Stops counting the pod and returns it. */
  remove(key: string): Pod | undefined {
    const placed = this.#placed.get(key);
    if (placed === undefined) return undefined;
    const { node, pod } = placed;
    this.#placed.delete(key);
    this.#change(pod, node, -1);
    this.counts.remove(node, pod);
    this.held.remove(node, pod);
    return pod;
  }

  /** How many label keys any selector has used; a new one can split a class of pods. */
  get knownLabelKeys(): number {
    return this.counts.labelKeys.size + this.held.labelKeys.size;
  }

  isLabelKnown(key: string): boolean {
    return this.counts.labelKeys.has(key) || this.held.labelKeys.has(key);
  }

  #change(pod: Pod, node: string, by: 1 | -1): void {
    const usage = this.#usageOf(node);
    usage.podCount += by;
    for (const [name, amount] of podRequests(pod)) change(usage.amounts, name, by * amount);
    for (const port of hostPorts(pod)) change(usage.ports, port, by);
  }

  #usageOf(name: string): NodeUsage {
    const usage = this.#usage.get(name) ?? { amounts: new Map(), ports: new Map(), podCount: 0 };
    this.#usage.set(name, usage);
    return usage;
  }

  *#pairs(): Iterable<readonly [string, Pod]> {
    for (const { node, pod } of this.#placed.values()) yield [node, pod];
  }
}

/** Most changes of a placed pod affect only its status, which does not count here. */
function countsTheSame(before: Pod, after: Pod): boolean {
  const a = before.metadata;
  const b = after.metadata;
  return (
    a.uid === b.uid &&
    (a.deletionTimestamp === undefined) === (b.deletionTimestamp === undefined) &&
    (a.labels === b.labels || JSON.stringify(a.labels) === JSON.stringify(b.labels)) &&
    (before.spec === after.spec || podRequestsEqual(before, after))
  );
}

function podRequestsEqual(before: Pod, after: Pod): boolean {
  const resources = (pod: Pod): string =>
    JSON.stringify([pod.spec.containers.map((each) => each.resources), pod.spec.overhead]);
  return resources(before) === resources(after);
}
