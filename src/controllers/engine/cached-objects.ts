/** What the caches keep of objects that come in large numbers: the fields that controllers read. */
import type { Node } from "../../api/node.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../api/object.ts";
import type { ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from "../../api/pod.ts";
import { SharedValues } from "../../runtime/shared-values.ts";

/** A `transform` for claims and whatever else is only looked up, owned and deleted: no spec, no status. */
export function cachedMetadata<T extends KubeObject>({ apiVersion, kind, metadata }: T): T {
  return { apiVersion, kind, metadata: metadataOf(metadata) } as T;
}

/** A `transform` for nodes: how much they have, and whether they can be used. */
export const cachedNode = ({ apiVersion, kind, metadata, spec, status }: Node): Node => ({
  apiVersion,
  kind,
  metadata: metadataOf({ ...metadata, labels: undefined }),
  spec: { unschedulable: spec?.unschedulable },
  status: {
    allocatable: status?.allocatable,
    conditions: status?.conditions?.filter(({ type }) => type === "Ready"),
  },
});

/** A `transform` for pods. A controller that needs another field adds it here. */
export function cachedPod({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  return {
    apiVersion,
    kind,
    metadata: metadataOf(metadata),
    spec: specOf(spec, metadata.name),
    status: status === undefined ? undefined : statusOf(status),
  };
}

/** Pods of one owner agree in most of their texts, and pods of one moment in their times. */
const texts = new SharedValues<string>();
const owners = new SharedValues<OwnerReference[]>();

const shared = <T extends string | undefined>(text: T): T =>
  text === undefined ? text : (texts.share(text, text) as T);

function metadataOf(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, labels, ownerReferences } = metadata;
  return {
    name,
    namespace: shared(namespace),
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    creationTimestamp: shared(metadata.creationTimestamp),
    deletionTimestamp: shared(metadata.deletionTimestamp),
    labels: labels && labelsOf(labels, name),
    ownerReferences:
      ownerReferences && owners.share(JSON.stringify(ownerReferences), ownerReferences),
  };
}

/** Some label repeats the name, which no other pod has. */
function labelsOf(
  labels: Record<string, string>,
  name: string | undefined,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? "";
    kept[key] = value === name ? name : shared(value);
  }
  return kept;
}

function specOf(
  { nodeName, hostname, schedulingGates }: PodSpec,
  name: string | undefined,
): PodSpec {
  return {
    nodeName: shared(nodeName),
    hostname: hostname === name ? name : hostname,
    schedulingGates,
  } as Partial<PodSpec> as PodSpec;
}

function statusOf(status: PodStatus): PodStatus {
  return {
    phase: status.phase,
    reason: status.reason,
    message: status.message,
    conditions: status.conditions?.filter(({ type }) => readConditions.has(type)).map(conditionOf),
    initContainerStatuses: status.initContainerStatuses?.map(containerOf),
    containerStatuses: status.containerStatuses?.map(containerOf),
  };
}

const readConditions = new Set(["Ready", "PodScheduled"]);

const conditionOf = (condition: PodCondition): PodCondition => {
  const { type, status, reason, message, lastTransitionTime } = condition;
  return {
    type,
    status,
    reason: shared(reason),
    // Why the scheduler finds no node is quoted; pods of one owner wait for the same.
    ...(reason === "Unschedulable" ? { message: shared(message) } : {}),
    lastTransitionTime: shared(lastTransitionTime),
  };
};

function containerOf(status: ContainerStatus): ContainerStatus {
  const { name, state, ready, started, restartCount } = status;
  const { terminated } = status.lastState ?? {};
  const kept = {
    name: shared(name),
    state,
    lastState:
      terminated === undefined ? neverEnded : { terminated: { exitCode: terminated.exitCode } },
    ready,
    started,
    restartCount,
  };
  return kept as Partial<ContainerStatus> as ContainerStatus;
}

const neverEnded = Object.freeze({});
