/** What the caches keep of objects that come in large numbers: the fields that controllers read. */
import type { Node } from "../../api/node.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../api/object.ts";
import type { ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from "../../api/pod.ts";

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

/** Values that are used no more would pile up; forgetting all of them only costs some sharing. */
const limit = 4096;
/** Longer ones are not shared: they would stay when the objects that they came with are gone. */
const longestShared = 2048;

/** Equal values kept once: objects decoded one by one repeat most of their texts. */
class SharedValues<T> {
  readonly #values = new Map<string, T>();

  /** The first value that came with this key, which must say all there is to say about it. */
  share(key: string, value: T): T {
    const known = this.#values.get(key);
    if (known !== undefined || key.length > longestShared) return known ?? value;
    if (this.#values.size >= limit) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }
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
    labels: labels && keptLabels(labels, (given) => labelsOf(given, name)),
    ownerReferences:
      ownerReferences &&
      keptOwners(ownerReferences, (given) => owners.share(JSON.stringify(given), given)),
  };
}

/**
 * What a part of an object becomes, once for all versions of the object that share the part: those of a server in this
 * process do, and such parts are frozen.
 */
function oncePerPart<T extends object>(): (part: T, become: (part: T) => T) => T {
  const known = new WeakMap<T, T>();
  return (part, become) => {
    if (!Object.isFrozen(part)) return become(part);
    const before = known.get(part);
    if (before !== undefined) return before;
    const kept = become(part);
    known.set(part, kept);
    return kept;
  };
}

const keptLabels = oncePerPart<Record<string, string>>();
const keptOwners = oncePerPart<OwnerReference[]>();

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
