/** The built-in resources as a real server lists them: kind, scope, singular, short names, categories, verbs. */

const all = "create,delete,deletecollection,get,list,patch,update,watch";
const part = "get,patch,update";

export const servedResources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  v1: {
    namespaces: "Namespace cluster namespace ns - | create,delete,get,list,patch,update,watch",
    "namespaces/status": `Namespace cluster - - - | ${part}`,
    "namespaces/finalize": "Namespace cluster - - - | update",
    nodes: `Node cluster node no - | ${all}`,
    "nodes/status": `Node cluster - - - | ${part}`,
    pods: `Pod ns pod po all | ${all}`,
    "pods/status": `Pod ns - - - | ${part}`,
    "pods/binding": "Binding ns - - - | create",
    services: `Service ns service svc all | ${all}`,
    "services/status": `Service ns - - - | ${part}`,
    configmaps: `ConfigMap ns configmap cm - | ${all}`,
    secrets: `Secret ns secret - - | ${all}`,
    serviceaccounts: `ServiceAccount ns serviceaccount sa - | ${all}`,
    persistentvolumeclaims: `PersistentVolumeClaim ns persistentvolumeclaim pvc - | ${all}`,
    "persistentvolumeclaims/status": `PersistentVolumeClaim ns - - - | ${part}`,
    events: `Event ns event ev - | ${all}`,
  },
  "apps/v1": {
    statefulsets: `StatefulSet ns statefulset sts all | ${all}`,
    "statefulsets/status": `StatefulSet ns - - - | ${part}`,
    "statefulsets/scale": `Scale ns - - - | ${part}`,
    controllerrevisions: `ControllerRevision ns controllerrevision - - | ${all}`,
    deployments: `Deployment ns deployment deploy all | ${all}`,
    "deployments/status": `Deployment ns - - - | ${part}`,
    "deployments/scale": `Scale ns - - - | ${part}`,
    replicasets: `ReplicaSet ns replicaset rs all | ${all}`,
    "replicasets/status": `ReplicaSet ns - - - | ${part}`,
    "replicasets/scale": `Scale ns - - - | ${part}`,
  },
  "policy/v1": {
    poddisruptionbudgets: `PodDisruptionBudget ns poddisruptionbudget pdb - | ${all}`,
    "poddisruptionbudgets/status": `PodDisruptionBudget ns - - - | ${part}`,
  },
  "autoscaling/v2": {
    horizontalpodautoscalers: `HorizontalPodAutoscaler ns horizontalpodautoscaler hpa all | ${all}`,
    "horizontalpodautoscalers/status": `HorizontalPodAutoscaler ns - - - | ${part}`,
  },
  "autoscaling/v1": {
    horizontalpodautoscalers: `HorizontalPodAutoscaler ns horizontalpodautoscaler hpa all | ${all}`,
    "horizontalpodautoscalers/status": `HorizontalPodAutoscaler ns - - - | ${part}`,
  },
  "coordination.k8s.io/v1": {
    leases: `Lease ns lease - - | ${all}`,
  },
  "rbac.authorization.k8s.io/v1": {
    roles: `Role ns role - - | ${all}`,
    rolebindings: `RoleBinding ns rolebinding - - | ${all}`,
    clusterroles: `ClusterRole cluster clusterrole - - | ${all}`,
    clusterrolebindings: `ClusterRoleBinding cluster clusterrolebinding - - | ${all}`,
  },
  "resource.k8s.io/v1": {
    resourceclaims: `ResourceClaim ns resourceclaim - - | ${all}`,
    "resourceclaims/status": `ResourceClaim ns - - - | ${part}`,
    resourceclaimtemplates: `ResourceClaimTemplate ns resourceclaimtemplate - - | ${all}`,
  },
  "scheduling.k8s.io/v1": {
    priorityclasses: `PriorityClass cluster priorityclass pc - | ${all}`,
  },
  "events.k8s.io/v1": {
    events: `Event ns event ev - | ${all}`,
  },
  "apiextensions.k8s.io/v1": {
    customresourcedefinitions:
      "CustomResourceDefinition cluster customresourcedefinition crd,crds api-extensions | " + all,
    "customresourcedefinitions/status": `CustomResourceDefinition cluster - - - | ${part}`,
  },
};
