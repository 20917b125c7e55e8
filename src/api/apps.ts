/** The kinds of apps/v1 that controllers read and write. */
import type { IDeploymentSpec } from "kubernetes-models/apps/v1/DeploymentSpec";
import type { IDeploymentStatus } from "kubernetes-models/apps/v1/DeploymentStatus";
import type { IReplicaSetSpec } from "kubernetes-models/apps/v1/ReplicaSetSpec";
import type { IReplicaSetStatus } from "kubernetes-models/apps/v1/ReplicaSetStatus";
import type { IStatefulSetSpec } from "kubernetes-models/apps/v1/StatefulSetSpec";
import type { IStatefulSetStatus } from "kubernetes-models/apps/v1/StatefulSetStatus";
import type { DeepReadonly } from "./deep-readonly.ts";
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
  /** Where the status itself has none: `kubectl wait` and kstatus read either. */
  readonly observedGeneration?: number;
}

export type StatefulSetSpec = DeepReadonly<
  Omit<IStatefulSetSpec, "template" | "volumeClaimTemplates">
> & {
  readonly template: PodTemplate;
  readonly volumeClaimTemplates?: readonly VolumeClaim[];
};

export type StatefulSetStatus = DeepReadonly<Omit<IStatefulSetStatus, "conditions">> & {
  readonly conditions?: readonly Condition[];
};

export interface StatefulSet extends KubeObject {
  readonly spec: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}

export type DeploymentSpec = DeepReadonly<Omit<IDeploymentSpec, "template">> & {
  readonly template: PodTemplate;
};

export interface DeploymentCondition extends Condition {
  readonly lastUpdateTime?: string;
}

export type DeploymentStatus = DeepReadonly<Omit<IDeploymentStatus, "conditions">> & {
  readonly conditions?: readonly DeploymentCondition[];
};

export interface Deployment extends KubeObject {
  readonly spec: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

export type ReplicaSetSpec = DeepReadonly<Omit<IReplicaSetSpec, "template">> & {
  readonly template?: PodTemplate;
};

export type ReplicaSetStatus = DeepReadonly<Omit<IReplicaSetStatus, "conditions">> & {
  readonly conditions?: readonly Condition[];
};

export interface ReplicaSet extends KubeObject {
  readonly spec: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus;
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

export const deploymentResource: Resource = {
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  namespaced: true,
};

export const replicaSetResource: Resource = {
  group: "apps",
  version: "v1",
  plural: "replicasets",
  kind: "ReplicaSet",
  namespaced: true,
};

export const controllerRevisionResource: Resource = {
  group: "apps",
  version: "v1",
  plural: "controllerrevisions",
  kind: "ControllerRevision",
  namespaced: true,
  // The server refuses changes of its data, and Kubernetes' own controllers find theirs by comparing it.
  isKeptAsBytes: true,
};
