/**
 * Which gangs fit, as far as nodes and requests show: a scheduler that places pods one by one would run a part of a
 * gang and hold its devices. Counts what the pods of this operator take; what others take is not known here, so a gang
 * that is let go may still have to wait, but none is held back that fits.
 */
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { CliqueTemplate, PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import type { Node } from "../../../api/node.ts";
import { isTerminating } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import { isFinished } from "../../../api/pod.ts";
import type { Amounts } from "../../../api/pod-requests.ts";
import { amountsOf, podRequests, sum } from "../../../api/pod-requests.ts";
import type { Cache, Change } from "../../../runtime/cache.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import type { NodeRoom, Unplaced } from "./gang-lack.ts";
import { lackInTotal, lackOfRoom } from "./gang-lack.ts";

/** A group of a gang: how many of its pods must run together, and what each requests. */
interface GroupNeed {
  /** `namespace/name` of the clique. */
  readonly clique: string;
  readonly minReplicas: number;
  readonly requests: Amounts;
}

interface CapacityCaches {
  readonly nodes: Pick<Cache<Node>, "onChange">;
  readonly pods: Pick<Cache<Pod>, "onChange">;
  readonly cliques: Pick<Cache<PodClique>, "get">;
  readonly gangs: Pick<Cache<PodGang>, "onChange">;
}

const nothing: Amounts = new Map();

export class GangCapacity {
  readonly #caches: CapacityCaches;
  /** Of all usable nodes, and what pods take of it that are on them or on none yet. */
  readonly #total = new Map<string, number>();
  readonly #taken = new Map<string, number>();
  /** Usable nodes only. */
  readonly #nodes = new Map<string, Amounts>();
  readonly #takenOn = new Map<string, Map<string, number>>();
  readonly #pods = new Map<string, Counted>();
  /** Pods without a node that are larger than any: they take nothing from anybody. */
  readonly #tooLarge = new Set<string>();
  /** Pods that hold or may get a place, by clique. */
  readonly #placed = new Map<string, number>();
  /** Gangs that were let go and whose pods the cache does not show yet. */
  readonly #granted = new Map<string, readonly GroupNeed[]>();
  readonly #waiting = new Map<string, readonly GroupNeed[]>();

  constructor(caches: CapacityCaches) {
    this.#caches = caches;
    caches.nodes.onChange((change) => this.#followNode(change));
    caches.pods.onChange((change) => this.#followPod(change));
    caches.gangs.onChange(({ type, object }) => {
      if (type === "deleted") this.forget(keyOf(object));
    });
  }

  /** What a gang lacks, in words; undefined where it may go, which reserves what it needs. */
  lackOf(gang: string, groups: readonly GroupNeed[]): string | undefined {
    const need = this.#remaining(groups);
    if (need.size === 0) {
      this.forget(gang);
      return undefined;
    }
    if (this.#granted.has(gang)) return undefined;
    const lack = this.#lack(groups, need);
    if (lack === undefined) {
      this.#granted.set(gang, groups);
      this.#waiting.delete(gang);
      return undefined;
    }
    this.#waiting.set(gang, groups);
    return lack;
  }

  /** Only what no placing of its pods could avoid: in all, and for each group as if it were alone. */
  #lack(groups: readonly GroupNeed[], need: Amounts): string | undefined {
    const reserved = this.#reserved();
    const unplaced = this.#unplaced(groups);
    for (const [resource, needed] of need) {
      const free = Math.max(0, this.#free(resource, reserved));
      const total = this.#total.get(resource) ?? 0;
      if (needed > free) return lackInTotal(unplaced, { resource, needed, free, total });
    }
    for (const group of unplaced) {
      const lack = lackOfRoom(group, () => this.#rooms());
      if (lack !== undefined) return lack;
    }
    return undefined;
  }

  /** What is free on each usable node; where pods without a node will go is not known. */
  *#rooms(): Iterable<NodeRoom> {
    for (const [name, amounts] of this.#nodes) {
      const taken = this.#takenOn.get(name);
      yield {
        name,
        free: (resource) => (amounts.get(resource) ?? 0) - (taken?.get(resource) ?? 0),
      };
    }
  }

  #unplaced(groups: readonly GroupNeed[]): readonly Unplaced[] {
    return groups.flatMap(({ clique, minReplicas, requests }) => {
      const pods = minReplicas - (this.#placed.get(clique) ?? 0);
      return pods > 0 ? [{ clique: nameOf(clique), pods, requests }] : [];
    });
  }

  /** It waits for nothing and reserves nothing. */
  forget(gang: string): void {
    this.#granted.delete(gang);
    this.#waiting.delete(gang);
  }

  /** The cliques of gangs that wait for room. */
  waitingCliques(): readonly string[] {
    return [...this.#waiting.values()].flatMap((groups) => groups.map(({ clique }) => clique));
  }

  #free(name: string, reserved: Amounts): number {
    const [total = 0, taken = 0] = [this.#total.get(name), this.#taken.get(name)];
    return total - taken - (reserved.get(name) ?? 0);
  }

  /** What the groups need beyond the pods that hold or may get a place already. */
  #remaining(groups: readonly GroupNeed[]): Amounts {
    return groups.reduce((all, { clique, minReplicas, requests }) => {
      const missing = Math.max(0, minReplicas - (this.#placed.get(clique) ?? 0));
      return missing === 0 ? all : sum(all, times(requests, missing));
    }, nothing);
  }

  #reserved(): Amounts {
    let all = nothing;
    for (const [gang, groups] of this.#granted) {
      const need = this.#remaining(groups);
      if (need.size === 0) this.#granted.delete(gang);
      all = sum(all, need);
    }
    return all;
  }

  #followNode({ type, object }: Change<Node>): void {
    const { name = "" } = object.metadata;
    this.#countNode(name, -1);
    const amounts = type === "deleted" ? undefined : usable(object);
    if (amounts === undefined) this.#nodes.delete(name);
    else this.#nodes.set(name, amounts);
    this.#countNode(name, 1);
    if (amounts !== undefined) this.#recountTooLarge(amounts);
  }

  /** A node has come, or has grown, that may be large enough for them. */
  #recountTooLarge(amounts: Amounts): void {
    for (const key of this.#tooLarge) {
      const counted = this.#pods.get(key);
      if (counted !== undefined && fits(counted.requests, amounts)) {
        this.#recount(key, { ...counted, isTooLarge: false });
      }
    }
  }

  /** With what its pods take: on a node that cannot be used nothing is free, and nothing is taken from the others. */
  #countNode(name: string, sign: 1 | -1): void {
    const amounts = this.#nodes.get(name);
    if (amounts === undefined) return;
    add(this.#total, amounts, sign);
    add(this.#taken, this.#takenOn.get(name) ?? nothing, sign);
  }

  #followPod({ type, object }: Change<Pod>): void {
    this.#recount(keyOf(object), type === "deleted" ? undefined : this.#counted(object));
  }

  #recount(key: string, counted: Counted | undefined): void {
    this.#count(this.#pods.get(key), -1);
    this.#count(counted, 1);
    if (counted === undefined) this.#pods.delete(key);
    else this.#pods.set(key, counted);
    if (counted?.isTooLarge === true) this.#tooLarge.add(key);
    else this.#tooLarge.delete(key);
  }

  #counted(pod: Pod): Counted | undefined {
    const { namespace, labels = {} } = pod.metadata;
    const isOnNode = (pod.spec.nodeName ?? "") !== "";
    const mayBePlaced = (pod.spec.schedulingGates ?? []).length === 0;
    if (isFinished(pod) || !(isOnNode || mayBePlaced)) return undefined;
    const clique = `${namespace}/${labels[labelKeys.podClique] ?? ""}`;
    const object = this.#caches.cliques.get(clique);
    const own = object === undefined ? nothing : podRequests({ spec: object.spec.podSpec });
    const requests = withPod(own);
    const { nodeName = "" } = pod.spec;
    const isTooLarge = !isOnNode && ![...this.#nodes.values()].some((node) => fits(requests, node));
    return { clique, nodeName, requests, isTooLarge, isLeaving: isTerminating(pod) };
  }

  #count(counted: Counted | undefined, sign: 1 | -1): void {
    if (counted === undefined) return;
    const { clique, nodeName, requests, isLeaving, isTooLarge } = counted;
    const taken = this.#takenOn.get(nodeName) ?? new Map<string, number>();
    this.#takenOn.set(nodeName, taken);
    add(taken, requests, sign);
    const mayTake = nodeName === "" ? !isTooLarge : this.#nodes.has(nodeName);
    if (mayTake) add(this.#taken, requests, sign);
    // A terminating pod holds its place, and its successor needs one.
    if (isLeaving) return;
    const placed = (this.#placed.get(clique) ?? 0) + sign;
    if (placed === 0) this.#placed.delete(clique);
    else this.#placed.set(clique, placed);
  }
}

interface Counted {
  readonly clique: string;
  readonly nodeName: string;
  readonly requests: Amounts;
  readonly isLeaving: boolean;
  /** It has no node, and none that can be used is large enough. */
  readonly isTooLarge: boolean;
}

/**
 * What the groups of a gang need, from their cliques or, before those are created, from the set's template. Undefined
 * where one of them is not known: then nothing can be said.
 */
export function gangNeeds(
  { metadata, spec }: PodGang,
  set: PodCliqueSet | undefined,
  cliqueOf: (key: string) => PodClique | undefined,
): readonly GroupNeed[] | undefined {
  const needs = spec.podgroups.flatMap(({ name, minReplicas }) => {
    const clique = `${metadata.namespace}/${name}`;
    const podSpec = cliqueOf(clique)?.spec.podSpec ?? templateFor(name, set)?.spec.podSpec;
    return podSpec === undefined
      ? []
      : [{ clique, minReplicas, requests: withPod(podRequests({ spec: podSpec })) }];
  });
  return needs.length === spec.podgroups.length ? needs : undefined;
}

/** Names of cliques end with their name in the template; where one is the end of another, the longer one is meant. */
function templateFor(name: string, set: PodCliqueSet | undefined): CliqueTemplate | undefined {
  const found = (set?.spec.template.cliques ?? []).filter((clique) =>
    name.endsWith(`-${clique.name}`),
  );
  return found.toSorted((a, b) => b.name.length - a.name.length)[0];
}

/** Every pod takes one of the pods that a node has room for. */
const withPod = (requests: Amounts): Amounts => sum(requests, onePod);
const onePod: Amounts = new Map([["pods", 1]]);

function usable({ spec, status }: Node): Amounts | undefined {
  const isReady = status?.conditions?.some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  );
  if (isReady !== true || spec?.unschedulable === true) return undefined;
  return amountsOf(status?.allocatable);
}

const fits = (requests: Amounts, node: Amounts): boolean =>
  [...requests].every(([name, amount]) => amount <= 0 || amount <= (node.get(name) ?? 0));

const nameOf = (key: string): string => key.slice(key.indexOf("/") + 1);

const times = (amounts: Amounts, count: number): Amounts =>
  new Map([...amounts].map(([name, amount]) => [name, amount * count]));

function add(to: Map<string, number>, amounts: Amounts, sign: 1 | -1): void {
  for (const [name, amount] of amounts) to.set(name, (to.get(name) ?? 0) + sign * amount);
}
