/** The core kinds that controllers read and write, as far as they look into them. */
import type { KubeObject, ObjectMeta } from "./object.ts";
import type { Resource } from "./resource.ts";

export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  [other: string]: unknown;
}

export interface Volume {
  name: string;
  persistentVolumeClaim?: { claimName: string };
  [source: string]: unknown;
}

export interface PodSpec {
  volumes?: Volume[];
  containers?: { name: string; image?: string; [field: string]: unknown }[];
  nodeName?: string;
  hostname?: string;
  subdomain?: string;
  [field: string]: unknown;
}

export interface PodTemplate {
  metadata?: ObjectMeta;
  spec?: PodSpec;
}

export interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    terminated?: { reason?: string; exitCode?: number };
    running?: { startedAt?: string };
  };
  [field: string]: unknown;
}

export interface PodStatus {
  phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  conditions?: Condition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  [field: string]: unknown;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PersistentVolumeClaim extends KubeObject {
  spec?: Record<string, unknown>;
}

export const pods: Resource = {
  group: "",
  version: "v1",
  plural: "pods",
  kind: "Pod",
  namespaced: true,
};

export const persistentVolumeClaims: Resource = {
  group: "",
  version: "v1",
  plural: "persistentvolumeclaims",
  kind: "PersistentVolumeClaim",
  namespaced: true,
};

export const nodes: Resource = {
  group: "",
  version: "v1",
  plural: "nodes",
  kind: "Node",
  namespaced: false,
};
