/** The kinds of Open Cluster Management as custom resource definitions describe them. */
import type { CustomKind, PrinterColumn } from "../definition/custom-kind.ts";
import { clusterManagementAddOnResource, managedClusterAddOnResource } from "./addon.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
  placementScoreResource,
} from "./managed-cluster.ts";
import { placementDecisionResource, placementResource } from "./placement.ts";
import {
  clusterManagementAddOnSpec,
  clusterManagementAddOnStatus,
  managedClusterAddOnSpec,
  managedClusterAddOnStatus,
} from "./schema/addon.ts";
import {
  clusterSetBindingSpec,
  clusterSetBindingStatus,
  clusterSetSpec,
  clusterSetStatus,
  managedClusterSpec,
  managedClusterStatus,
  placementScoreStatus,
} from "./schema/managed-cluster.ts";
import { placementDecisionStatus, placementSpec, placementStatus } from "./schema/placement.ts";

const categories = ["ocm", "lockstep"];
const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

const text = (name: string, jsonPath: string): PrinterColumn => ({
  name,
  type: "string",
  jsonPath,
});

const condition = (name: string, type: string, field = "status"): PrinterColumn =>
  text(name, `.status.conditions[?(@.type=="${type}")].${field}`);

const placement: CustomKind = {
  resource: placementResource,
  description: "Selects clusters of a fleet; PlacementDecisions list them.",
  shortNames: ["plc"],
  categories,
  columns: [
    condition("Succeeded", "PlacementSatisfied"),
    condition("Reason", "PlacementSatisfied", "reason"),
    {
      name: "SelectedClusters",
      type: "integer",
      jsonPath: ".status.numberOfSelectedClusters",
    },
    condition("Stalled", "Stalled"),
  ],
  spec: placementSpec,
  status: placementStatus,
};

const placementDecision: CustomKind = {
  resource: placementDecisionResource,
  description: "Up to a hundred clusters that a Placement selected.",
  shortNames: [],
  categories,
  columns: [],
  status: placementDecisionStatus,
};

const managedCluster: CustomKind = {
  resource: managedClusterResource,
  description: "A cluster of the fleet.",
  shortNames: ["mcl", "mcls"],
  categories,
  columns: [
    { name: "Hub Accepted", type: "boolean", jsonPath: ".spec.hubAcceptsClient" },
    text("Managed Cluster URLs", ".spec.managedClusterClientConfigs[*].url"),
    condition("Joined", "ManagedClusterJoined"),
    condition("Available", "ManagedClusterConditionAvailable"),
    age,
  ],
  spec: managedClusterSpec,
  isSpecOptional: true,
  status: managedClusterStatus,
};

const clusterSet: CustomKind = {
  resource: clusterSetResource,
  description: "Clusters that Placements select from together.",
  shortNames: ["mclset", "mclsets"],
  categories,
  columns: [condition("Empty", "ClusterSetEmpty"), age],
  spec: clusterSetSpec,
  status: clusterSetStatus,
};

const clusterSetBinding: CustomKind = {
  resource: clusterSetBindingResource,
  description: "Lets the Placements of a namespace select from a ManagedClusterSet.",
  shortNames: ["mclsetbinding", "mclsetbindings"],
  categories,
  columns: [],
  spec: clusterSetBindingSpec,
  isSpecOptional: true,
  status: clusterSetBindingStatus,
};

const placementScore: CustomKind = {
  resource: placementScoreResource,
  description: "Scores of one cluster that an add-on publishes for Placements to rank by.",
  shortNames: [],
  categories,
  columns: [],
  status: placementScoreStatus,
};

const clusterManagementAddOn: CustomKind = {
  resource: clusterManagementAddOnResource,
  description: "An add-on and the Placements on whose clusters it is installed.",
  shortNames: ["cma"],
  categories,
  columns: [
    text("DISPLAY NAME", ".spec.addOnMeta.displayName"),
    { name: "Selected", type: "integer", jsonPath: ".status.selectedClusters" },
    { name: "Installed", type: "integer", jsonPath: ".status.installedAddOns" },
    { name: "Available", type: "integer", jsonPath: ".status.availableAddOns" },
    condition("Stalled", "Stalled"),
  ],
  spec: clusterManagementAddOnSpec,
  isSpecOptional: true,
  status: clusterManagementAddOnStatus,
};

const managedClusterAddOn: CustomKind = {
  resource: managedClusterAddOnResource,
  description: "An add-on on one cluster.",
  shortNames: ["mca"],
  categories,
  columns: [
    condition("Available", "Available"),
    condition("Degraded", "Degraded"),
    condition("Progressing", "Progressing"),
  ],
  spec: managedClusterAddOnSpec,
  status: managedClusterAddOnStatus,
};

/** What scheduling reads and writes. */
export const placementKinds: readonly CustomKind[] = [
  placement,
  placementDecision,
  managedCluster,
  clusterSet,
  clusterSetBinding,
  placementScore,
];

/** What installing add-ons needs besides. */
export const addOnKinds: readonly CustomKind[] = [clusterManagementAddOn, managedClusterAddOn];
