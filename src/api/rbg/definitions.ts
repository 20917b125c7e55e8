/** The kinds of workloads.x-k8s.io as custom resource definitions describe them. */
import type { CustomKind, PrinterColumn } from "../definition/custom-kind.ts";
import { roleBasedGroupResource } from "./rolebasedgroup.ts";
import { roleBasedGroupSetResource } from "./rolebasedgroupset.ts";
import { scalingAdapterResource } from "./scaling-adapter.ts";
import { nameRules, setNameRules } from "./schema/group-rules.ts";
import { groupSpec, groupStatus } from "./schema/rolebasedgroup.ts";
import { groupSetSpec, groupSetStatus } from "./schema/rolebasedgroupset.ts";
import { scalingAdapterSpec, scalingAdapterStatus } from "./schema/scaling-adapter.ts";

const categories = ["lockstep"];

const integer = (name: string, jsonPath: string): PrinterColumn => ({
  name,
  type: "integer",
  jsonPath,
});

const condition = (name: string, type: string, field = "status"): PrinterColumn => ({
  name,
  type: "string",
  jsonPath: `.status.conditions[?(@.type=="${type}")].${field}`,
});

const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

const roleBasedGroup: CustomKind = {
  resource: roleBasedGroupResource,
  description: "Roles of one service, each with a workload of its own, that change together.",
  shortNames: ["rbg"],
  categories,
  columns: [
    condition("Ready", "Ready"),
    condition("Rollout", "Progressing", "reason"),
    condition("Stalled", "Stalled"),
    age,
  ],
  spec: groupSpec,
  status: groupStatus,
  rules: nameRules,
};

const roleBasedGroupSet: CustomKind = {
  resource: roleBasedGroupSetResource,
  description: "A number of RoleBasedGroups made from one template.",
  shortNames: ["rbgs"],
  categories,
  columns: [
    integer("Desired", ".spec.replicas"),
    integer("Replicas", ".status.replicas"),
    integer("Ready", ".status.readyReplicas"),
    condition("Stalled", "Stalled"),
    age,
  ],
  spec: groupSetSpec,
  status: groupSetStatus,
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
  },
  rules: setNameRules,
};

const scalingAdapter: CustomKind = {
  resource: scalingAdapterResource,
  description: "Lets an autoscaler scale one role of a RoleBasedGroup.",
  shortNames: ["rbgsa"],
  categories,
  columns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    integer("Replicas", ".status.replicas"),
    integer("Ready", ".status.readyReplicas"),
    age,
  ],
  spec: scalingAdapterSpec,
  status: scalingAdapterStatus,
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
};

export const rbgKinds: readonly CustomKind[] = [roleBasedGroup, roleBasedGroupSet, scalingAdapter];
