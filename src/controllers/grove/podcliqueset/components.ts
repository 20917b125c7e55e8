/** The components of a replica as objects: standalone PodCliques and PodCliqueScalingGroups, on a given revision. */
import type { DefaultedScalingGroup } from "../../../api/grove/defaults.ts";
import { componentLabels, labelKeys, managedLabels } from "../../../api/grove/labels.ts";
import { componentName, headlessServiceName } from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import type {
  ChildUpdateStrategy,
  ComponentUpdateStrategy,
} from "../../../api/grove/update-strategy.ts";
import { isRolling } from "../../../api/grove/update-strategy.ts";
import { isZero } from "../../../api/int-or-percent.ts";
import { includesJson, isSameJson } from "../../../api/same-json.ts";
import { mostParts } from "../../../api/size-limit.ts";
import { controllerReferenceTo } from "../../engine/ownership.ts";
import type { PatchWrite } from "../../engine/write.ts";
import { serviceResource } from "../../../api/service.ts";
import { buildPodClique } from "../pod-clique-object.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import type { ReplicaState } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import { objectsOf } from "./observe.ts";

/** On the service of a replica: how many pods its standalone cliques had when they were last deleted. */
const liveReplicasAnnotation = "lockstep.dev/live-replicas";

/** The part of the set's strategy that a component gets. */
function childStrategy(
  { spec }: Observed,
  component: ComponentUpdateStrategy | undefined,
): ChildUpdateStrategy {
  const { type, paused, progressDeadlineSeconds, onStuck } = spec.updateStrategy;
  if (!isRolling(type)) return { type, ...budgetOfSurge(component) };
  return {
    type,
    ...component,
    ...(paused === undefined ? {} : { paused }),
    ...(progressDeadlineSeconds === undefined ? {} : { progressDeadlineSeconds }),
    ...(onStuck === undefined ? {} : { onStuck }),
  };
}

/** Nothing is updated within it, but the surge that another strategy left behind leaves within it (SU7). */
function budgetOfSurge({
  maxUnavailable,
  maxSurge,
}: ComponentUpdateStrategy = {}): ComponentUpdateStrategy {
  if (maxSurge === undefined || isZero(maxSurge)) return {};
  return { ...(maxUnavailable === undefined ? {} : { maxUnavailable }), maxSurge };
}

export function buildStandalone(
  observed: Observed,
  index: number,
  clique: string,
  revision: SetRevision,
): PodClique {
  const { name, namespace, set, spec } = observed;
  const template = spec.template.cliques.find((each) => each.name === clique);
  return buildPodClique({
    place: { set: name, setReplica: index, clique },
    namespace,
    spec,
    revision,
    owner: controllerReferenceTo(podCliqueSetResource, set),
    replicas: standaloneReplicas(observed, index, clique),
    updateStrategy: childStrategy(observed, template?.updateStrategy),
  });
}

/** How many pods a standalone clique starts with. */
export function standaloneReplicas(observed: Observed, index: number, clique: string): number {
  const template = observed.spec.template.cliques.find(({ name }) => name === clique);
  return recordedReplicas(observed, index)[clique] ?? template?.spec.replicas ?? 1;
}

export function buildScalingGroup(
  observed: Observed,
  index: number,
  template: DefaultedScalingGroup,
  revision: SetRevision,
): PodCliqueScalingGroup {
  const { name: set, namespace } = observed;
  const name = componentName({ set, setReplica: index, component: template.name });
  return {
    apiVersion: "grove.io/v1alpha1",
    kind: "PodCliqueScalingGroup",
    metadata: {
      name,
      namespace,
      labels: {
        ...managedLabels(set),
        [labelKeys.component]: componentLabels.scalingGroup,
        [labelKeys.name]: name,
        [labelKeys.setReplicaIndex]: String(index),
      },
      annotations: { ...template.annotations, [revisionAnnotation]: revision.name },
      ownerReferences: [controllerReferenceTo(podCliqueSetResource, observed.set)],
    },
    spec: {
      replicas: template.replicas,
      minAvailable: template.minAvailable,
      cliqueNames: [...template.cliqueNames],
      updateStrategy: childStrategy(observed, template.updateStrategy),
    },
  };
}

/** The group with another revision or strategy; undefined where it has both already. */
export function redirected(
  object: PodCliqueScalingGroup,
  wanted: PodCliqueScalingGroup,
): PodCliqueScalingGroup | undefined {
  const annotations = { ...object.metadata.annotations, ...wanted.metadata.annotations };
  const spec = { ...wanted.spec, replicas: object.spec.replicas };
  const isSame =
    isSameJson(object.metadata.annotations, annotations) &&
    includesJson(object.spec, spec) &&
    isSameJson(object.spec.updateStrategy, spec.updateStrategy);
  if (isSame) return undefined;
  return { ...object, metadata: { ...object.metadata, annotations }, spec };
}

function recordedReplicas(observed: Observed, index: number): Readonly<Record<string, number>> {
  const serviceName = headlessServiceName(observed.name, index);
  const service = objectsOf(observed, index).services.find(
    ({ metadata }) => metadata.name === serviceName,
  );
  return parseReplicas(service?.metadata.annotations?.[liveReplicasAnnotation]);
}

function parseReplicas(text: string | undefined): Readonly<Record<string, number>> {
  if (text === undefined) return {};
  try {
    const parsed = JSON.parse(text) as unknown;
    if (typeof parsed !== "object" || parsed === null) return {};
    const entries = Object.entries(parsed).filter(([, count]) => isSize(count));
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

const isSize = (count: unknown): boolean =>
  typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= mostParts;

/** On the service of the replica, which outlives its cliques: how large they were, and other marks. */
export function liveReplicasWrites(
  observed: Observed,
  replica: ReplicaState,
  marks: Readonly<Record<string, string>> = {},
): readonly PatchWrite[] {
  const text = replicasToRecord(observed, replica);
  const annotations = {
    ...marks,
    ...(text === undefined ? {} : { [liveReplicasAnnotation]: text }),
  };
  if (Object.keys(annotations).length === 0) return [];
  const { name, namespace } = observed;
  return [
    {
      verb: "patch",
      resource: serviceResource,
      key: { namespace, name: headlessServiceName(name, replica.index) },
      patch: { type: "merge", body: { metadata: { annotations } } },
    },
  ];
}

/** What must be recorded before the standalone cliques of a replica are deleted; undefined where it is. */
function replicasToRecord(
  observed: Observed,
  { index, standalone }: ReplicaState,
): string | undefined {
  const known = recordedReplicas(observed, index);
  const next = {
    ...known,
    ...Object.fromEntries(
      standalone.flatMap(({ clique, object }) => {
        const template = observed.spec.template.cliques.find(({ name }) => name === clique);
        const live = object?.spec.replicas;
        const isUsual = live === template?.spec.replicas && known[clique] === undefined;
        return live === undefined || isUsual ? [] : [[clique, live]];
      }),
    ),
  };
  return isSameJson(known, next) ? undefined : JSON.stringify(next);
}
