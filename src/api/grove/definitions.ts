/** The kinds of grove.io and scheduler.grove.io as custom resource definitions describe them. */
import type { CustomKind, PrinterColumn, ScalePaths } from "../definition/custom-kind.ts";
import { clusterTopologyBindingResource } from "./cluster-topology.ts";
import { podCliqueResource } from "./podclique.ts";
import { podCliqueSetResource } from "./podcliqueset.ts";
import { podGangResource } from "./podgang.ts";
import { scalingGroupResource } from "./scaling-group.ts";
import { clusterTopologySpec, clusterTopologyStatus } from "./schema/cluster-topology.ts";
import { podCliqueSpec, podCliqueStatus } from "./schema/podclique.ts";
import { podCliqueSetSpec, podCliqueSetStatus } from "./schema/podcliqueset.ts";
import { podGangSpec, podGangStatus } from "./schema/podgang.ts";
import { setRules } from "./schema/template-rules.ts";
import { scalingGroupSpec, scalingGroupStatus } from "./schema/scaling-group.ts";

const categories = ["grove", "lockstep"];

const integer = (name: string, jsonPath: string, priority?: number): PrinterColumn => ({
  name,
  type: "integer",
  jsonPath,
  ...(priority === undefined ? {} : { priority }),
});

const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

const minBreached: PrinterColumn = {
  name: "MinBreached",
  type: "string",
  jsonPath: '.status.conditions[?(@.type=="MinAvailableBreached")].status',
  priority: 1,
};

/** What it does, and whether it needs a person. */
const rollout: readonly PrinterColumn[] = [
  {
    name: "State",
    type: "string",
    jsonPath: '.status.conditions[?(@.type=="Progressing")].reason',
  },
  {
    name: "Stalled",
    type: "string",
    jsonPath: '.status.conditions[?(@.type=="Stalled")].status',
  },
];

const scaledBy = (labelSelectorPath: string): ScalePaths => ({
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath,
});

const podCliqueSet: CustomKind = {
  resource: podCliqueSetResource,
  description: "Replicas of a whole serving graph, placed as gangs and rolled by one strategy.",
  shortNames: ["pcs"],
  categories,
  columns: [
    integer("Replicas", ".spec.replicas"),
    integer("Available", ".status.availableReplicas"),
    integer("Updated", ".status.updatedReplicas"),
    integer("PCLQs-Updated", ".status.updateProgress.updatedPodCliquesCount"),
    integer("PCLQs-Total", ".status.updateProgress.totalPodCliquesCount"),
    integer("PCSGs-Updated", ".status.updateProgress.updatedPodCliqueScalingGroupsCount"),
    integer("PCSGs-Total", ".status.updateProgress.totalPodCliqueScalingGroupsCount"),
    ...rollout,
    age,
  ],
  spec: podCliqueSetSpec,
  status: podCliqueSetStatus,
  scale: scaledBy(".status.hpaPodSelector"),
  rules: setRules,
};

const scalingGroup: CustomKind = {
  resource: scalingGroupResource,
  description: "Cliques of one replica that are scaled and replaced together.",
  shortNames: ["pcsg"],
  categories,
  columns: [
    integer("MinAvail", ".spec.minAvailable"),
    integer("Replicas", ".spec.replicas"),
    integer("Available", ".status.availableReplicas"),
    integer("Scheduled", ".status.scheduledReplicas"),
    integer("Updated", ".status.updatedReplicas"),
    integer("PCLQs-Updated", ".status.updateProgress.updatedPodCliquesCount"),
    integer("PCLQs-Total", ".status.updateProgress.totalPodCliquesCount"),
    minBreached,
    ...rollout,
    age,
  ],
  spec: scalingGroupSpec,
  status: scalingGroupStatus,
  scale: scaledBy(".status.selector"),
};

const podClique: CustomKind = {
  resource: podCliqueResource,
  description:
    "The pods of one role in one replica. One that hangs in Terminating waits for an operator that is gone: run " +
    "lockstep uninstall, or lockstep uninstall -n NAMESPACE.",
  shortNames: ["pclq"],
  categories,
  columns: [
    integer("MinAvail", ".spec.minAvailable"),
    integer("Replicas", ".spec.replicas"),
    integer("Ready", ".status.readyReplicas"),
    integer("Scheduled", ".status.scheduledReplicas"),
    integer("Updated", ".status.updatedReplicas"),
    integer("Gated", ".status.scheduleGatedReplicas", 1),
    minBreached,
    ...rollout,
    age,
  ],
  spec: podCliqueSpec,
  status: podCliqueStatus,
  scale: scaledBy(".status.hpaPodSelector"),
};

const podGang: CustomKind = {
  resource: podGangResource,
  description: "Pods that the scheduler places all at once or not at all.",
  shortNames: ["pg"],
  categories,
  columns: [{ name: "Phase", type: "string", jsonPath: ".status.phase" }, age],
  spec: podGangSpec,
  status: podGangStatus,
};

const clusterTopologyBinding: CustomKind = {
  resource: clusterTopologyBindingResource,
  description: "Names for the levels of a cluster's topology, broadest first.",
  shortNames: ["ct"],
  categories,
  columns: [{ name: "Domains", type: "string", jsonPath: ".spec.levels[*].domain" }, age],
  spec: clusterTopologySpec,
  status: clusterTopologyStatus,
};

export const groveKinds: readonly CustomKind[] = [
  podCliqueSet,
  scalingGroup,
  podClique,
  podGang,
  clusterTopologyBinding,
];
