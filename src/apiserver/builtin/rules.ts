/** The rules of every built-in kind, by the name of its resource; with a version where that has rules of its own. */
import type { KindRules } from "../served-resource.ts";
import { autoscalerV1Rules } from "./autoscaler-v1.ts";
import { autoscalerRules } from "./autoscaler.ts";
import { namespaceRules, nodeRules, serviceAccountRules } from "./cluster-kinds.ts";
import { configMapRules, secretRules } from "./config-data.ts";
import { controllerRevisionRules } from "./controller-revision.ts";
import { deploymentRules, replicaSetRules } from "./deployment.ts";
import { coreEventRules, eventRules } from "./event.ts";
import { podRules } from "./pod.ts";
import { disruptionBudgetRules, leaseRules, priorityClassRules } from "./policy-kinds.ts";
import { clusterRoleBindingRules, clusterRoleRules, roleBindingRules, roleRules } from "./rbac.ts";
import { deviceClaimRules, deviceClaimTemplateRules } from "./device-claim.ts";
import { serviceRules } from "./service.ts";
import { statefulSetRules } from "./stateful-set.ts";
import { volumeClaimRules } from "./volume-claim.ts";

export const builtinRules: ReadonlyMap<string, KindRules> = new Map([
  ["clusterrolebindings.rbac.authorization.k8s.io", clusterRoleBindingRules],
  ["clusterroles.rbac.authorization.k8s.io", clusterRoleRules],
  ["configmaps", configMapRules],
  ["controllerrevisions.apps", controllerRevisionRules],
  ["deployments.apps", deploymentRules],
  ["events", coreEventRules],
  ["events.events.k8s.io", eventRules],
  ["horizontalpodautoscalers.autoscaling", autoscalerRules],
  ["horizontalpodautoscalers.autoscaling/v1", autoscalerV1Rules],
  ["leases.coordination.k8s.io", leaseRules],
  ["namespaces", namespaceRules],
  ["nodes", nodeRules],
  ["persistentvolumeclaims", volumeClaimRules],
  ["poddisruptionbudgets.policy", disruptionBudgetRules],
  ["pods", podRules],
  ["priorityclasses.scheduling.k8s.io", priorityClassRules],
  ["replicasets.apps", replicaSetRules],
  ["resourceclaims.resource.k8s.io", deviceClaimRules],
  ["resourceclaimtemplates.resource.k8s.io", deviceClaimTemplateRules],
  ["rolebindings.rbac.authorization.k8s.io", roleBindingRules],
  ["roles.rbac.authorization.k8s.io", roleRules],
  ["secrets", secretRules],
  ["serviceaccounts", serviceAccountRules],
  ["services", serviceRules],
  ["statefulsets.apps", statefulSetRules],
]);
