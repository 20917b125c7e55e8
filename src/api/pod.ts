/** Pods: the types of Kubernetes, read-only, and the questions that controllers ask about a pod. */
import type { IContainer } from "kubernetes-models/v1/Container";
import type { IContainerState } from "kubernetes-models/v1/ContainerState";
import type { IContainerStateTerminated } from "kubernetes-models/v1/ContainerStateTerminated";
import type { IContainerStatus } from "kubernetes-models/v1/ContainerStatus";
import type { INodeAffinity } from "kubernetes-models/v1/NodeAffinity";
import type { INodeSelectorRequirement } from "kubernetes-models/v1/NodeSelectorRequirement";
import type { INodeSelectorTerm } from "kubernetes-models/v1/NodeSelectorTerm";
import type { IPodAffinity } from "kubernetes-models/v1/PodAffinity";
import type { IPodAffinityTerm } from "kubernetes-models/v1/PodAffinityTerm";
import type { IPodCondition } from "kubernetes-models/v1/PodCondition";
import type { IPodSpec } from "kubernetes-models/v1/PodSpec";
import type { IPodStatus } from "kubernetes-models/v1/PodStatus";
import type { IProbe } from "kubernetes-models/v1/Probe";
import type { IToleration } from "kubernetes-models/v1/Toleration";
import type { ITopologySpreadConstraint } from "kubernetes-models/v1/TopologySpreadConstraint";
import type { IVolume } from "kubernetes-models/v1/Volume";
import type { DeepReadonly } from "./deep-readonly.ts";
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

export const podResource: Resource = {
  group: "",
  version: "v1",
  plural: "pods",
  kind: "Pod",
  namespaced: true,
};

/** The labels of a pod that has an ordinal: its own name, to be selected by, and the ordinal. */
export const podNameLabel = "statefulset.kubernetes.io/pod-name";
export const podIndexLabel = "apps.kubernetes.io/pod-index";

export type ResourceAmounts = Readonly<Record<string, string | number>>;
export type Probe = DeepReadonly<IProbe>;
export type Container = DeepReadonly<IContainer>;
export type Toleration = DeepReadonly<IToleration>;
export type NodeSelectorRequirement = DeepReadonly<INodeSelectorRequirement>;
export type NodeSelectorTerm = DeepReadonly<INodeSelectorTerm>;
export type PodAffinityTerm = DeepReadonly<IPodAffinityTerm>;
export type PodAffinity = DeepReadonly<IPodAffinity>;
export type NodeAffinity = DeepReadonly<INodeAffinity>;
export type TopologySpreadConstraint = DeepReadonly<ITopologySpreadConstraint>;
export type PodSpec = DeepReadonly<IPodSpec>;
/** The kubelet writes null where it has not probed. */
export type PodCondition = DeepReadonly<Omit<IPodCondition, "lastProbeTime">> & {
  readonly lastProbeTime?: string | null;
};
export type TerminatedState = DeepReadonly<IContainerStateTerminated>;
export type ContainerState = DeepReadonly<IContainerState>;
export type ContainerStatus = DeepReadonly<IContainerStatus>;
export type PodStatus = DeepReadonly<Omit<IPodStatus, "conditions">> & {
  readonly conditions?: readonly PodCondition[];
};
export type PodPhase = NonNullable<PodStatus["phase"]>;
export type Volume = DeepReadonly<IVolume>;

export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

/** Finished for good: its containers have exited and will not be started again. */
export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export function isReady(pod: Pod): boolean {
  return podCondition(pod, "Ready")?.status === "True";
}
