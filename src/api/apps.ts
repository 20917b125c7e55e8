/** The kinds of apps/v1 that controllers read and write. */
import type { Condition, PersistentVolumeClaim, PodTemplate } from "./core.ts";
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export interface StatefulSetSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplate;
  serviceName?: string;
  volumeClaimTemplates?: PersistentVolumeClaim[];
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
  conditions?: Condition[];
}

export interface StatefulSet extends KubeObject {
  spec: StatefulSetSpec;
  status?: StatefulSetStatus;
}

export interface ControllerRevision extends KubeObject {
  data?: unknown;
  revision: number;
}

export const statefulSets: Resource = {
  group: "apps",
  version: "v1",
  plural: "statefulsets",
  kind: "StatefulSet",
  namespaced: true,
};

export const controllerRevisions: Resource = {
  group: "apps",
  version: "v1",
  plural: "controllerrevisions",
  kind: "ControllerRevision",
  namespaced: true,
};
