/** The budget promises: what the operator takes out of service counts as missing until it serves again. */
import type { DefaultedSetSpec } from "../../api/grove/defaults.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import { componentName } from "../../api/grove/names.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import type { ComponentUpdateStrategy } from "../../api/grove/update-strategy.ts";
import { isRolling } from "../../api/grove/update-strategy.ts";
import type { Pod } from "../../api/pod.ts";
import { resolveBudget } from "../../planner/index.ts";
import type { Place, PodCliqueSetView } from "./pod-clique-set-view.ts";
import { placeOf } from "./pod-clique-set-view.ts";
import { isServing, isTerminating } from "../scenario-kind.ts";
import { defaultStaleMs } from "./recent.ts";

type Level = "pod" | "group" | "set";

type IsAllowed = (spec: DefaultedSetSpec) => boolean;

interface Missing {
  readonly level: Level;
  /** The clique, group or set that misses it. */
  readonly ownerName: string;
  readonly index: number;
  readonly place: Place;
  /** What the set was to become when it was taken. */
  readonly target: string;
}

interface Serving {
  readonly desired: number;
  /** Indices of what serves, surge included. */
  readonly serving: readonly number[];
}

export class BudgetPromises {
  readonly #view: PodCliqueSetView;
  readonly #report: (violation: string) => void;
  readonly #missing = new Map<string, Missing>();
  /** Replicas that were down when their update began: they may go before one that is on its way to another target. */
  readonly #beganDown = new Set<string>();
  /** What was down when its deletion was requested, and when that was. */
  readonly #downAtMs = new Map<string, number>();

  constructor(view: PodCliqueSetView, report: (violation: string) => void) {
    this.#view = view;
    this.#report = report;
  }

  /** The status announces that the update of a replica begins. */
  began(place: Pick<Place, "set" | "setReplica">): void {
    const key = keyOf("set", place.set, place.setReplica);
    if (this.#isReplicaServing(place)) this.#beganDown.delete(key);
    else this.#beganDown.add(key);
  }

  /** A serving pod was deleted by its clique. */
  podTaken(pod: Pod): void {
    const ownerName = pod.metadata.labels?.[labelKeys.podClique] ?? "";
    const place = placeOf(pod);
    const clique = this.#view.clique(ownerName);
    if (clique === undefined || place.group !== undefined) return;
    const isAlone = this.#view.spec(place.set) === undefined;
    if (!isAlone && !this.#isWanted(place)) return;
    const index = indexOf(pod);
    const isInside = index < clique.spec.replicas;
    if (isInside) this.#miss({ level: "pod", ownerName, index, place });
    if (isAlone) {
      this.#checkAlone(clique);
      return;
    }
    const live = this.#view.podsOf(ownerName).filter((each) => !isTerminating(each)).length;
    const ready = this.#view.podsOf(ownerName).filter(isServing).map(indexOf);
    const name = ownerName.slice(`${place.set}-${place.setReplica}-`.length);
    this.#check(place, ownerName, (spec, desired) => {
      const template = spec.template.cliques.find((each) => each.name === name);
      const taken = this.#taken("pod", ownerName, { desired, serving: ready });
      const most = allowedUnder(spec, template?.updateStrategy, {
        desired,
        isSurplus: live >= desired,
      });
      return taken <= most;
    });
    if (isInside) this.#checkTurn(place);
  }

  /** What was down when its deletion was requested is taken from nobody, even where it serves when that arrives. */
  cliqueRequested(clique: PodClique): void {
    const place = placeOf(clique);
    const { uid = "" } = clique.metadata;
    const nowMs = this.#view.now();
    if (!this.#isGroupReplicaServing(place, place.groupReplica))
      this.#downAtMs.set(`group ${uid}`, nowMs);
    if (!this.#isReplicaServing(place)) this.#downAtMs.set(`set ${uid}`, nowMs);
  }

  /** A clique was deleted by its group or set: which of them, and so whose budget counts, is up to the strategy. */
  cliqueTaken(clique: PodClique): void {
    const place = placeOf(clique);
    if (!this.#isWanted(place) || this.#isRestarting(place)) return;
    const ofGroup =
      place.group === undefined ? undefined : this.#groupReplicaTaken(clique, place, place.group);
    const ofSet = this.#setReplicaTaken(clique, place);
    const isRecreated = ({ updateStrategy }: DefaultedSetSpec): boolean =>
      updateStrategy.type === "ReplicaRecreate";
    const specs = this.#view.specs(place.set);
    const isAllowed = specs.some((spec) =>
      place.group === undefined || isRecreated(spec) ? ofSet(spec) : (ofGroup?.(spec) ?? true),
    );
    if (!isAllowed) {
      const isOfGroup = ofGroup !== undefined && !specs.some(isRecreated);
      this.#reportBudget(isOfGroup ? (place.group ?? "") : place.set);
    }
    const isInside = place.group !== undefined && place.groupReplica < this.#sizeOf(place.group);
    if (ofGroup !== undefined && isInside) this.#checkTurn(place);
  }

  podServes(pod: Pod): void {
    if (this.#missing.size === 0) return;
    const ownerName = pod.metadata.labels?.[labelKeys.podClique] ?? "";
    const place = placeOf(pod);
    this.#missing.delete(keyOf("pod", ownerName, indexOf(pod)));
    if (place.group !== undefined && this.#isGroupReplicaServing(place, place.groupReplica)) {
      this.#missing.delete(keyOf("group", place.group, place.groupReplica));
    }
    if (this.#isReplicaServing(place))
      this.#missing.delete(keyOf("set", place.set, place.setReplica));
  }

  /** Pods of a clique that is gone are missed no more, nor anything of a replica that is scaled away. */
  cliqueGone(clique: PodClique): void {
    const gone = placeOf(clique);
    const isScaledAway = !this.#isWanted(gone);
    for (const [key, { level, ownerName, place }] of this.#missing) {
      const isItsPod = level === "pod" && ownerName === clique.metadata.name;
      const isBeside = place.set === gone.set && place.setReplica === gone.setReplica;
      if (isItsPod || (isScaledAway && isBeside)) this.#missing.delete(key);
    }
  }

  /** Whether a spec allows it; undefined where it takes nothing from the group. */
  #groupReplicaTaken(clique: PodClique, place: Place, group: string): IsAllowed | undefined {
    const index = place.groupReplica;
    const isMissing =
      this.#missing.has(keyOf("group", group, index)) || this.#wasDown("group", clique);
    if (this.#view.group(group) === undefined || isMissing) return undefined;
    if (!this.#isGroupReplicaServing(place, index, clique)) return undefined;
    if (index < this.#sizeOf(group)) this.#miss({ level: "group", ownerName: group, index, place });
    const serving = this.#servingGroupReplicas(place, group);
    return (spec) =>
      this.#view.sizes(group).some((size) => {
        const taken = this.#taken("group", group, { desired: size, serving });
        const amounts = this.#view.templateOf(spec, place)?.updateStrategy;
        return taken <= allowedUnder(spec, amounts, { desired: size, isSurplus: index >= size });
      });
  }

  #setReplicaTaken(clique: PodClique, place: Place): IsAllowed {
    const { set, setReplica: index, group, groupReplica } = place;
    const sizes = group === undefined ? [] : this.#view.sizes(group);
    const isScaledIn = sizes.some((size) => groupReplica >= size);
    const isMissing = this.#missing.has(keyOf("set", set, index)) || this.#wasDown("set", clique);
    if (isScaledIn || isMissing || !this.#isReplicaServing(place, clique)) return () => true;
    // It is out of service once it lacks what it needs: a part of it may be deleted, and no more of it ever be.
    if (this.#isReplicaServing(place)) return () => true;
    const isRecreated = this.#view
      .specs(set)
      .some(({ updateStrategy }) => updateStrategy.type === "ReplicaRecreate");
    if (!isRecreated && group !== undefined) return () => true;
    this.#miss({ level: "set", ownerName: set, index, place });
    const serving = this.#servingReplicas(place);
    return ({ updateStrategy: { type, rollingUpdate = {} }, replicas }) => {
      const taken = this.#taken("set", set, { desired: replicas, serving });
      return type === "ReplicaRecreate" && taken <= allowed(rollingUpdate, replicas);
    };
  }

  /** Where the answer is lost, the request is repeated a little later, as it may have happened. */
  #wasDown(level: Level, { metadata: { uid } }: PodClique): boolean {
    const downAtMs = this.#downAtMs.get(`${level} ${uid}`) ?? Number.NEGATIVE_INFINITY;
    return this.#view.now() - downAtMs <= defaultStaleMs;
  }

  #sizeOf(group: string): number {
    return this.#view.group(group)?.spec.replicas ?? 0;
  }

  /** Broken only if no spec and size that were current a moment ago would have allowed it. */
  #check(
    place: Place,
    ownerName: string,
    isAllowed: (spec: DefaultedSetSpec, size: number) => boolean,
  ): void {
    const specs = this.#view.specs(place.set);
    const sizes = this.#view.sizes(ownerName);
    if (specs.some((spec) => sizes.some((size) => isAllowed(spec, size)))) return;
    this.#reportBudget(ownerName);
  }

  #reportBudget(ownerName: string): void {
    this.#report(
      `more of ${ownerName} was taken out of service than its budget allows: ${this.#text()}`,
    );
  }

  /** No set owns the clique, so its own strategy counts; whoever writes it here does not change it in mid-rollout. */
  #checkAlone({ metadata: { name = "" }, spec }: PodClique): void {
    const { type, ...amounts } = spec.updateStrategy ?? {};
    const isAllowed = this.#view.sizes(name).some((size) => {
      const taken = Math.min(
        size - this.#view.readyPods(name),
        this.#countMissing("pod", name, size),
      );
      return taken <= (isRolling(type) ? allowed(amounts, size) : 0);
    });
    if (!isAllowed) this.#reportBudget(name);
  }

  /** Rolling: a replica of the set is touched only while nothing is missing in another, on the way to one target. */
  #checkTurn(place: Place): void {
    const specs = this.#view.specs(place.set);
    if (!specs.every(({ updateStrategy }) => isRolling(updateStrategy.type))) return;
    const others = [...this.#missing.values()].filter(
      (each) =>
        each.level !== "set" &&
        each.target === this.#view.target(place.set) &&
        each.place.set === place.set &&
        each.place.setReplica !== place.setReplica &&
        this.#isWanted(each.place) &&
        // One that a partition keeps now may have taken a pod before it saw that, and is not on its way any more.
        each.place.setReplica >= this.#partitionOf(place) &&
        !this.#isPassed(each.place, place) &&
        each.index < (this.#view.sizes(each.ownerName).at(-1) ?? 0),
    );
    if (others.length === 0) return;
    this.#report(`two replicas of ${place.set} change at once: ${this.#text()}`);
  }

  /**
   * What was down goes before one that was on its way, which may have taken a pod before it saw that; and replicas that
   * were down go together, and serve again before they are done.
   */
  #isPassed(other: Place, { set, setReplica }: Place): boolean {
    const isAnnounced = this.#view.announced.get(set)?.has(other.setReplica) === true;
    const wasDown = (index: number): boolean => this.#beganDown.has(keyOf("set", set, index));
    return wasDown(setReplica) && (!isAnnounced || wasDown(other.setReplica));
  }

  #partitionOf({ set }: Place): number {
    return this.#view.spec(set)?.updateStrategy.partition ?? 0;
  }

  #isWanted({ set, setReplica }: Place): boolean {
    return setReplica < (this.#view.spec(set)?.replicas ?? 0);
  }

  /** Its gang was broken for too long: that is no update. */
  #isRestarting({ set, setReplica }: Place): boolean {
    const groups = this.#view.spec(set)?.template.podCliqueScalingGroups ?? [];
    return groups.some(({ name }) => {
      const group = this.#view.group(componentName({ set, setReplica, component: name }));
      return group?.status?.conditions?.some(
        ({ type, status }) => type === "GangTerminationInProgress" && status === "True",
      );
    });
  }

  /** `just` has been deleted this moment and counts as it was before. */
  #isGroupReplicaServing(place: Place, groupReplica: number, just?: PodClique): boolean {
    const spec = this.#view.spec(place.set);
    const template = spec === undefined ? undefined : this.#view.templateOf(spec, place);
    if (template === undefined) return false;
    return this.#view
      .members(place, template, groupReplica)
      .every((name) => this.#servesStill(name, just));
  }

  #servesStill(name: string, just: PodClique | undefined): boolean {
    if (name !== just?.metadata.name) return this.#view.cliqueServes(name);
    return this.#view.readyPods(name) >= (just.spec.minAvailable ?? just.spec.replicas);
  }

  #servingGroupReplicas(place: Place, group: string): readonly number[] {
    const indices = new Set(
      this.#view
        .cliques()
        .filter((clique) => placeOf(clique).group === group)
        .map((clique) => placeOf(clique).groupReplica),
    );
    return [...indices].filter(
      (index) =>
        !this.#missing.has(keyOf("group", group, index)) &&
        this.#isGroupReplicaServing(place, index),
    );
  }

  #isReplicaServing(
    { set, setReplica }: Pick<Place, "set" | "setReplica">,
    just?: PodClique,
  ): boolean {
    const spec = this.#view.spec(set);
    if (spec === undefined) return false;
    const { cliques, podCliqueScalingGroups: groups } = spec.template;
    const inGroups = new Set(groups.flatMap(({ cliqueNames }) => cliqueNames));
    const standalone = cliques.filter(({ name }) => !inGroups.has(name));
    const nameOf = (component: string): string => componentName({ set, setReplica, component });
    return (
      standalone.every(({ name }) => this.#servesStill(nameOf(name), just)) &&
      groups.every(({ name, minAvailable }) => {
        const group = nameOf(name);
        const desired = this.#view.group(group)?.spec.replicas ?? 0;
        const place = { set, setReplica, group, groupReplica: 0 };
        const serving = Array.from({ length: desired }, (_, index) => index).filter((index) =>
          this.#isGroupReplicaServing(place, index, just),
        );
        return serving.length >= Math.min(minAvailable, desired) && desired > 0;
      })
    );
  }

  #servingReplicas(place: Place): readonly number[] {
    const { set } = place;
    const indices = new Set(
      this.#view
        .cliques()
        .filter((clique) => placeOf(clique).set === set)
        .map((clique) => placeOf(clique).setReplica),
    );
    return [...indices].filter(
      (setReplica) =>
        !this.#missing.has(keyOf("set", set, setReplica)) &&
        this.#isReplicaServing({ ...place, setReplica }),
    );
  }

  #miss(missing: Omit<Missing, "target">): void {
    const target = this.#view.target(missing.place.set);
    this.#missing.set(keyOf(missing.level, missing.ownerName, missing.index), {
      ...missing,
      target,
    });
  }

  /** What is missing, as far as the operator took it and no surge stands in: what others take it may not have seen. */
  #taken(level: Level, ownerName: string, { desired, serving }: Serving): number {
    const standIns = serving.filter((index) => index >= desired).length;
    const missing = this.#countMissing(level, ownerName, desired);
    return Math.min(desired - serving.length, missing - standIns);
  }

  #countMissing(level: Level, ownerName: string, below: number): number {
    return [...this.#missing.values()].filter(
      (each) => each.level === level && each.ownerName === ownerName && each.index < below,
    ).length;
  }

  #text(): string {
    return [...this.#missing.keys()].join(", ");
  }
}

const keyOf = (level: Level, ownerName: string, index: number): string =>
  `${level} ${ownerName}-${index}`;

const indexOf = ({ metadata }: Pod): number => Number(metadata.labels?.[labelKeys.podIndex]);

/** Where nothing is updated within a component only what is surplus goes, and surge within its budget (SU7). */
function allowedUnder(
  { updateStrategy: { type } }: DefaultedSetSpec,
  amounts: ComponentUpdateStrategy | undefined,
  { desired, isSurplus }: { readonly desired: number; readonly isSurplus: boolean },
): number {
  const { maxUnavailable, maxSurge } = resolveBudget(amounts ?? {}, desired);
  if (isRolling(type)) return maxUnavailable;
  if (!isSurplus) return 0;
  return maxSurge > 0 ? maxUnavailable : desired;
}

const allowed = (
  amounts: Pick<ComponentUpdateStrategy, "maxUnavailable" | "maxSurge"> | undefined,
  desired: number,
): number => resolveBudget(amounts ?? {}, desired).maxUnavailable;
