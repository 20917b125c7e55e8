/** The budget promises: whoever the operator takes out of service is owed until it serves again. */
import type { DefaultedSetSpec } from "../../src/api/grove/defaults.ts";
import { labelKeys } from "../../src/api/grove/labels.ts";
import { componentName } from "../../src/api/grove/names.ts";
import type { PodClique } from "../../src/api/grove/podclique.ts";
import type { ComponentUpdateStrategy } from "../../src/api/grove/update-strategy.ts";
import { isRolling } from "../../src/api/grove/update-strategy.ts";
import type { Pod } from "../../src/api/pod.ts";
import { resolveBudget } from "../../src/planner/index.ts";
import type { Place, SetView } from "./set-view.ts";
import { isTerminating, placeOf } from "./set-view.ts";

type Level = "pod" | "group" | "set";

interface Debt {
  readonly level: Level;
  /** The clique, group or set that misses it. */
  readonly owner: string;
  readonly index: number;
  readonly place: Place;
  /** What the set was to become when it was taken. */
  readonly target: string;
}

export class Debts {
  readonly #view: SetView;
  readonly #tell: (broken: string) => void;
  readonly #open = new Map<string, Debt>();

  constructor(view: SetView, tell: (broken: string) => void) {
    this.#view = view;
    this.#tell = tell;
  }

  /** A serving pod was deleted by its clique. */
  podTaken(pod: Pod): void {
    const owner = pod.metadata.labels?.[labelKeys.podClique] ?? "";
    const place = placeOf(pod);
    const clique = this.#view.clique(owner);
    if (clique === undefined || place.group !== undefined || !this.#isWanted(place)) return;
    const index = indexOf(pod);
    const isInside = index < clique.spec.replicas;
    if (isInside) this.#owe({ level: "pod", owner, index, place });
    const live = this.#view.podsOf(owner).filter((each) => !isTerminating(each)).length;
    const ready = this.#view.readyPods(owner);
    const name = owner.slice(`${place.set}-${place.setReplica}-`.length);
    this.#judge(place, owner, (spec, desired) => {
      const template = spec.template.cliques.find((each) => each.name === name);
      const taken = Math.min(desired - ready, this.#owed("pod", owner, desired));
      if (!isRolling(spec.updateStrategy.type)) return live >= desired || taken <= 0;
      return taken <= allowed(template?.updateStrategy, desired);
    });
    if (isInside) this.#judgeTurn(place);
  }

  /** A clique was deleted by its group or set. */
  cliqueTaken(clique: PodClique): void {
    const place = placeOf(clique);
    if (!this.#isWanted(place) || this.#isRestarting(place)) return;
    if (place.group !== undefined) this.#groupReplicaTaken(clique, place, place.group);
    this.#setReplicaTaken(clique, place);
  }

  podServes(pod: Pod): void {
    if (this.#open.size === 0) return;
    const owner = pod.metadata.labels?.[labelKeys.podClique] ?? "";
    const place = placeOf(pod);
    this.#open.delete(keyOf("pod", owner, indexOf(pod)));
    if (place.group !== undefined && this.#isGroupReplicaServing(place, place.groupReplica)) {
      this.#open.delete(keyOf("group", place.group, place.groupReplica));
    }
    if (this.#isReplicaServing(place)) this.#open.delete(keyOf("set", place.set, place.setReplica));
  }

  /** Pods of a clique that is gone are nobody's debt any more. */
  cliqueGone({ metadata: { name = "" } }: PodClique): void {
    for (const [key, { level, owner }] of this.#open) {
      if (level === "pod" && owner === name) this.#open.delete(key);
    }
  }

  #groupReplicaTaken(clique: PodClique, place: Place, group: string): void {
    const index = place.groupReplica;
    const desired = this.#view.group(group)?.spec.replicas;
    if (desired === undefined) return;
    const types = this.#view.specs(place.set).map(({ updateStrategy }) => updateStrategy.type);
    if (types.includes("ReplicaRecreate")) return;
    const isOwed = this.#open.has(keyOf("group", group, index));
    if (isOwed || !this.#isGroupReplicaServing(place, index, clique)) return;
    const isInside = index < desired;
    if (isInside) this.#owe({ level: "group", owner: group, index, place });
    const serving = this.#servingGroupReplicas(place, group);
    this.#judge(place, group, (spec, size) => {
      const taken = Math.min(size - serving, this.#owed("group", group, size));
      if (!isRolling(spec.updateStrategy.type)) return taken <= 0;
      return taken <= allowed(this.#view.templateOf(spec, place)?.updateStrategy, size);
    });
    if (isInside) this.#judgeTurn(place);
  }

  #setReplicaTaken(clique: PodClique, place: Place): void {
    const { set, setReplica: index, group, groupReplica } = place;
    const sizes = group === undefined ? [] : this.#view.sizes(group);
    const isScaledIn = sizes.some((size) => groupReplica >= size);
    const specs = this.#view.specs(set);
    const isRecreated = specs.some(
      ({ updateStrategy }) => updateStrategy.type === "ReplicaRecreate",
    );
    if (isScaledIn || (!isRecreated && group !== undefined)) return;
    if (this.#open.has(keyOf("set", set, index)) || !this.#isReplicaServing(place, clique)) return;
    this.#owe({ level: "set", owner: set, index, place });
    const serving = this.#servingReplicas(place);
    this.#judge(place, set, (spec) => {
      const { type, rollingUpdate = {} } = spec.updateStrategy;
      const taken = Math.min(spec.replicas - serving, this.#owed("set", set, spec.replicas));
      return type === "ReplicaRecreate" && taken <= allowed(rollingUpdate, spec.replicas);
    });
  }

  /** Broken only if no spec and size that were current a moment ago would have allowed it. */
  #judge(
    place: Place,
    owner: string,
    isAllowed: (spec: DefaultedSetSpec, size: number) => boolean,
  ): void {
    const specs = this.#view.specs(place.set);
    const sizes = owner === place.set ? [0] : this.#view.sizes(owner);
    if (specs.some((spec) => sizes.some((size) => isAllowed(spec, size)))) return;
    this.#tell(`more of ${owner} was taken out of service than its budget allows: ${this.#text()}`);
  }

  /** Rolling: a replica of the set is touched only while nobody is owed in another, on the way to one target. */
  #judgeTurn(place: Place): void {
    const specs = this.#view.specs(place.set);
    if (!specs.every(({ updateStrategy }) => isRolling(updateStrategy.type))) return;
    const others = [...this.#open.values()].filter(
      (debt) =>
        debt.level !== "set" &&
        debt.target === this.#view.target(place.set) &&
        debt.place.set === place.set &&
        debt.place.setReplica !== place.setReplica &&
        this.#isWanted(debt.place) &&
        debt.index < (this.#view.sizes(debt.owner).at(-1) ?? 0),
    );
    if (others.length === 0) return;
    this.#tell(`two replicas of ${place.set} change at once: ${this.#text()}`);
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

  /** `just` has been told to go this moment and counts as it was before. */
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

  #servingGroupReplicas(place: Place, group: string): number {
    const indices = new Set(
      this.#view
        .cliques()
        .filter((clique) => placeOf(clique).group === group)
        .map((clique) => placeOf(clique).groupReplica),
    );
    return [...indices].filter(
      (index) =>
        !this.#open.has(keyOf("group", group, index)) && this.#isGroupReplicaServing(place, index),
    ).length;
  }

  #isReplicaServing({ set, setReplica }: Place, just?: PodClique): boolean {
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

  #servingReplicas(place: Place): number {
    const { set } = place;
    const indices = new Set(
      this.#view
        .cliques()
        .filter((clique) => placeOf(clique).set === set)
        .map((clique) => placeOf(clique).setReplica),
    );
    return [...indices].filter(
      (setReplica) =>
        !this.#open.has(keyOf("set", set, setReplica)) &&
        this.#isReplicaServing({ ...place, setReplica }),
    ).length;
  }

  #owe(debt: Omit<Debt, "target">): void {
    const target = this.#view.target(debt.place.set);
    this.#open.set(keyOf(debt.level, debt.owner, debt.index), { ...debt, target });
  }

  #owed(level: Level, owner: string, below: number): number {
    return [...this.#open.values()].filter(
      (debt) => debt.level === level && debt.owner === owner && debt.index < below,
    ).length;
  }

  #text(): string {
    return [...this.#open.keys()].join(", ");
  }
}

const keyOf = (level: Level, owner: string, index: number): string => `${level} ${owner}-${index}`;

const indexOf = ({ metadata }: Pod): number => Number(metadata.labels?.[labelKeys.podIndex]);

const allowed = (
  amounts: Pick<ComponentUpdateStrategy, "maxUnavailable" | "maxSurge"> | undefined,
  desired: number,
): number => resolveBudget(amounts ?? {}, desired).maxUnavailable;
