/** RoleBasedGroupScalingAdapter: gives one role of a group a scale subresource, for an autoscaler to use. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { scalingAdapterSpec, scalingAdapterStatus } from "./schema/scaling-adapter.ts";

export const scalingAdapterResource: Resource = {
  group: "workloads.x-k8s.io",
  version: "v1alpha1",
  plural: "rolebasedgroupscalingadapters",
  kind: "RoleBasedGroupScalingAdapter",
  namespaced: true,
};

export type ScalingAdapterSpec = DeepReadonly<z.input<typeof scalingAdapterSpec>>;
export type ScalingAdapterStatus = DeepReadonly<z.input<typeof scalingAdapterStatus>>;

export interface ScalingAdapter extends KubeObject {
  readonly spec: ScalingAdapterSpec;
  readonly status?: ScalingAdapterStatus;
}
