/** A role run by a StatefulSet: its partition is the cursor, whichever controller makes the pods. */
import type { StatefulSet } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import { isTerminating } from "../../api/object.ts";
import { annotationKeys } from "../../api/rbg/labels.ts";
import { serviceName } from "../../api/rbg/names.ts";
import { includesJson } from "../../api/same-json.ts";
import { unitOfPod } from "../engine/pod-health.ts";
import type { WritePlan } from "../engine/write.ts";
import { createOf, patchOf, updateOf } from "../engine/write.ts";
import type { GroupReaders } from "./caches.ts";
import { selectorOf } from "./pod-template.ts";
import { causesOf, podsOf } from "./role-pods.ts";
import type {
  DesiredWorkload,
  ObservedWorkload,
  RolePlace,
  RoleWorkload,
} from "./role-workload.ts";
import { nothingThere } from "./role-workload.ts";
import {
  hasMetadata,
  ownWorkload,
  templateRevisionOf,
  withMetadata,
  workloadMetadata,
} from "./workload-object.ts";

/** Says the same as the field to Lockstep's own controller, where the API server drops the field. */
const maxUnavailableAnnotation = "lockstep.dev/max-unavailable";
/** Says to Lockstep's own controller which pods below the partition are updated all the same. */
const aheadAnnotation = "lockstep.dev/ahead-of-partition";

interface ObservedSet extends ObservedWorkload {
  readonly set: StatefulSet;
}

export const statefulSetRole: RoleWorkload = {
  observe(readers, place): ObservedWorkload {
    const set = ownWorkload(readers.sets, place);
    return set === undefined ? nothingThere : observeSet(readers, place, set);
  },
  writes(place, observed, desired) {
    if (!isObservedSet(observed)) {
      return [createOf(statefulSetResource, buildSet(place, desired))];
    }
    return observed.isTerminating ? [] : changes(place, observed.set, desired);
  },
};

const isObservedSet = (observed: ObservedWorkload): observed is ObservedSet =>
  "set" in observed && observed.exists;

function observeSet(readers: GroupReaders, place: RolePlace, set: StatefulSet): ObservedSet {
  const cursor = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const { generation = 0 } = set.metadata;
  const isSeen = (set.status?.observedGeneration ?? 0) >= generation;
  const pods = podsOf(readers, place, set.metadata.uid ?? "");
  return {
    exists: true,
    isTerminating: isTerminating(set),
    size: set.spec.replicas ?? 1,
    template: set.spec.template,
    templateRevision: templateRevisionOf(set, place),
    cursor,
    ahead: readAhead(set),
    isTopDownOnly: !isRunByLockstep(set),
    // A cursor below the top has moved for this very template, so it was seen before.
    isStatusCurrent: isSeen || cursor < (set.spec.replicas ?? 1),
    units: pods.map(unitOfPod),
    pods,
    causes: causesOf(pods),
    warnings: droppedField(set),
    set,
  };
}

export const readAhead = ({ metadata }: StatefulSet): readonly number[] => {
  const text = metadata.annotations?.[aheadAnnotation] ?? "";
  return /^\d+(,\d+)*$/.test(text) ? text.split(",").map(Number) : [];
};

/** Only Lockstep's own controller writes conditions, and Kubernetes' writes statuses without any. */
const isRunByLockstep = ({ status }: StatefulSet): boolean =>
  (status?.conditions ?? []).some(({ type }) => type === "Progressing");

/** The server answers without the field that it was sent. */
function droppedField(set: StatefulSet): ObservedWorkload["warnings"] {
  const wanted = set.metadata.annotations?.[maxUnavailableAnnotation];
  const { maxUnavailable } = set.spec.updateStrategy?.rollingUpdate ?? {};
  if (wanted === undefined || wanted === "1" || maxUnavailable !== undefined) return [];
  const message =
    `the API server dropped maxUnavailable: ${wanted} of StatefulSet ${set.metadata.name}, since its feature gate ` +
    "MaxUnavailableStatefulSet is off: Kubernetes' own controller replaces one pod at a time. Turn the gate on, " +
    "or let Lockstep run StatefulSets (--statefulset-mode full)";
  return [{ reason: "FieldDropped", message }];
}

function metadataOf(place: RolePlace, desired: DesiredWorkload) {
  const { revision, maxUnavailable, pairedBy, ahead } = desired;
  const metadata = workloadMetadata(place, revision);
  const annotations = {
    ...metadata.annotations,
    [maxUnavailableAnnotation]: String(maxUnavailable),
    [annotationKeys.podRevision]: `${revision} ${pairedBy}`,
    ...(ahead.length === 0 ? {} : { [aheadAnnotation]: ahead.join(",") }),
  };
  return { ...metadata, annotations };
}

function buildSet(place: RolePlace, desired: DesiredWorkload): StatefulSet {
  const { group, role } = place;
  const { name = "" } = group.metadata;
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: metadataOf(place, desired),
    spec: {
      replicas: role.replicas,
      selector: { matchLabels: selectorOf(group, role.name) },
      serviceName: serviceName(name, role.name),
      // Pods of a role do not wait for each other: the coordination says who is next.
      podManagementPolicy: "Parallel",
      template: desired.templateOf(desired.revision) ?? {},
      updateStrategy: strategyOf(desired),
      ...(role.minReadySeconds === 0 ? {} : { minReadySeconds: role.minReadySeconds }),
    },
  };
}

const strategyOf = ({ cursor, maxUnavailable }: DesiredWorkload) => ({
  type: "RollingUpdate" as const,
  rollingUpdate: { partition: cursor, maxUnavailable },
});

/** A new template and its closed cursor are one write; otherwise only what differs is written. */
function changes(
  place: RolePlace,
  set: StatefulSet,
  desired: DesiredWorkload,
): readonly WritePlan[] {
  const { role } = place;
  const metadata = metadataOf(place, desired);
  if (templateRevisionOf(set, place) !== desired.revision) return [replaced(place, set, desired)];
  const { partition = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const isSame =
    set.spec.replicas === role.replicas &&
    partition === desired.cursor &&
    (set.spec.minReadySeconds ?? 0) === role.minReadySeconds &&
    hasMetadata(set, metadata) &&
    (desired.ahead.length > 0 || set.metadata.annotations?.[aheadAnnotation] === undefined);
  if (isSame) return [];
  const areLabelsSame = includesJson(set.metadata.labels, metadata.labels);
  return [
    patchOf(statefulSetResource, set, {
      patch: { type: "json", operations: operationsOf(place, set, desired) },
      // Whatever changed its spec arrives by the watch. What a server refuses of labels has to be seen.
      ifChanged: areLabelsSame ? "skip" : "fail",
      ifGone: "skip",
    }),
  ];
}

/**
 * Tests the generation instead of the version: its controller writes its status at any moment, but a cursor must never
 * be written for another template than the one it was computed for.
 */
function operationsOf(
  place: RolePlace,
  set: StatefulSet,
  desired: DesiredWorkload,
): readonly unknown[] {
  const { role } = place;
  const { uid, generation } = set.metadata;
  const { labels, annotations } = ownMetadata(place, set, desired);
  const add = (path: string, value: unknown) => ({ op: "add", path, value });
  return [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/generation", value: generation },
    add("/metadata/labels", labels),
    add("/metadata/annotations", annotations),
    add("/spec/replicas", role.replicas),
    add("/spec/minReadySeconds", role.minReadySeconds),
    add("/spec/updateStrategy", strategyOf(desired)),
  ];
}

function replaced(place: RolePlace, set: StatefulSet, desired: DesiredWorkload): WritePlan {
  const { spec } = buildSet(place, desired);
  return updateOf(statefulSetResource, {
    ...set,
    metadata: ownMetadata(place, set, desired),
    // What the server never lets change stays as it is.
    spec: { ...set.spec, ...spec, selector: set.spec.selector, serviceName: set.spec.serviceName },
  });
}

/** Pods that went ahead in an earlier update have no say in this one. */
function ownMetadata(place: RolePlace, set: StatefulSet, desired: DesiredWorkload) {
  const { annotations: { [aheadAnnotation]: _old, ...others } = {}, ...metadata } = set.metadata;
  const kept = { ...set, metadata: { ...metadata, annotations: others } };
  return withMetadata(kept, metadataOf(place, desired));
}
