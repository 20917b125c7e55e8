/** Nodes, read-only. */
import type { INodeCondition } from "kubernetes-models/v1/NodeCondition";
import type { INodeSpec } from "kubernetes-models/v1/NodeSpec";
import type { INodeStatus } from "kubernetes-models/v1/NodeStatus";
import type { ITaint } from "kubernetes-models/v1/Taint";
import type { DeepReadonly } from "./deep-readonly.ts";
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

export const nodeResource: Resource = {
  group: "",
  version: "v1",
  plural: "nodes",
  kind: "Node",
  namespaced: false,
};

export type Taint = DeepReadonly<ITaint>;
export type NodeCondition = DeepReadonly<INodeCondition>;

export interface Node extends KubeObject {
  readonly spec?: DeepReadonly<INodeSpec>;
  readonly status?: DeepReadonly<INodeStatus>;
}
