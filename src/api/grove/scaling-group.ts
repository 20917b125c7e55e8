/** PodCliqueScalingGroup: cliques that are scaled and replaced together. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { scalingGroupSpec, scalingGroupStatus } from "./schema/scaling-group.ts";

export const scalingGroupResource: Resource = {
  group: "grove.io",
  version: "v1alpha1",
  plural: "podcliquescalinggroups",
  kind: "PodCliqueScalingGroup",
  namespaced: true,
};

export type ScalingGroupSpec = DeepReadonly<z.input<typeof scalingGroupSpec>>;
export type ScalingGroupStatus = DeepReadonly<z.input<typeof scalingGroupStatus>>;
export type ScalingGroupUpdateProgress = NonNullable<ScalingGroupStatus["updateProgress"]>;

export interface PodCliqueScalingGroup extends KubeObject {
  readonly spec: ScalingGroupSpec;
  readonly status?: ScalingGroupStatus;
}
