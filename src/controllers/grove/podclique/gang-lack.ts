/** What a gang lacks, in words: which pods need what, how much of it is free, and on which node the most. Pure. */
import type { Amounts } from "../../../api/pod-requests.ts";

/** Pods of a group that have no place yet, and what each of them requests. */
export interface Unplaced {
  readonly clique: string;
  readonly pods: number;
  readonly requests: Amounts;
}

export interface NodeRoom {
  readonly name: string;
  free(resource: string): number;
}

/** Nodes are asked until there is room, which is soon where there is much of it. */
type Rooms = () => Iterable<NodeRoom>;

interface Shortage {
  readonly resource: string;
  readonly needed: number;
  readonly free: number;
  readonly total: number;
}

/** All nodes together have too little. */
export function lackInTotal(groups: readonly Unplaced[], shortage: Shortage): string {
  const { resource, needed, free, total } = shortage;
  const asking = groups.filter(({ requests }) => (requests.get(resource) ?? 0) > 0);
  const parts = asking.map(({ clique, pods, requests }) => {
    const each =
      resource === "pods" ? "" : ` x ${amountText(resource, requests.get(resource) ?? 0)}`;
    return `${pods}${each} of ${clique}`;
  });
  const count = asking.reduce((sum, { pods }) => sum + pods, 0);
  const need = resource === "pods" ? "places" : `${amountText(resource, needed)} ${resource}`;
  // What pods of others take is not known: only what is certain is said.
  const [all, used] = [total, total - free].map((amount) => amountText(resource, amount));
  const left = `the nodes have ${all}, of which PodCliqueSets use ${used}`;
  return `${podsNeed(count)} ${need} at one time (${parts.join(", ")}), and ${left}`;
}

/** The nodes have enough together, but not each for a whole pod; undefined where this group alone finds room. */
export function lackOfRoom(group: Unplaced, nodes: Rooms): string | undefined {
  const { clique, pods, requests } = group;
  let room = 0;
  for (const node of nodes()) {
    room += roomFor(requests, node);
    if (room >= pods) return undefined;
  }
  if (room > 0) {
    const each = `${requestsText(requests)} each`;
    return `${podsNeed(pods)} ${each} (${clique}), and nodes have room for ${room} of them at most`;
  }
  const [resource, amount] =
    [...requests].find(([name, wanted]) => mostFree(name, nodes).free < wanted) ?? [];
  if (resource === undefined || amount === undefined) {
    return `a pod of ${clique} needs ${requestsText(requests)}, and no node has all of it free`;
  }
  const best = mostFree(resource, nodes);
  const most =
    best.node === "" ? "" : `: at most ${amountText(resource, best.free)}, on ${best.node}`;
  return `a pod of ${clique} needs ${amountText(resource, amount)} ${resource}, and no node has that free${most}`;
}

const podsNeed = (count: number): string => (count === 1 ? "1 pod needs" : `${count} pods need`);

/** How many pods with these requests a node has room for. */
function roomFor(requests: Amounts, node: NodeRoom): number {
  let least = Infinity;
  for (const [name, amount] of requests) {
    if (amount > 0) least = Math.min(least, Math.floor(node.free(name) / amount));
  }
  return Math.max(0, least);
}

function mostFree(resource: string, nodes: Rooms): { node: string; free: number } {
  let best = { node: "", free: 0 };
  for (const node of nodes()) {
    const free = Math.max(0, node.free(resource));
    if (free > best.free || best.node === "") best = { node: node.name, free };
  }
  return best;
}

/** That every pod takes one of a node's places goes without saying. */
const requestsText = (requests: Amounts): string =>
  [...requests]
    .filter(([name, amount]) => name !== "pods" && amount > 0)
    .map(([name, amount]) => `${amountText(name, amount)} ${name}`)
    .join(" and ") || "a place";

const inBytes = /^(memory|ephemeral-storage|hugepages-.*)$/;
const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/** `500m` and `2` of cpu, `1.5Gi` of memory, plain numbers of devices. */
function amountText(resource: string, amount: number): string {
  if (resource === "cpu") return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  if (!inBytes.test(resource)) return String(amount);
  const power = Math.min(binary.length - 1, Math.floor(Math.log2(Math.max(1, amount)) / 10));
  return `${Number((amount / 1024 ** power).toFixed(1))}${binary[power]}`;
}
