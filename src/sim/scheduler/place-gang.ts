/** Finds places for all pods that a gang needs, or for none of them. */
import { podGangGate } from "../../api/grove/labels.ts";
import type { Pod } from "../../api/pod.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { ClusterState, NodeState } from "./cluster-state.ts";
import { domainOf } from "./domains.ts";
import type { Gang, GangGroup, GangPart, Pack } from "./gang.ts";
import { choosePlace } from "./place.ts";
import type { Blocker, Diagnosis } from "./reasons.ts";
import { reasons } from "./reasons.ts";

export interface Place {
  readonly pod: Pod;
  readonly node: string;
}

/** `fits`: the places are taken already. `waits`: nothing has changed. */
export type GangPlacement =
  | { readonly kind: "fits"; readonly places: readonly Place[] }
  | { readonly kind: "waits"; readonly diagnosis: Diagnosis };

/** Pods above the minimum that found room, and why the others did not. */
export interface SurplusPlacement {
  readonly places: readonly Place[];
  readonly left: Diagnosis;
}

/**
 * A gang without a pod on a node is placed as a whole: the minimum of every group, or nothing. Once pods of it are on
 * nodes, only the pods of `bundle` must fit together. Pods that wait for nothing but our own gate are placed too, and
 * their places stay reserved.
 */
export function placeGang(gang: Gang, bundle: string, cluster: ClusterState): GangPlacement {
  const groups = gang.parts.flatMap((part) => part.groups);
  const runs = groups.some((group) => placedPods(group, cluster).length > 0);
  const attempt = new Attempt(gang, cluster);
  const isWanted = (group: GangGroup): boolean => !runs || group.bundle === bundle;
  const short = groups.find((group) => isWanted(group) && missingPods(group, cluster) > 0);
  if (short !== undefined) return { kind: "waits", diagnosis: tooFewPods(gang, short) };
  if (!attempt.place(isWanted)) return { kind: "waits", diagnosis: attempt.diagnosis() };
  return { kind: "fits", places: attempt.places };
}

/** For a gang that has its minimum: places the pods of `bundle` that still wait, as far as there is room. */
export function placeSurplus(gang: Gang, bundle: string, cluster: ClusterState): SurplusPlacement {
  const attempt = new Attempt(gang, cluster);
  attempt.placeRest((group) => group.bundle === bundle);
  return { places: attempt.places, left: attempt.leftOver() };
}

const placedPods = ({ pods }: GangGroup, cluster: ClusterState): Pod[] =>
  pods.filter((pod) => cluster.placementOf(keyOf(pod)) !== undefined);

/** Unplaced pods that have no scheduling gate but our own. */
function placeablePods({ pods }: GangGroup, cluster: ClusterState): Pod[] {
  const isFree = ({ spec }: Pod): boolean =>
    (spec.schedulingGates ?? []).every(({ name }) => name === podGangGate);
  return pods.filter((pod) => isFree(pod) && cluster.placementOf(keyOf(pod)) === undefined);
}

/** How many pods the group still lacks if every existing one finds a node. */
function missingPods(group: GangGroup, cluster: ClusterState): number {
  const here = placedPods(group, cluster).length + placeablePods(group, cluster).length;
  return group.minReplicas - here;
}

function tooFewPods({ key }: Gang, { name, minReplicas, pods }: GangGroup): Diagnosis {
  const message = `PodGang ${key} waits for pods: ${name} has ${pods.length} of ${minReplicas}`;
  return { message, blockers: new Set<Blocker>(["gang", `members of ${key}`]) };
}

type Inside = (state: NodeState) => boolean;

const anywhere: Inside = () => true;

class Attempt {
  readonly places: Place[] = [];
  readonly #gang: Gang;
  readonly #cluster: ClusterState;
  readonly #blockers = new Set<Blocker>(["gang"]);
  #lastRefusal = "";

  constructor(gang: Gang, cluster: ClusterState) {
    this.#gang = gang;
    this.#cluster = cluster;
  }

  /** Places the minimum of every wanted group; returns false and places nothing if one does not fit. */
  place(isWanted: (group: GangGroup) => boolean): boolean {
    const all = this.#gang.parts.flatMap(({ groups }) => groups);
    return this.#inDomain(this.#gang.pack, all, anywhere, (inGang) =>
      this.#gang.parts.every((part) => this.#placePart(part, inGang, isWanted)),
    );
  }

  /** Places pods above the minimum as far as there is room. */
  placeRest(isWanted: (group: GangGroup) => boolean): void {
    for (const part of this.#gang.parts) {
      for (const group of part.groups.filter(isWanted)) {
        const inside = this.#requiredDomain(part, group);
        for (const pod of placeablePods(group, this.#cluster)) this.#placePod(pod, inside);
      }
    }
  }

  diagnosis(): Diagnosis {
    const message = `PodGang ${this.#gang.key} does not fit as a whole: ${this.#lastRefusal}`;
    return { message, blockers: this.#blockers };
  }

  leftOver(): Diagnosis {
    const message = `PodGang ${this.#gang.key} has its minimum, one more does not fit: ${this.#lastRefusal}`;
    return { message, blockers: this.#blockers };
  }

  #placePart(part: GangPart, inGang: Inside, isWanted: (group: GangGroup) => boolean): boolean {
    const groups = part.groups.filter(isWanted);
    return this.#inDomain(part.pack, part.groups, inGang, (inPart) =>
      groups.every((group) =>
        this.#inDomain(group.pack, [group], inPart, (inside) => this.#placeGroup(group, inside)),
      ),
    );
  }

  #placeGroup(group: GangGroup, inside: Inside): boolean {
    const needed = group.minReplicas - placedPods(group, this.#cluster).length;
    const pods = placeablePods(group, this.#cluster).slice(0, Math.max(0, needed));
    return pods.every((pod) => this.#placePod(pod, inside));
  }

  #placePod(pod: Pod, inside: Inside): boolean {
    const placement = choosePlace(pod, this.#cluster, (state) =>
      inside(state) ? undefined : reasons.gangDomain,
    );
    if (placement.kind === "waits") {
      for (const blocker of placement.diagnosis.blockers) this.#blockers.add(blocker);
      this.#lastRefusal = `${pod.metadata.name}: ${placement.diagnosis.message}`;
      return false;
    }
    this.#cluster.place(pod, placement.node);
    this.places.push({ pod, node: placement.node });
    return true;
  }

  /** Tries one domain after the other, first the preferred ones, then whatever the required label allows. */
  #inDomain(
    { required, preferred }: Pack,
    groups: readonly GangGroup[],
    outer: Inside,
    place: (inside: Inside) => boolean,
  ): boolean {
    const tries = [
      ...(preferred === undefined ? [] : this.#domains([required, preferred], groups, outer)),
      ...(required === undefined ? [outer] : this.#domains([required], groups, outer)),
    ];
    return tries.some((inside) => {
      const before = this.places.length;
      if (place(inside)) return true;
      for (const { pod } of this.places.splice(before)) this.#cluster.remove(keyOf(pod));
      return false;
    });
  }

  /** The domains of these labels in name order. If members are placed already, only their domain counts. */
  #domains(
    keys: readonly (string | undefined)[],
    groups: readonly GangGroup[],
    outer: Inside,
  ): Inside[] {
    const labels = keys.filter((key) => key !== undefined);
    const domain = (state: NodeState): string | undefined => {
      const values = labels.map((key) => domainOf(state, key));
      return values.includes(undefined) ? undefined : JSON.stringify(values);
    };
    const current = this.#nodeOfMembers(groups);
    const nodes = current === undefined ? this.#cluster.nodes().filter(outer) : [current];
    const names = [...new Set(nodes.flatMap((state) => domain(state) ?? []))].toSorted();
    return names.map((name) => (state) => outer(state) && domain(state) === name);
  }

  #nodeOfMembers(groups: readonly GangGroup[]): NodeState | undefined {
    for (const pod of groups.flatMap((group) => placedPods(group, this.#cluster))) {
      const node = this.#cluster.placementOf(keyOf(pod))?.node;
      const state = this.#cluster.nodes().find(({ name }) => name === node);
      if (state !== undefined) return state;
    }
    return undefined;
  }

  /** The nodes that the required constraints allow, now that the minimum is placed. */
  #requiredDomain(part: GangPart, group: GangGroup): Inside {
    const all = this.#gang.parts.flatMap(({ groups }) => groups);
    const scopes: [Pack, readonly GangGroup[]][] = [
      [this.#gang.pack, all],
      [part.pack, part.groups],
      [group.pack, [group]],
    ];
    return scopes.reduce<Inside>((outer, [{ required }, groups]) => {
      if (required === undefined) return outer;
      return this.#domains([required], groups, outer)[0] ?? (() => false);
    }, anywhere);
  }
}
