/** PodCliqueSet: replicas of a whole serving graph, rolled by the strategy in its spec. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { podCliqueSetSpec, podCliqueSetStatus, startupTypes } from "./schema/podcliqueset.ts";

export const podCliqueSetResource: Resource = {
  group: "grove.io",
  version: "v1alpha1",
  plural: "podcliquesets",
  kind: "PodCliqueSet",
  namespaced: true,
};

export type PodCliqueSetSpec = DeepReadonly<z.input<typeof podCliqueSetSpec>>;
export type PodCliqueSetStatus = DeepReadonly<z.input<typeof podCliqueSetStatus>>;
export type PodCliqueSetUpdateProgress = NonNullable<PodCliqueSetStatus["updateProgress"]>;

export interface PodCliqueSet extends KubeObject {
  readonly spec: PodCliqueSetSpec;
  readonly status?: PodCliqueSetStatus;
}

export type PodCliqueSetTemplate = PodCliqueSetSpec["template"];
export type CliqueTemplate = PodCliqueSetTemplate["cliques"][number];
export type ScalingGroupTemplate = NonNullable<
  PodCliqueSetTemplate["podCliqueScalingGroups"]
>[number];
export type CliqueStartupType = (typeof startupTypes)[number];
export type TopologyConstraint = NonNullable<PodCliqueSetTemplate["topologyConstraint"]>;
export type AutoScalingConfig = NonNullable<CliqueTemplate["spec"]["autoScalingConfig"]>;
