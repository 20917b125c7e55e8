/** Promises about what is created: where surge may be, one hostname for one pod, one revision, gates, no holes. */
import type { DefaultedSetSpec } from "../../api/grove/defaults.ts";
import { labelKeys, podGangGate } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import type { PodGang } from "../../api/grove/podgang.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import { isRolling } from "../../api/grove/update-strategy.ts";
import type { Pod } from "../../api/pod.ts";
import { controllerUid } from "../../runtime/object-store.ts";
import { resolveBudget } from "../../planner/index.ts";
import type { Place, PodCliqueSetView } from "./pod-clique-set-view.ts";
import { placeOf } from "./pod-clique-set-view.ts";
import { hostnameOf, isTerminating } from "../scenario-kind.ts";

export class CreationPromises {
  readonly #view: PodCliqueSetView;
  readonly #report: (violation: string) => void;
  /** Cliques and groups that got the target they have while another strategy than ReplicaRecreate may have counted. */
  readonly #movedInPlace = new Set<string>();

  constructor(view: PodCliqueSetView, report: (violation: string) => void) {
    this.#view = view;
    this.#report = report;
  }

  pod(pod: Pod): void {
    const place = placeOf(pod);
    const clique = pod.metadata.labels?.[labelKeys.podClique] ?? "";
    const hostname = hostnameOf(pod);
    const others = this.#view.podsOf(clique).filter((other) => other !== pod);
    if (others.some((other) => hostnameOf(other) === hostname)) {
      this.#report(`two pods are called ${hostname}`);
    }
    this.#checkPodIndex(pod, clique, place);
    this.#checkRevision(pod, place);
  }

  /** It was given another target where it is, or is gone. */
  moved({ metadata }: PodClique | PodCliqueScalingGroup, { set }: Place, isGone: boolean): void {
    const { name = "" } = metadata;
    if (isGone || this.#isRecreatedOnly(set)) this.#movedInPlace.delete(name);
    else this.#movedInPlace.add(name);
  }

  clique(clique: PodClique): void {
    // Without a controller it is somebody's own, whatever its labels say.
    if (controllerUid(clique).length === 0) return;
    const place = placeOf(clique);
    const specs = this.#view.specs(place.set);
    const isInSet = specs.some((spec) => place.setReplica < spec.replicas + surgeOfSet(spec));
    if (!isInSet && specs.length > 0) {
      this.#report(`${clique.metadata.name} is beyond the replicas of its set and their surge`);
    }
    const { group } = place;
    if (group === undefined) return;
    const sizes = this.#view.sizes(group);
    const isInGroup = specs.some((spec) =>
      sizes.some((size) => place.groupReplica < size + this.#surgeOfGroup(spec, place, size)),
    );
    if (!isInGroup && sizes.length > 0) {
      this.#report(`${clique.metadata.name} is beyond the replicas of its group and their surge`);
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
      this.#report(`${name} lost its gate before its gang lists it`);
      return;
    }
    this.#checkWholeGang(name, gang);
    const base = labels[labelKeys.basePodGang];
    if (base !== undefined) this.#checkBaseGang(name, base);
  }

  /** Its gang was deleted with its replica or set, and it will be too: it was created in the moment between. */
  #isScaledAway(pod: Pod): boolean {
    const { set, setReplica, group } = placeOf(pod);
    if (this.#view.deletedSets.has(set)) return true;
    // Its clique goes with it, and nobody creates pods for that any more.
    const clique = pod.metadata.labels?.[labelKeys.podClique] ?? "";
    if (this.#view.clique(clique) === undefined) return true;
    if (group !== undefined && this.#view.group(group) === undefined) return true;
    const spec = this.#view.spec(set);
    return spec !== undefined && setReplica >= spec.replicas + surgeOfSet(spec);
  }

  #checkWholeGang(pod: string, gang: PodGang): void {
    const isWhole = gang.spec.podgroups.every(
      ({ podReferences, minReplicas }) => podReferences.length >= minReplicas,
    );
    if (isWhole || this.#view.hasBeenScheduled(gang)) return;
    this.#report(`${pod} lost its gate before ${gang.metadata.name} is complete`);
  }

  #checkBaseGang(pod: string, baseName: string): void {
    const base = this.#view.gangs.get(baseName);
    if (base !== undefined && this.#view.wasScheduledLately(base)) return;
    this.#report(`${pod} lost its gate before the base gang ${baseName} was scheduled`);
  }

  checkAtRest(): void {
    const groups = new Map<string, Set<number>>();
    const replicas = new Map<string, Set<number>>();
    for (const clique of this.#view.cliques()) {
      const { set, setReplica, group, groupReplica } = placeOf(clique);
      add(replicas, set, setReplica);
      if (group !== undefined) add(groups, group, groupReplica);
      this.#checkIndices(clique);
    }
    for (const [group, indices] of groups) {
      this.#checkHoles(group, indices, this.#view.group(group)?.spec.replicas ?? 0);
    }
    for (const [set, indices] of replicas) {
      this.#checkHoles(set, indices, this.#view.spec(set)?.replicas ?? 0);
    }
  }

  #checkIndices(clique: PodClique): void {
    const { name = "" } = clique.metadata;
    const live = this.#view.podsOf(name).filter((pod) => !isTerminating(pod));
    const indices = new Set(live.map((pod) => Number(pod.metadata.labels?.[labelKeys.podIndex])));
    const type = this.#view.spec(placeOf(clique).set)?.updateStrategy.type;
    // Scale-in by hand keeps the updated ones wherever they are.
    if (type !== "OnDelete") this.#checkHoles(name, indices, clique.spec.replicas);
  }

  #checkHoles(ownerName: string, indices: ReadonlySet<number>, desired: number): void {
    const isWhole =
      indices.size === desired && [...indices].every((index) => index >= 0 && index < desired);
    if (!isWhole) {
      const found = [...indices].toSorted((a, b) => a - b).join(", ");
      this.#report(`${ownerName} has indices ${found}, want ${desired} without holes`);
    }
  }

  #checkPodIndex(pod: Pod, clique: string, place: Place): void {
    const index = Number(pod.metadata.labels?.[labelKeys.podIndex]);
    const sizes = this.#view.sizes(clique);
    const specs = this.#view.specs(place.set);
    const isInPlace = specs.some((spec) =>
      sizes.some((size) => index < size + surgeOfClique(spec, clique, place, size)),
    );
    if (!isInPlace && sizes.length > 0 && specs.length > 0) {
      this.#report(`${clique}-${index} is beyond the size of its clique and its surge`);
    }
  }

  /** ReplicaRecreate: some one revision describes every pod of the replica, terminating ones included. */
  #checkRevision(pod: Pod, { set, setReplica }: Place): void {
    if (!this.#isRecreatedOnly(set)) return;
    const pods = this.#view.podsOfReplica(set, setReplica);
    if (this.#hasOneRevision(pods)) return;
    // It had two revisions before: another strategy left it so.
    if (!this.#hasOneRevision(pods.filter((other) => other !== pod))) return;
    if (this.#isLeftHalfway({ set, setReplica }, pod)) return;
    this.#report(`${pod.metadata.name} meets pods of another revision in ${set}-${setReplica}`);
  }

  /** Whoever acts for the set may know of no other strategy. */
  #isRecreatedOnly(set: string): boolean {
    const types = new Set(this.#view.specs(set).map(({ updateStrategy }) => updateStrategy.type));
    return types.size === 1 && types.has("ReplicaRecreate");
  }

  /** Another strategy gave a part a target that not all of it has reached: what is lost comes back on that. */
  #isLeftHalfway({ set, setReplica }: Pick<Place, "set" | "setReplica">, just: Pod): boolean {
    const others = this.#view.podsOfReplica(set, setReplica).filter((pod) => pod !== just);
    const cliques = this.#view.cliques().filter((clique) => {
      const place = placeOf(clique);
      return place.set === set && place.setReplica === setReplica;
    });
    // A clique may be gone before its pods are.
    const isOfMovedGroup = (part: Pod | PodClique): boolean => {
      const { group = "" } = placeOf(part);
      return this.#movedInPlace.has(group) && !this.#view.targetsOf(group).has(templateOf(part));
    };
    const isMovedClique = (clique: PodClique): boolean => {
      const { name = "" } = clique.metadata;
      const pods = this.#view.podsOf(name).filter((pod) => pod !== just);
      const isBehind = pods.some((pod) => templateOf(pod) !== templateOf(clique));
      return this.#movedInPlace.has(name) && isBehind;
    };
    return [...cliques, ...others].some(isOfMovedGroup) || cliques.some(isMovedClique);
  }

  #hasOneRevision(pods: readonly Pod[]): boolean {
    return [...this.#view.revisions.values()].some((hashes) => {
      const known = new Set(Object.values(hashes));
      return pods.every((pod) => known.has(templateOf(pod)));
    });
  }

  #surgeOfGroup(spec: DefaultedSetSpec, place: Place, size: number): number {
    if (!isRolling(spec.updateStrategy.type)) return 0;
    return resolveBudget(this.#view.templateOf(spec, place)?.updateStrategy ?? {}, size).maxSurge;
  }
}

const templateOf = ({ metadata }: Pod | PodClique): string =>
  metadata.labels?.[labelKeys.podTemplateHash] ?? "";

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

function add(all: Map<string, Set<number>>, ownerName: string, index: number): void {
  all.set(ownerName, (all.get(ownerName) ?? new Set<number>()).add(index));
}
