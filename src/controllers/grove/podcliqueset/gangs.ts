/** The PodGangs of a replica: one for what must start together, one for every scaling-group replica above that. */
import { isTerminating } from "../../../api/object.ts";
import type { DefaultedClique } from "../../../api/grove/defaults.ts";
import {
  annotationKeys,
  componentLabels,
  labelKeys,
  managedLabels,
  ownPrefix,
} from "../../../api/grove/labels.ts";
import {
  basePodGangName,
  componentName,
  memberName,
  podHostname,
  scaledPodGangName,
  scalingGroupReplicaName,
} from "../../../api/grove/names.ts";
import type { TopologyConstraint } from "../../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import type { PodGang, PodGangSpec, PodGroup } from "../../../api/grove/podgang.ts";
import { preferredDomain, requiredDomain, topologyNameOf } from "../../../api/grove/topology.ts";
import { orderableScheduler } from "../../../api/grove/warnings.ts";
import { resolveBudget } from "../../../planner/index.ts";
import { controllerReferenceTo } from "../../engine/ownership.ts";
import { standaloneReplicas } from "./components.ts";
import type { GroupState } from "./replica-state.ts";
import { standaloneCliques } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import { bindingOf } from "./topology-condition.ts";

type Pack = NonNullable<PodGangSpec["topologyConstraint"]>;

/** The live size of the groups, and surge replicas beyond it, decide how many scaled gangs there are. */
export function buildGangs(
  observed: Observed,
  index: number,
  groups: readonly GroupState[],
): PodGang[] {
  const states = observed.spec.template.podCliqueScalingGroups.map(
    (template) =>
      groups.find((group) => group.template.name === template.name) ?? {
        template,
        object: undefined,
        desired: template.replicas,
        replicas: new Map(),
      },
  );
  return [
    baseGang(observed, index, states),
    ...states.flatMap((group) =>
      scaledIndices(group).map((replica) => scaledGang(observed, index, group, replica)),
    ),
  ];
}

/** Replicas above minAvailable that should exist, and those that do: surge, or replicas still to be deleted. */
function scaledIndices({ template, desired, replicas }: GroupState): number[] {
  const living = [...replicas]
    .filter(([, members]) =>
      members.some(({ object }) => object !== undefined && !isTerminating(object)),
    )
    .map(([index]) => index);
  const wanted = Array.from({ length: desired }, (_, index) => index);
  return [...new Set([...wanted, ...living])]
    .filter((index) => index >= template.minAvailable)
    .toSorted((a, b) => a - b);
}

/** The gangs that the surge of a group has while it is updated. */
export function surgeGangNames({ object, template, desired }: GroupState): string[] {
  const { name = "" } = object?.metadata ?? {};
  const { maxSurge } = resolveBudget(object?.spec.updateStrategy ?? {}, desired);
  return Array.from({ length: maxSurge }, (_, index) => desired + index)
    .filter((index) => index >= template.minAvailable)
    .map((index) => scaledPodGangName(name, index, template.minAvailable));
}

function baseGang(observed: Observed, index: number, groups: readonly GroupState[]): PodGang {
  const { template } = observed.spec;
  const place = { set: observed.name, setReplica: index };
  const members = groups.flatMap((group) =>
    Array.from({ length: group.template.minAvailable }, (_, groupReplica) =>
      memberGroups(observed, index, group, groupReplica),
    ),
  );
  const configs = groups.flatMap(({ template: group }) => {
    const constraint = packOf(observed, group.topologyConstraint);
    if (constraint === undefined) return [];
    const scalingGroup = componentName({ ...place, component: group.name });
    return Array.from({ length: group.minAvailable }, (_, groupReplica) => ({
      name: scalingGroupReplicaName(scalingGroup, groupReplica),
      podGroupNames: group.cliqueNames.map((clique) =>
        memberName({ ...place, group: group.name, groupReplica, clique }),
      ),
      topologyConstraint: constraint,
    }));
  });
  const standalone = standaloneCliques(observed.spec).map((clique) =>
    podGroup(observed, clique, {
      name: componentName({ ...place, component: clique }),
      replicas: standaloneReplicas(observed, index, clique),
    }),
  );
  return gang(observed, index, basePodGangName(observed.name, index), {
    podgroups: [...standalone, ...members.flat()],
    ...packed(packOf(observed, template.topologyConstraint)),
    ...(configs.length === 0 ? {} : { topologyConstraintGroupConfigs: configs }),
  });
}

function scaledGang(
  observed: Observed,
  index: number,
  group: GroupState,
  groupReplica: number,
): PodGang {
  const { name, minAvailable, topologyConstraint } = group.template;
  const scalingGroup = componentName({ set: observed.name, setReplica: index, component: name });
  const constraint = topologyConstraint ?? observed.spec.template.topologyConstraint;
  return gang(observed, index, scaledPodGangName(scalingGroup, groupReplica, minAvailable), {
    podgroups: memberGroups(observed, index, group, groupReplica),
    ...packed(packOf(observed, constraint)),
  });
}

function memberGroups(
  observed: Observed,
  index: number,
  { template }: GroupState,
  groupReplica: number,
): PodGroup[] {
  const place = { set: observed.name, setReplica: index, group: template.name, groupReplica };
  return template.cliqueNames.map((clique) =>
    podGroup(observed, clique, {
      name: memberName({ ...place, clique }),
      replicas: templateOf(observed, clique)?.spec.replicas ?? 0,
    }),
  );
}

const templateOf = ({ spec }: Observed, clique: string): DefaultedClique | undefined =>
  spec.template.cliques.find(({ name }) => name === clique);

/** Its pods are listed from the start: what they will be called is known. */
function podGroup(
  observed: Observed,
  clique: string,
  { name, replicas }: { readonly name: string; readonly replicas: number },
): PodGroup {
  const template = templateOf(observed, clique);
  const { namespace = "" } = observed;
  const names = Array.from({ length: replicas }, (_, index) => podHostname(name, index));
  return {
    name,
    podReferences: names.toSorted().map((pod) => ({ namespace, name: pod })),
    minReplicas: template?.spec.minAvailable ?? 1,
    ...packed(packOf(observed, template?.topologyConstraint)),
  };
}

const packed = (pack: Pack | undefined): { topologyConstraint?: Pack } =>
  pack === undefined ? {} : { topologyConstraint: pack };

/** Domains become the node labels they stand for; an unknown domain constrains nothing. */
function packOf(observed: Observed, constraint: TopologyConstraint | undefined): Pack | undefined {
  if (constraint === undefined) return undefined;
  const levels = bindingOf(observed)?.spec.levels ?? [];
  const keyOf = (domain: string | undefined): string | undefined =>
    levels.find((level) => level.domain === domain)?.key;
  const required = keyOf(requiredDomain(constraint));
  const preferred = keyOf(preferredDomain(constraint));
  if (required === undefined && preferred === undefined) return undefined;
  return {
    packConstraint: {
      ...(required === undefined ? {} : { required }),
      ...(preferred === undefined ? {} : { preferred }),
    },
  };
}

function gang(observed: Observed, index: number, name: string, spec: PodGangSpec): PodGang {
  const { set, name: setName, namespace } = observed;
  const { priorityClassName, cliques } = observed.spec.template;
  const schedulerName = cliques[0]?.spec.podSpec.schedulerName ?? orderableScheduler;
  const topology = topologyNameOf(observed.spec.template);
  return {
    apiVersion: "scheduler.grove.io/v1alpha1",
    kind: "PodGang",
    metadata: {
      name,
      namespace,
      labels: {
        ...mirrored(set.metadata.labels),
        ...managedLabels(setName),
        [labelKeys.component]: componentLabels.podGang,
        [labelKeys.name]: name,
        [labelKeys.setReplicaIndex]: String(index),
        [labelKeys.schedulerName]: schedulerName,
      },
      annotations: {
        ...mirrored(set.metadata.annotations),
        ...(topology === undefined ? {} : { [annotationKeys.topologyName]: topology }),
      },
      ownerReferences: [controllerReferenceTo(podCliqueSetResource, set)],
    },
    spec: { ...spec, ...(priorityClassName === undefined ? {} : { priorityClassName }) },
  };
}

/** The set's own labels and annotations are its gangs' too; those of tools that track the set are not. */
function mirrored(entries: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entries ?? {}).filter(
      ([key]) =>
        !key.startsWith(ownPrefix) &&
        !key.startsWith("lockstep.dev/") &&
        !key.startsWith("kubectl.kubernetes.io/"),
    ),
  );
}

/** The gang as it should be, with the references it has: those follow the sizes that its cliques have now. */
export function withReferencesOf(wanted: PodGang, actual: PodGang): PodGang {
  const known = new Map(actual.spec.podgroups.map((group) => [group.name, group.podReferences]));
  const podgroups = wanted.spec.podgroups.map((group) => ({
    ...group,
    podReferences: known.get(group.name) ?? group.podReferences,
  }));
  return { ...wanted, spec: { ...wanted.spec, podgroups } };
}
