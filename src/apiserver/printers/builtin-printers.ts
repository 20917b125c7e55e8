/** The table of each built-in kind. */
import type { TablePrinter } from "../served-resource.ts";
import { roleBindingPrinter } from "./access-printers.ts";
import { autoscalerPrinter } from "./autoscaler-printer.ts";
import {
  configMapPrinter,
  eventPrinter,
  leasePrinter,
  namespacePrinter,
  nodePrinter,
  plainPrinter,
  priorityClassPrinter,
  secretPrinter,
  serviceAccountPrinter,
} from "./core-printers.ts";
import { endpointsPrinter, servicePrinter } from "./network-printers.ts";
import { podPrinter } from "./pod-printer.ts";
import { deviceClaimPrinter, deviceClaimTemplatePrinter } from "./device-claim-printers.ts";
import { claimPrinter, volumePrinter } from "./storage-printers.ts";
import {
  controllerRevisionPrinter,
  deploymentPrinter,
  disruptionBudgetPrinter,
  replicaSetPrinter,
  statefulSetPrinter,
} from "./workload-printers.ts";

const printers: Readonly<Record<string, TablePrinter>> = {
  ClusterRoleBinding: roleBindingPrinter,
  ConfigMap: configMapPrinter,
  ControllerRevision: controllerRevisionPrinter,
  Deployment: deploymentPrinter,
  Endpoints: endpointsPrinter,
  Event: eventPrinter,
  HorizontalPodAutoscaler: autoscalerPrinter,
  Lease: leasePrinter,
  Namespace: namespacePrinter,
  Node: nodePrinter,
  PersistentVolume: volumePrinter,
  PersistentVolumeClaim: claimPrinter,
  Pod: podPrinter,
  PodDisruptionBudget: disruptionBudgetPrinter,
  PriorityClass: priorityClassPrinter,
  ReplicaSet: replicaSetPrinter,
  ResourceClaim: deviceClaimPrinter,
  ResourceClaimTemplate: deviceClaimTemplatePrinter,
  RoleBinding: roleBindingPrinter,
  Secret: secretPrinter,
  Service: servicePrinter,
  ServiceAccount: serviceAccountPrinter,
  StatefulSet: statefulSetPrinter,
};

/** The table of a built-in kind; versions of a kind share it. Kinds without one show name and creation time. */
export function printerOf(kind: string): TablePrinter {
  return printers[kind] ?? plainPrinter;
}
