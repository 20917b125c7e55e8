/** The built-in resources as discovery lists them. */
import type { Resource } from "../../api/resource.ts";
import type { ScalePaths } from "../served-resource.ts";

export interface CatalogueEntry extends Resource {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly string[];
  readonly scale?: ScalePaths;
}

interface Traits {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly string[];
  readonly scale?: ScalePaths;
  readonly clusterScoped?: true;
}

const replicas: ScalePaths = {
  specReplicas: ".spec.replicas",
  statusReplicas: ".status.replicas",
  labelSelector: ".spec.selector",
};

function group(
  name: string,
  version: string,
  kinds: Readonly<Record<string, readonly [plural: string, traits: Traits]>>,
): CatalogueEntry[] {
  return Object.entries(kinds).map(([kind, [plural, traits]]) => ({
    group: name,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    namespaced: traits.clusterScoped !== true,
    shortNames: traits.shortNames ?? [],
    categories: traits.categories ?? [],
    subresources: traits.subresources ?? [],
    ...(traits.scale === undefined ? {} : { scale: traits.scale }),
  }));
}

const status = ["status"];
const all = ["all"];
const workload: Traits = { categories: all, subresources: ["scale", "status"], scale: replicas };

export const builtinCatalogue: readonly CatalogueEntry[] = [
  ...group("", "v1", {
    ConfigMap: ["configmaps", { shortNames: ["cm"] }],
    Event: ["events", { shortNames: ["ev"] }],
    Namespace: ["namespaces", { shortNames: ["ns"], subresources: status, clusterScoped: true }],
    Node: ["nodes", { shortNames: ["no"], subresources: status, clusterScoped: true }],
    PersistentVolumeClaim: [
      "persistentvolumeclaims",
      { shortNames: ["pvc"], subresources: status },
    ],
    Pod: [
      "pods",
      {
        shortNames: ["po"],
        categories: all,
        subresources: ["binding", "status"],
      },
    ],
    Secret: ["secrets", {}],
    Service: ["services", { shortNames: ["svc"], categories: all, subresources: status }],
    ServiceAccount: ["serviceaccounts", { shortNames: ["sa"] }],
  }),
  ...group("apps", "v1", {
    ControllerRevision: ["controllerrevisions", {}],
    Deployment: ["deployments", { ...workload, shortNames: ["deploy"] }],
    ReplicaSet: ["replicasets", { ...workload, shortNames: ["rs"] }],
    StatefulSet: ["statefulsets", { ...workload, shortNames: ["sts"] }],
  }),
  ...group("autoscaling", "v2", {
    HorizontalPodAutoscaler: [
      "horizontalpodautoscalers",
      { shortNames: ["hpa"], categories: all, subresources: status },
    ],
  }),
  ...group("autoscaling", "v1", {
    HorizontalPodAutoscaler: [
      "horizontalpodautoscalers",
      { shortNames: ["hpa"], categories: all, subresources: status },
    ],
  }),
  ...group("coordination.k8s.io", "v1", { Lease: ["leases", {}] }),
  ...group("events.k8s.io", "v1", { Event: ["events", { shortNames: ["ev"] }] }),
  ...group("policy", "v1", {
    PodDisruptionBudget: ["poddisruptionbudgets", { shortNames: ["pdb"], subresources: status }],
  }),
  ...group("rbac.authorization.k8s.io", "v1", {
    ClusterRole: ["clusterroles", { clusterScoped: true }],
    ClusterRoleBinding: ["clusterrolebindings", { clusterScoped: true }],
    Role: ["roles", {}],
    RoleBinding: ["rolebindings", {}],
  }),
  ...group("resource.k8s.io", "v1", {
    ResourceClaim: ["resourceclaims", { subresources: status }],
    ResourceClaimTemplate: ["resourceclaimtemplates", {}],
  }),
  ...group("scheduling.k8s.io", "v1", {
    PriorityClass: ["priorityclasses", { shortNames: ["pc"], clusterScoped: true }],
  }),
];
