/** The RoleBasedGroup controller: its caches and what wakes it up. */
import {
  controllerRevisionResource,
  deploymentResource,
  statefulSetResource,
} from "../../api/apps.ts";
import { configMapResource } from "../../api/config-map.ts";
import { leaderWorkerSetResource } from "../../api/leader-worker-set.ts";
import { podResource } from "../../api/pod.ts";
import { rbgKinds } from "../../api/rbg/definitions.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { scalingAdapterResource } from "../../api/rbg/scaling-adapter.ts";
import { serviceResource } from "../../api/service.ts";
import type { Watch } from "../../runtime/controller.ts";
import { watch } from "../../runtime/controller.ts";
import type { ControlledKind, KindOptions } from "../engine/controlled-kind.ts";
import { controlledKind, kindTools } from "../engine/controlled-kind.ts";
import type { Verb } from "../engine/kind-definition.ts";
import { defineKind, ownerAccess, statusAccess } from "../engine/kind-definition.ts";
import { isOnlyPlacing, watchPods } from "../engine/pod-watch.ts";
import type { GroupCaches } from "./caches.ts";
import { groupCacheDefinitions, groupIndex, groupKeys, targetKey } from "./caches.ts";
import { OnDemandWatch } from "./on-demand-watch.ts";
import { podGroupResources } from "./pod-group.ts";
import { roleBasedGroupReconciler } from "./reconcile.ts";
import { isUrgent } from "./status.ts";

export function roleBasedGroupController(
  options: KindOptions & { readonly caches: GroupCaches },
): ControlledKind {
  const { leaderWorkerSets, ...caches } = options.caches;
  const leaders = new OnDemandWatch(leaderWorkerSets, groupKeys);
  const tools = kindTools(options, { resource: roleBasedGroupResource, reasons: {}, isUrgent });
  return controlledKind(options, {
    name: "rolebasedgroup",
    caches,
    tools,
    kind: roleBasedGroupReconciler(options.caches, tools, leaders.need),
    watches: [...watchesOf(caches), leaders.watch],
    workers: 5,
    onStop: leaders.stop,
    spacingMs: (key) => restMs(caches.pods.byIndex(groupIndex, key).length),
  });
}

const watchesOf = (caches: Omit<GroupCaches, "leaderWorkerSets">): readonly Watch[] => [
  watch(caches.groups),
  watch(caches.sets, groupKeys),
  watch(caches.deployments, groupKeys),
  watch(caches.adapters, (adapter) => [targetKey(adapter)]),
  // Nothing moves because a pod was made or a node was found.
  watchPods(caches.pods, groupKeys, { mayWait: isOnlyPlacing }),
  watch(caches.services, groupKeys),
  watch(caches.configMaps, groupKeys),
  watch(caches.revisions, groupKeys),
];

const podsPerMs = 2;
const longestRestMs = 30;

/**
 * Pods of one step become available one after the other: to move a cursor for each of them would be a write for each.
 * A small group is reconciled without delay.
 */
const restMs = (pods: number): number => Math.min(longestRestMs, Math.floor(pods / podsPerMs));

const writing: readonly Verb[] = ["create", "update", "patch", "delete"];

export const roleBasedGroupKind = defineKind<GroupCaches>({
  name: "rolebasedgroup",
  resource: roleBasedGroupResource,
  customKinds: rbgKinds,
  caches: groupCacheDefinitions,
  onDemand: ["leaderWorkerSets"],
  access: [
    statusAccess(roleBasedGroupResource),
    ownerAccess(roleBasedGroupResource),
    { resource: statefulSetResource, verbs: writing },
    { resource: deploymentResource, verbs: writing },
    {
      resource: leaderWorkerSetResource,
      verbs: writing,
      why: "Roles whose workload is a LeaderWorkerSet, where it is installed.",
    },
    { resource: scalingAdapterResource, verbs: ["create", "patch", "delete"] },
    { resource: podResource, verbs: ["create", "patch", "delete"] },
    { resource: serviceResource, verbs: ["create", "patch", "delete"] },
    { resource: configMapResource, verbs: ["create", "patch"] },
    { resource: controllerRevisionResource, verbs: writing },
    ...Object.values(podGroupResources).map((resource) => ({
      resource,
      verbs: ["list", "create", "patch", "delete"] as const,
      why: "podGroupPolicy asks for one, where a gang scheduler is installed.",
    })),
  ],
  controller: roleBasedGroupController,
});
