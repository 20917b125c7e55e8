/** What is counted in a preview: the parts of a workload, the units they consist of, and what is promised of them. */
import type { StatefulSet } from "../api/apps.ts";
import { withDefaults } from "../api/grove/defaults.ts";
import type { DefaultedSetSpec } from "../api/grove/defaults.ts";
import { labelKeys } from "../api/grove/labels.ts";
import { componentName } from "../api/grove/names.ts";
import type { PodCliqueSet } from "../api/grove/podcliqueset.ts";
import type { ComponentUpdateStrategy } from "../api/grove/update-strategy.ts";
import { isRolling } from "../api/grove/update-strategy.ts";
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { readOverrides } from "../controllers/statefulset/annotations.ts";
import { resolveBudget, resolveStatefulSetBudget } from "../planner/index.ts";
import { requirePlayable } from "./playable.ts";

export interface Component {
  readonly name: string;
  readonly desired: number;
  readonly promised: number;
  /** A unit serves when this many of its pods are ready. */
  readonly podsPerUnit: number;
  /** Units that share no requests: two versions in different ones never meet. */
  readonly unitsAreApart?: boolean;
}

/** What is counted of one workload. */
export interface Components {
  readonly all: readonly Component[];
  /** Where a pod counts; undefined for pods of others. A look at its labels, however many components there are. */
  placeOf(pod: Pod): Place | undefined;
}

export interface Place {
  /** The name of the component; counts for nothing where it is not among those of the workload. */
  readonly component: string;
  readonly unit: string;
}

/** Also those that are there now and will not be: their units go, and nothing is promised of them. */
export function withLeaving(components: Components, before: readonly Component[]): Components {
  const staying = new Set(components.all.map(({ name }) => name));
  const leaving = before
    .filter(({ name }) => !staying.has(name))
    .map((each) => ({ ...each, desired: 0, promised: 0 }));
  return { ...components, all: [...components.all, ...leaving] };
}

export const nothingCounted: Components = { all: [], placeOf: () => undefined };

/** Live sizes by name of the object, where they differ from the template: somebody scaled it. */
export type LiveSizes = ReadonlyMap<string, number>;

export function statefulSetComponents(workload: KubeObject): Components {
  const component = statefulSetComponent(workload as unknown as StatefulSet);
  return {
    all: [component],
    placeOf: ({ metadata: { name = "", ownerReferences = [] } }) => {
      const isOwn = ownerReferences.some(
        (owner) => owner.kind === "StatefulSet" && owner.name === component.name,
      );
      return isOwn ? { component: component.name, unit: name } : undefined;
    },
  };
}

function statefulSetComponent(set: StatefulSet): Component {
  const { metadata, spec } = set;
  const { replicas = 1, updateStrategy } = spec;
  const annotated = readOverrides(set).maxUnavailable;
  const maxUnavailable = updateStrategy?.rollingUpdate?.maxUnavailable ?? annotated;
  const budget = resolveStatefulSetBudget(maxUnavailable, replicas);
  const isLeft = updateStrategy?.type === "OnDelete" && annotated === undefined;
  return {
    name: metadata.name ?? "",
    desired: replicas,
    promised: isLeft ? replicas : Math.max(0, replicas - budget.maxUnavailable),
    podsPerUnit: 1,
  };
}

export function podCliqueSetComponents(workload: KubeObject, sizes: LiveSizes): Components {
  const set = workload as unknown as PodCliqueSet;
  const spec = withDefaults(set.spec);
  const name = set.metadata.name ?? "";
  requirePlayable(workload, spec.replicas, "replicas");
  if (!isRolling(spec.updateStrategy.type)) {
    return { all: [wholeSet(name, spec)], placeOf: (pod) => placeInSet(name, pod) };
  }
  const indices = Array.from({ length: spec.replicas }, (_, index) => index);
  return {
    all: indices.flatMap((index) => [
      ...standaloneComponents(name, spec, { index, sizes }),
      ...groupComponents(name, spec, { index, sizes }),
    ]),
    placeOf: placeInClique,
  };
}

interface SizedReplica {
  readonly index: number;
  readonly sizes: LiveSizes;
}

function placeInSet(set: string, { metadata: { labels = {} } }: Pod): Place | undefined {
  const unit = labels[labelKeys.setReplicaIndex];
  const isOwn = labels[labelKeys.partOf] === set && unit !== undefined;
  return isOwn ? { component: set, unit } : undefined;
}

/** Cliques of a scaling group count as its replicas. */
function placeInClique({ metadata: { name = "", labels = {} } }: Pod): Place | undefined {
  const { [labelKeys.scalingGroup]: group, [labelKeys.podClique]: clique } = labels;
  const unit = labels[labelKeys.scalingGroupReplicaIndex];
  if (group !== undefined && unit !== undefined) return { component: group, unit };
  return clique === undefined ? undefined : { component: clique, unit: name };
}

function wholeSet(
  name: string,
  { replicas, updateStrategy, template }: DefaultedSetSpec,
): Component {
  const { maxUnavailable } = resolveBudget(updateStrategy.rollingUpdate ?? {}, replicas);
  const isOnDelete = updateStrategy.type === "OnDelete";
  const sizeOf = new Map(template.cliques.map((clique) => [clique.name, clique.spec.replicas]));
  const members = new Set(
    template.podCliqueScalingGroups.flatMap(({ cliqueNames }) => cliqueNames),
  );
  const standalone = template.cliques
    .filter((clique) => !members.has(clique.name))
    .map((clique) => clique.spec.replicas);
  const grouped = template.podCliqueScalingGroups.map(
    (group) => group.replicas * total(group.cliqueNames.map((clique) => sizeOf.get(clique) ?? 1)),
  );
  return {
    name,
    desired: replicas,
    promised: isOnDelete ? replicas : Math.max(0, replicas - maxUnavailable),
    podsPerUnit: total([...standalone, ...grouped]),
    unitsAreApart: true,
  };
}

const total = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);

/** A partition or a budget of zero and zero changes nothing about what may be down. */
function promisedOf(strategy: ComponentUpdateStrategy | undefined, desired: number): number {
  const { maxUnavailable, maxSurge } = strategy ?? {};
  return Math.max(0, desired - resolveBudget({ maxUnavailable, maxSurge }, desired).maxUnavailable);
}

function standaloneComponents(
  set: string,
  { template }: DefaultedSetSpec,
  { index, sizes }: SizedReplica,
): readonly Component[] {
  const members = new Set(
    template.podCliqueScalingGroups.flatMap(({ cliqueNames }) => cliqueNames),
  );
  return template.cliques
    .filter((clique) => !members.has(clique.name))
    .map((clique) => {
      const name = componentName({ set, setReplica: index, component: clique.name });
      const desired = sizes.get(name) ?? clique.spec.replicas;
      return {
        name,
        desired,
        promised: promisedOf(clique.updateStrategy, desired),
        podsPerUnit: 1,
      };
    });
}

function groupComponents(
  set: string,
  { template }: DefaultedSetSpec,
  { index, sizes }: SizedReplica,
): readonly Component[] {
  const sizeOf = new Map(template.cliques.map((clique) => [clique.name, clique.spec.replicas]));
  return template.podCliqueScalingGroups.map((group) => {
    const name = componentName({ set, setReplica: index, component: group.name });
    const desired = sizes.get(name) ?? group.replicas;
    return {
      name,
      desired,
      promised: promisedOf(group.updateStrategy, desired),
      podsPerUnit: total(group.cliqueNames.map((clique) => sizeOf.get(clique) ?? 1)),
    };
  });
}
