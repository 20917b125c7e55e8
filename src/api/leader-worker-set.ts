/** LeaderWorkerSet, as far as roles need it: groups of one leader and its workers, replaced as a whole. */
import type { PodTemplate } from "./apps.ts";
import type { IntOrPercent } from "./int-or-percent.ts";
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

export const leaderWorkerSetResource: Resource = {
  group: "leaderworkerset.x-k8s.io",
  version: "v1",
  plural: "leaderworkersets",
  kind: "LeaderWorkerSet",
  namespaced: true,
};

/** On pods, set by its controller: the number of the group that the pod belongs to, and its number in it. */
export const leaderWorkerSetLabels = {
  groupIndex: "leaderworkerset.sigs.k8s.io/group-index",
  workerIndex: "leaderworkerset.sigs.k8s.io/worker-index",
} as const;

export interface LeaderWorkerSetSpec {
  readonly replicas?: number;
  readonly leaderWorkerTemplate: {
    readonly size?: number;
    readonly restartPolicy?: string;
    readonly leaderTemplate?: PodTemplate;
    readonly workerTemplate: PodTemplate;
  };
  readonly rolloutStrategy?: {
    readonly type?: string;
    readonly rollingUpdateConfiguration?: {
      readonly partition?: number;
      readonly maxUnavailable?: IntOrPercent;
      readonly maxSurge?: IntOrPercent;
    };
  };
}

export interface LeaderWorkerSet extends KubeObject {
  readonly spec: LeaderWorkerSetSpec;
}
