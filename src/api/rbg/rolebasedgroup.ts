/** RoleBasedGroup: roles of one service, each with a workload of its own, that change together. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { groupSpec, groupStatus } from "./schema/rolebasedgroup.ts";

export const roleBasedGroupResource: Resource = {
  group: "workloads.x-k8s.io",
  version: "v1alpha1",
  plural: "rolebasedgroups",
  kind: "RoleBasedGroup",
  namespaced: true,
};

export type RoleBasedGroupSpec = DeepReadonly<z.input<typeof groupSpec>>;
export type RoleBasedGroupStatus = DeepReadonly<z.input<typeof groupStatus>>;

export interface RoleBasedGroup extends KubeObject {
  readonly spec: RoleBasedGroupSpec;
  readonly status?: RoleBasedGroupStatus;
}

export type RoleSpec = RoleBasedGroupSpec["roles"][number];
export type RoleTemplate = NonNullable<RoleBasedGroupSpec["roleTemplates"]>[number];
export type WrittenCoordination = NonNullable<RoleBasedGroupSpec["coordination"]>[number];
export type PodGroupPolicy = NonNullable<RoleBasedGroupSpec["podGroupPolicy"]>;
export type RoleStatus = NonNullable<RoleBasedGroupStatus["roleStatuses"]>[number];
export type CoordinationState = NonNullable<RoleBasedGroupStatus["coordinationState"]>[number];
export type RestartRecord = NonNullable<RoleBasedGroupStatus["restarts"]>[number];
