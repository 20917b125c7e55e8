/** Promises about what is made: where surge may be, one hostname for one pod, one revision, gates, no holes. */
import type { DefaultedSetSpec } from "../../src/api/grove/defaults.ts";
import { labelKeys, podGangGate } from "../../src/api/grove/labels.ts";
import type { PodClique } from "../../src/api/grove/podclique.ts";
import type { PodGang } from "../../src/api/grove/podgang.ts";
import { isRolling } from "../../src/api/grove/update-strategy.ts";
import type { Pod } from "../../src/api/pod.ts";
import { resolveBudget } from "../../src/planner/index.ts";
import type { Place, SetView } from "./set-view.ts";
import { isTerminating, placeOf } from "./set-view.ts";

export class BirthPromises {
  readonly #view: SetView;
  readonly #tell: (broken: string) => void;

  constructor(view: SetView, tell: (broken: string) => void) {
    this.#view = view;
    this.#tell = tell;
  }

  pod(pod: Pod): void {
    const place = placeOf(pod);
    const clique = pod.metadata.labels?.[labelKeys.podClique] ?? "";
    const hostname = pod.spec.hostname;
    const namesakes = this.#view
      .podsOf(clique)
      .filter((other) => other.spec.hostname === hostname && other !== pod);
    if (namesakes.length > 0) this.#tell(`two pods are called ${String(hostname)}`);
    this.#judgePodIndex(pod, clique, place);
    this.#judgeRevision(pod, place);
  }

  clique(clique: PodClique): void {
    const place = placeOf(clique);
    const specs = this.#view.specs(place.set);
    const isInSet = specs.some((spec) => place.setReplica < spec.replicas + surgeOfSet(spec));
    if (!isInSet && specs.length > 0) {
      this.#tell(`${clique.metadata.name} is beyond the replicas of its set and their surge`);
    }
    const { group } = place;
    if (group === undefined) return;
    const sizes = this.#view.sizes(group);
    const isInGroup = specs.some((spec) =>
      sizes.some((size) => place.groupReplica < size + this.#surgeOfGroup(spec, place, size)),
    );
    if (!isInGroup && sizes.length > 0) {
      this.#tell(`${clique.metadata.name} is beyond the replicas of its group and their surge`);
    }
  }

  /** A pod is shown to the scheduler with its whole gang, and one of a scaled gang after its base gang. */
  gate(pod: Pod, before: Pod | undefined): void {
    const isNews = before === undefined || isGated(before);
    if (!isNews || isGated(pod) || isTerminating(pod)) return;
    const { name = "", labels = {} } = pod.metadata;
    const gang = this.#view.gangs.get(labels[labelKeys.podGang] ?? "");
    const own = gang?.spec.podgroups.find((group) => group.name === labels[labelKeys.podClique]);
    if (gang === undefined && this.#isScaledAway(pod)) return;
    if (gang === undefined || own?.podReferences.some((each) => each.name === name) !== true) {
      this.#tell(`${name} was let go before its gang lists it`);
      return;
    }
    this.#judgeWholeGang(name, gang);
    const base = labels[labelKeys.basePodGang];
    if (base !== undefined) this.#judgeBaseGang(name, base);
  }

  /** Its gang went with its replica, and it goes too: it was made in the moment between. */
  #isScaledAway(pod: Pod): boolean {
    const { set, setReplica } = placeOf(pod);
    const spec = this.#view.spec(set);
    return spec !== undefined && setReplica >= spec.replicas + surgeOfSet(spec);
  }

  #judgeWholeGang(pod: string, gang: PodGang): void {
    const isWhole = gang.spec.podgroups.every(
      ({ podReferences, minReplicas }) => podReferences.length >= minReplicas,
    );
    if (isWhole || this.#view.hasBeenScheduled(gang)) return;
    this.#tell(`${pod} was let go before ${gang.metadata.name} is complete`);
  }

  #judgeBaseGang(pod: string, baseName: string): void {
    const base = this.#view.gangs.get(baseName);
    if (base !== undefined && this.#view.hasBeenScheduled(base)) return;
    this.#tell(`${pod} was let go before the base gang ${baseName} was scheduled`);
  }

  judgeRest(): void {
    const groups = new Map<string, Set<number>>();
    const replicas = new Map<string, Set<number>>();
    for (const clique of this.#view.cliques()) {
      const { set, setReplica, group, groupReplica } = placeOf(clique);
      add(replicas, set, setReplica);
      if (group !== undefined) add(groups, group, groupReplica);
      this.#judgeIndices(clique);
    }
    for (const [group, indices] of groups) {
      this.#judgeHoles(group, indices, this.#view.group(group)?.spec.replicas ?? 0);
    }
    for (const [set, indices] of replicas) {
      this.#judgeHoles(set, indices, this.#view.spec(set)?.replicas ?? 0);
    }
  }

  #judgeIndices(clique: PodClique): void {
    const { name = "" } = clique.metadata;
    const live = this.#view.podsOf(name).filter((pod) => !isTerminating(pod));
    const indices = new Set(live.map((pod) => Number(pod.metadata.labels?.[labelKeys.podIndex])));
    const type = this.#view.spec(placeOf(clique).set)?.updateStrategy.type;
    // Scale-in by hand keeps the updated ones wherever they are.
    if (type !== "OnDelete") this.#judgeHoles(name, indices, clique.spec.replicas);
  }

  #judgeHoles(owner: string, indices: ReadonlySet<number>, desired: number): void {
    const isWhole =
      indices.size === desired && [...indices].every((index) => index >= 0 && index < desired);
    if (!isWhole) {
      const found = [...indices].toSorted((a, b) => a - b).join(", ");
      this.#tell(`${owner} has indices ${found}, want ${desired} without holes`);
    }
  }

  #judgePodIndex(pod: Pod, clique: string, place: Place): void {
    const index = Number(pod.metadata.labels?.[labelKeys.podIndex]);
    const sizes = this.#view.sizes(clique);
    const specs = this.#view.specs(place.set);
    const isInPlace = specs.some((spec) =>
      sizes.some((size) => index < size + surgeOfClique(spec, clique, place, size)),
    );
    if (!isInPlace && sizes.length > 0 && specs.length > 0) {
      this.#tell(`${clique}-${index} is beyond the size of its clique and its surge`);
    }
  }

  /** ReplicaRecreate: some one revision describes every pod of the replica, those on their way out included. */
  #judgeRevision(pod: Pod, { set, setReplica }: Place): void {
    const specs = this.#view.specs(set);
    if (!specs.every(({ updateStrategy }) => updateStrategy.type === "ReplicaRecreate")) return;
    const pods = this.#view.podsOfReplica(set, setReplica);
    if (this.#hasOneRevision(pods)) return;
    // Torn before it came: another strategy left it so.
    if (!this.#hasOneRevision(pods.filter((other) => other !== pod))) return;
    this.#tell(`${pod.metadata.name} meets pods of another revision in ${set}-${setReplica}`);
  }

  #hasOneRevision(pods: readonly Pod[]): boolean {
    return [...this.#view.revisions.values()].some((hashes) => {
      const known = new Set(Object.values(hashes));
      return pods.every((pod) => known.has(pod.metadata.labels?.[labelKeys.podTemplateHash] ?? ""));
    });
  }

  #surgeOfGroup(spec: DefaultedSetSpec, place: Place, size: number): number {
    if (!isRolling(spec.updateStrategy.type)) return 0;
    return resolveBudget(this.#view.templateOf(spec, place)?.updateStrategy ?? {}, size).maxSurge;
  }
}

const isGated = ({ spec }: Pod): boolean =>
  (spec.schedulingGates ?? []).some(({ name }) => name === podGangGate);

function surgeOfSet({ replicas, updateStrategy }: DefaultedSetSpec): number {
  const { type, rollingUpdate = {} } = updateStrategy;
  return type === "ReplicaRecreate" ? resolveBudget(rollingUpdate, replicas).maxSurge : 0;
}

function surgeOfClique(
  spec: DefaultedSetSpec,
  clique: string,
  { set, setReplica, group }: Place,
  size: number,
): number {
  if (group !== undefined || !isRolling(spec.updateStrategy.type)) return 0;
  const name = clique.slice(`${set}-${setReplica}-`.length);
  const template = spec.template.cliques.find((each) => each.name === name);
  return resolveBudget(template?.updateStrategy ?? {}, size).maxSurge;
}

function add(all: Map<string, Set<number>>, owner: string, index: number): void {
  all.set(owner, (all.get(owner) ?? new Set<number>()).add(index));
}
