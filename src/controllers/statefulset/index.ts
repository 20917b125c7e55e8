/** The StatefulSet controller: its caches, what wakes it up, and its two modes. */
import type { StatefulSet, StatefulSetStatus } from "../../api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import { volumeClaimResource } from "../../api/volume-claim.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Watch } from "../../runtime/controller.ts";
import { watch } from "../../runtime/controller.ts";
import { keyOf, namespaceOf } from "../../runtime/object-store.ts";
import { cachedMetadata, cachedPod } from "../engine/cached-objects.ts";
import type { ControlledKind, KindOptions } from "../engine/controlled-kind.ts";
import { controlledKind, kindTools } from "../engine/controlled-kind.ts";
import type { CacheDefinitionsOf } from "../engine/shared-caches.ts";
import { SharedCaches } from "../engine/shared-caches.ts";
import { controllerOf, ownerIndexKeys } from "../engine/ownership.ts";
import { assistReconciler } from "./assist.ts";
import { setsUsingClaim } from "./claims.ts";
import { statefulSetGauges } from "./gauges.ts";
import type { StatefulSetCaches } from "./observe.ts";
import { ownerIndex } from "./observe.ts";
import type { StatefulSetTools } from "./reconcile.ts";
import { fullReconciler } from "./reconcile.ts";
import { isPhaseChange, writtenStatus } from "./status.ts";
import { defineKind, ownerAccess, statusAccess } from "../engine/kind-definition.ts";

export interface StatefulSetOptions extends KindOptions {
  /** `full`: we are the StatefulSet controller. `assist`: the cluster has its own, we only pace OnDelete sets. */
  readonly mode?: "full" | "assist";
  readonly caches?: StatefulSetCaches;
}

/**
 * Pods of one set change in swarms, and a reconcile costs as much as there are pods: a large set rests longer between
 * two of them, so that the cost per pod stays the same.
 */
const restMsPerPod = 0.05;
const longestRestMs = 100;

/** As upstream's controller calls them. */
const reasons = { deleted: "SuccessfulDelete", created: "SuccessfulCreate" } as const;

export function statefulSetController(options: StatefulSetOptions): ControlledKind {
  const { mode = "full", gauge } = options;
  const caches = options.caches ?? new SharedCaches(options).all(statefulSetCaches);
  const tools: StatefulSetTools = kindTools(options, {
    resource: statefulSetResource,
    reasons,
    isUrgent: (set: StatefulSet, status: StatefulSetStatus) => isPhaseChange(set, status),
    writtenStatus,
  });
  const gauges = statefulSetGauges(tools.memory, gauge);
  const parts = {
    name: "statefulset",
    caches,
    tools,
    watches: watchesOf(caches),
    workers: 5,
    spacingMs: (key: string) => {
      const pods = caches.sets.get(key)?.spec.replicas ?? 1;
      return Math.min(longestRestMs, Math.floor(pods * restMsPerPod));
    },
  };
  return mode === "full"
    ? controlledKind(options, { ...parts, kind: fullReconciler(caches, tools, gauges) })
    : controlledKind(options, { ...parts, kind: assistReconciler(caches, tools, gauges) });
}

const watchesOf = (caches: StatefulSetCaches): readonly Watch[] => [
  watch(caches.sets),
  watch(caches.pods, (pod) => concernedSets(caches.sets, pod)),
  watch(caches.revisions, (revision) => owningSet(revision)),
  watch(caches.claims, (claim) => {
    const sets = caches.sets.byIndex("namespace", claim.metadata.namespace ?? "");
    return setsUsingClaim(sets, claim).map((set) => keyOf(set));
  }),
];

const byOwner = { [ownerIndex]: ownerIndexKeys };

const statefulSetCaches: CacheDefinitionsOf<StatefulSetCaches> = {
  sets: { resource: statefulSetResource, indexes: { namespace: namespaceOf } },
  pods: { resource: podResource, indexes: byOwner, transform: cachedPod },
  claims: { resource: volumeClaimResource, transform: cachedMetadata },
  revisions: { resource: controllerRevisionResource, indexes: byOwner },
};

function owningSet(object: KubeObject): readonly string[] {
  const owner = controllerOf(object);
  if (owner?.kind !== "StatefulSet" || !owner.apiVersion.startsWith("apps/")) return [];
  return [`${object.metadata.namespace}/${owner.name}`];
}

/** The owner of a pod, or every set that might adopt an orphan. */
function concernedSets(sets: Cache<StatefulSet>, pod: Pod): readonly string[] {
  if (controllerOf(pod) !== undefined) return owningSet(pod);
  return sets
    .byIndex("namespace", pod.metadata.namespace ?? "")
    .filter((set) => selectorMatches(set.spec.selector, pod.metadata.labels))
    .map((set) => keyOf(set));
}

export const statefulSetKind = defineKind<StatefulSetCaches, "full" | "assist">({
  name: "statefulset",
  resource: statefulSetResource,
  shortNames: ["sts"],
  customKinds: [],
  caches: statefulSetCaches,
  access: [statusAccess(statefulSetResource), { resource: podResource, verbs: ["delete"] }],
  modes: {
    full: [
      ownerAccess(statefulSetResource),
      { resource: podResource, verbs: ["create", "patch"] },
      ownerAccess(podResource),
      { resource: volumeClaimResource, verbs: ["create", "patch"] },
      { resource: controllerRevisionResource, verbs: ["create", "update", "patch", "delete"] },
    ],
    // The cluster's own controller makes everything; Lockstep deletes pods in its order.
    assist: [],
  },
  controller: statefulSetController,
});
