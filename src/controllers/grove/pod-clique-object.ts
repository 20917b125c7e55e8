/** The PodClique of one place in a set, as a revision and the set's template describe it. */
import type { DefaultedClique, DefaultedSetSpec } from "../../api/grove/defaults.ts";
import {
  annotationKeys,
  componentLabels,
  finalizers,
  labelKeys,
  managedLabels,
  variables,
} from "../../api/grove/labels.ts";
import {
  basePodGangName,
  componentName,
  memberName,
  scaledPodGangName,
} from "../../api/grove/names.ts";
import type { PodClique, PodCliqueSpec } from "../../api/grove/podclique.ts";
import type { ChildUpdateStrategy } from "../../api/grove/update-strategy.ts";
import type { OwnerReference } from "../../api/object.ts";
import type { PodSpec } from "../../api/pod.ts";
import { includesJson, isSameJson } from "../../api/same-json.ts";
import { withVariables } from "../engine/pod-variables.ts";
import type { SetRevision } from "./set-revisions.ts";
import { revisionAnnotation } from "./set-revisions.ts";
import type { CliquePlace } from "./starts-after.ts";
import { startsAfter } from "./starts-after.ts";

interface PodCliqueDraft {
  readonly place: CliquePlace;
  readonly namespace: string | undefined;
  readonly spec: DefaultedSetSpec;
  readonly revision: SetRevision;
  readonly owner: OwnerReference;
  readonly replicas: number;
  readonly updateStrategy: ChildUpdateStrategy;
}

export function podCliqueName({ set, setReplica, clique, group }: CliquePlace): string {
  return group === undefined
    ? componentName({ set, setReplica, component: clique })
    : memberName({ set, setReplica, group: group.name, groupReplica: group.replica, clique });
}

/** The gang a place belongs to; scaled gangs also name the base gang they wait for. */
function gangLabels({ set, setReplica, group }: CliquePlace): Record<string, string> {
  const base = basePodGangName(set, setReplica);
  if (group === undefined || group.replica < group.minAvailable)
    return { [labelKeys.podGang]: base };
  const scalingGroup = componentName({ set, setReplica, component: group.name });
  return {
    [labelKeys.podGang]: scaledPodGangName(scalingGroup, group.replica, group.minAvailable),
    [labelKeys.basePodGang]: base,
  };
}

export function buildPodClique(draft: PodCliqueDraft): PodClique {
  const { place, namespace, spec, revision, owner } = draft;
  const name = podCliqueName(place);
  const template = spec.template.cliques.find((clique) => clique.name === place.clique);
  if (template === undefined) throw new Error(`${place.set}: there is no clique ${place.clique}`);
  const recorded = revision.cliques.find((clique) => clique.name === place.clique) ?? template;
  const { [annotationKeys.topologyName]: _topology, ...annotations } = recorded.annotations ?? {};
  return {
    apiVersion: "grove.io/v1alpha1",
    kind: "PodClique",
    metadata: {
      name,
      namespace,
      labels: { ...recorded.labels, ...identityLabels(place, name, revision) },
      annotations: { ...annotations, [revisionAnnotation]: revision.name },
      ownerReferences: [owner],
      ...(spec.updateStrategy.type === "ReplicaRecreate"
        ? { finalizers: [finalizers.podClique] }
        : {}),
    },
    spec: podCliqueSpec(draft, template, recorded.spec.podSpec),
  };
}

function identityLabels(
  place: CliquePlace,
  name: string,
  revision: SetRevision,
): Record<string, string> {
  const { set, setReplica, clique, group } = place;
  return {
    ...managedLabels(set),
    [labelKeys.component]:
      group === undefined ? componentLabels.standalonePodClique : componentLabels.memberPodClique,
    [labelKeys.name]: name,
    [labelKeys.setReplicaIndex]: String(setReplica),
    ...gangLabels(place),
    ...(group === undefined ? {} : groupLabels(place, group)),
    [labelKeys.podTemplateHash]: revision.cliqueHashes[clique] ?? "",
  };
}

const groupLabels = (
  { set, setReplica }: CliquePlace,
  group: NonNullable<CliquePlace["group"]>,
): Record<string, string> => ({
  [labelKeys.scalingGroup]: componentName({ set, setReplica, component: group.name }),
  [labelKeys.scalingGroupReplicaIndex]: String(group.replica),
});

function podCliqueSpec(
  { place, spec, replicas, updateStrategy }: PodCliqueDraft,
  template: DefaultedClique,
  recorded: PodSpec,
): PodCliqueSpec {
  const { roleName, minAvailable, autoScalingConfig } = template.spec;
  const after = startsAfter(spec.template, place);
  const podSpec = {
    ...recorded,
    restartPolicy: recorded.restartPolicy ?? "Always",
    terminationGracePeriodSeconds: recorded.terminationGracePeriodSeconds ?? 30,
  };
  return {
    roleName,
    podSpec: place.group === undefined ? podSpec : withGroupVariables(podSpec, place, spec),
    replicas,
    minAvailable,
    ...(after.length === 0 ? {} : { startsAfter: after }),
    ...(autoScalingConfig === undefined ? {} : { autoScalingConfig }),
    updateStrategy,
  };
}

function withGroupVariables(podSpec: PodSpec, place: CliquePlace, spec: DefaultedSetSpec): PodSpec {
  const { set, setReplica, group } = place;
  if (group === undefined) return podSpec;
  const { cliqueNames = [] } =
    spec.template.podCliqueScalingGroups.find(({ name }) => name === group.name) ?? {};
  const pods = spec.template.cliques
    .filter(({ name }) => cliqueNames.includes(name))
    .reduce((sum, clique) => sum + clique.spec.replicas, 0);
  return withVariables(podSpec, [
    {
      name: variables.scalingGroupName,
      value: componentName({ set, setReplica, component: group.name }),
    },
    { name: variables.scalingGroupIndex, value: String(group.replica) },
    { name: variables.scalingGroupTemplatePods, value: String(pods) },
  ]);
}

/**
 * The object with another template, or undefined where it has it already. How many pods there are stays as it is:
 * after its creation that belongs to the user or autoscaler that scales it.
 */
export function retemplated(object: PodClique, wanted: PodClique): PodClique | undefined {
  const spec = { ...wanted.spec, replicas: object.spec.replicas };
  const { labels, annotations } = wanted.metadata;
  const isSame =
    isSameJson(object.metadata.labels, labels) &&
    isSameJson(object.metadata.annotations, annotations) &&
    includesJson(object.spec, spec) &&
    isSameJson(object.spec.updateStrategy, spec.updateStrategy);
  return isSame
    ? undefined
    : { ...object, metadata: { ...object.metadata, labels, annotations }, spec };
}
