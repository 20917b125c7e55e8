/** Nodes as far as Lockstep reads and writes them. */
import type { KubeObject } from "./object.ts";
import type { ResourceAmounts } from "./pod.ts";
import type { Resource } from "./resource.ts";

export const nodeResource: Resource = {
  group: "",
  version: "v1",
  plural: "nodes",
  kind: "Node",
  namespaced: false,
};

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
  readonly timeAdded?: string;
}

export interface NodeCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}

export interface Node extends KubeObject {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
    readonly podCIDR?: string;
    readonly [other: string]: unknown;
  };
  readonly status?: {
    readonly capacity?: ResourceAmounts;
    readonly allocatable?: ResourceAmounts;
    readonly conditions?: readonly NodeCondition[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly [other: string]: unknown;
  };
}
