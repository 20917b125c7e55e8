/** The kinds of apps/v1 that controllers read and write. */
import type { LabelSelector } from "./label-selector.ts";
import type { KubeObject, ObjectMeta } from "./object.ts";
import type { PodSpec } from "./pod.ts";
import type { Resource } from "./resource.ts";
import type { VolumeClaim } from "./volume-claim.ts";

export interface PodTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec?: PodSpec;
}

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface StatefulSetSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplate;
  serviceName?: string;
  volumeClaimTemplates?: VolumeClaim[];
  podManagementPolicy?: "OrderedReady" | "Parallel";
  updateStrategy?: {
    type?: "RollingUpdate" | "OnDelete";
    rollingUpdate?: { partition?: number; maxUnavailable?: number | string };
  };
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  ordinals?: { start?: number };
  persistentVolumeClaimRetentionPolicy?: {
    whenDeleted?: "Retain" | "Delete";
    whenScaled?: "Retain" | "Delete";
  };
}

export interface StatefulSetStatus {
  observedGeneration?: number;
  replicas: number;
  readyReplicas?: number;
  availableReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: readonly Condition[];
}

export interface StatefulSet extends KubeObject {
  spec: StatefulSetSpec;
  status?: StatefulSetStatus;
}

export interface ControllerRevision extends KubeObject {
  data?: unknown;
  revision: number;
}

export const statefulSetResource: Resource = {
  group: "apps",
  version: "v1",
  plural: "statefulsets",
  kind: "StatefulSet",
  namespaced: true,
};

export const controllerRevisionResource: Resource = {
  group: "apps",
  version: "v1",
  plural: "controllerrevisions",
  kind: "ControllerRevision",
  namespaced: true,
  // Its data: the server refuses a change of it, and Kubernetes' own controllers look for theirs by it.
  isKeptAsBytes: true,
};
