/** The built-in kinds by the names under which they are served. */
import type { ScalePaths } from "../served-resource.ts";

export interface CatalogueRow {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly string[];
  readonly scale?: ScalePaths;
  readonly deletesCollections?: boolean;
  /** Selectable fields by their path; a second path counts where the first is empty. */
  readonly selectable: readonly string[];
  readonly indexed: readonly string[];
}

type Extras = Partial<Omit<CatalogueRow, "group" | "version" | "kind" | "plural">>;

function row(apiVersion: string, kind: string, plural: string, extras: Extras = {}): CatalogueRow {
  const [first = "", second] = apiVersion.split("/");
  return {
    group: second === undefined ? "" : first,
    version: second ?? first,
    kind,
    plural,
    namespaced: true,
    shortNames: [],
    categories: [],
    subresources: [],
    selectable: [],
    indexed: [],
    ...extras,
  };
}

const cluster = { namespaced: false };
const status = { subresources: ["status"] };
const everything = { categories: ["all"] };
const scale: ScalePaths = {
  specReplicas: ".spec.replicas",
  statusReplicas: ".status.replicas",
  labelSelector: ".spec.selector",
};
const scalable = { ...everything, subresources: ["status", "scale"], scale };

const podFields = [
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.serviceAccountName",
  "spec.hostNetwork",
  "status.phase",
  "status.podIP",
  "status.nominatedNodeName",
];

const eventFields = [
  "involvedObject.kind",
  "involvedObject.namespace",
  "involvedObject.name",
  "involvedObject.uid",
  "involvedObject.apiVersion",
  "involvedObject.resourceVersion",
  "involvedObject.fieldPath",
  "reason",
  "reportingComponent",
  "source",
  "type",
];

const coreRows = [
  row("v1", "Namespace", "namespaces", {
    ...cluster,
    shortNames: ["ns"],
    subresources: ["finalize", "status"],
    deletesCollections: false,
    selectable: ["status.phase"],
  }),
  row("v1", "Node", "nodes", {
    ...cluster,
    ...status,
    shortNames: ["no"],
    selectable: ["spec.unschedulable"],
  }),
  row("v1", "Pod", "pods", {
    ...everything,
    shortNames: ["po"],
    subresources: ["binding", "status"],
    selectable: podFields,
    indexed: ["spec.nodeName"],
  }),
  row("v1", "Service", "services", {
    ...everything,
    ...status,
    shortNames: ["svc"],
    selectable: ["spec.clusterIP", "spec.type"],
  }),
  row("v1", "ConfigMap", "configmaps", { shortNames: ["cm"] }),
  row("v1", "Secret", "secrets", { selectable: ["type"] }),
  row("v1", "ServiceAccount", "serviceaccounts", { shortNames: ["sa"] }),
  row("v1", "PersistentVolumeClaim", "persistentvolumeclaims", { ...status, shortNames: ["pvc"] }),
  row("v1", "Event", "events", {
    shortNames: ["ev"],
    selectable: eventFields,
    indexed: ["involvedObject.uid"],
  }),
];

const rbac = "rbac.authorization.k8s.io/v1";

export const catalogueRows: readonly CatalogueRow[] = [
  ...coreRows,
  row("events.k8s.io/v1", "Event", "events", { shortNames: ["ev"] }),
  row("apps/v1", "StatefulSet", "statefulsets", { ...scalable, shortNames: ["sts"] }),
  row("apps/v1", "ControllerRevision", "controllerrevisions"),
  row("apps/v1", "Deployment", "deployments", { ...scalable, shortNames: ["deploy"] }),
  row("apps/v1", "ReplicaSet", "replicasets", {
    ...scalable,
    shortNames: ["rs"],
    selectable: ["status.replicas"],
  }),
  row("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", {
    ...status,
    shortNames: ["pdb"],
  }),
  row("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    ...everything,
    ...status,
    shortNames: ["hpa"],
  }),
  row("coordination.k8s.io/v1", "Lease", "leases"),
  row(rbac, "Role", "roles"),
  row(rbac, "RoleBinding", "rolebindings"),
  row(rbac, "ClusterRole", "clusterroles", cluster),
  row(rbac, "ClusterRoleBinding", "clusterrolebindings", cluster),
  row("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", {
    ...cluster,
    shortNames: ["pc"],
  }),
  row("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", {
    ...cluster,
    ...status,
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
  }),
];
