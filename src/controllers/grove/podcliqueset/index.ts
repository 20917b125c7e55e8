/** The PodCliqueSet controller: its caches and what wakes it up. */
import type { Watch } from "../../../runtime/controller.ts";
import { watch } from "../../../runtime/controller.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import { claimAccess, ClaimWatch } from "../claim-watch.ts";
import { actionReasons } from "../orphans.ts";
import { isUrgent } from "./status.ts";
import type { ControlledKind } from "../../engine/controlled-kind.ts";
import { controlledKind, kindTools } from "../../engine/controlled-kind.ts";
import type { GroveCaches, GroveOptions } from "../caches.ts";
import { groveCacheDefinitions } from "../caches.ts";
import { isOnlyPlacing, watchPods } from "../../engine/pod-watch.ts";
import { podCliqueSetIndex, podCliqueSetKeys } from "../set-members.ts";
import { podCliqueSetReconciler } from "./reconcile.ts";
import { controllerRevisionResource } from "../../../api/apps.ts";
import { autoscalerResource } from "../../../api/autoscaler.ts";
import { clusterTopologyBindingResource } from "../../../api/grove/cluster-topology.ts";
import { groveKinds } from "../../../api/grove/definitions.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { podResource } from "../../../api/pod.ts";
import { serviceResource } from "../../../api/service.ts";
import type { Verb } from "../../engine/kind-definition.ts";
import { defineKind, ownerAccess, statusAccess } from "../../engine/kind-definition.ts";

function podCliqueSetController(options: GroveOptions<keyof GroveCaches>): ControlledKind {
  const { claims: sharedClaims, ...caches } = options.caches;
  const resource = podCliqueSetResource;
  const tools = kindTools(options, { resource, reasons: actionReasons, isUrgent });
  const { answers } = tools;
  const claims = new ClaimWatch({ ownerKind: resource.kind, claims: sharedClaims, answers });
  return controlledKind(options, {
    name: "podcliqueset",
    caches,
    tools,
    kind: podCliqueSetReconciler(options.caches, tools, {
      claims,
      gangSchedulers: options.gangSchedulers,
    }),
    watches: [...watchesOf(options.caches), claims.watch],
    workers: 5,
    spacingMs: (key) => restMs(caches.pods.countByIndex(podCliqueSetIndex, key)),
    onStop: claims.stop,
  });
}

const watchesOf = (caches: GroveCaches): readonly Watch[] => [
  watch(caches.sets),
  watch(caches.groups, podCliqueSetKeys),
  watch(caches.cliques, podCliqueSetKeys),
  // Nothing moves because a node was found: what is reported of it may come with the rest.
  watchPods(caches.pods, podCliqueSetKeys, { mayWait: isOnlyPlacing }),
  watch(caches.gangs, podCliqueSetKeys),
  watch(caches.services, podCliqueSetKeys),
  watch(caches.autoscalers, podCliqueSetKeys),
  watch(caches.revisions, podCliqueSetKeys),
  watch(caches.topologies, () => caches.sets.list().map((set) => keyOf(set))),
];

const podsPerMs = 10;
const longestRestMs = 200;

/** A reconcile of a large set costs more and finds more to do at once; a small one is reconciled without delay. */
const restMs = (pods: number): number => Math.min(longestRestMs, Math.floor(pods / podsPerMs));

const writing: readonly Verb[] = ["create", "update", "patch", "delete"];
const patching: readonly Verb[] = ["create", "patch", "delete"];

export const podCliqueSetKind = defineKind<GroveCaches>({
  name: "podcliqueset",
  resource: podCliqueSetResource,
  customKinds: groveKinds,
  caches: groveCacheDefinitions,
  onDemand: ["claims"],
  access: [
    {
      resource: podCliqueSetResource,
      verbs: ["update"],
      why: "onStuck: Rollback puts the last revision back into the spec.",
    },
    statusAccess(podCliqueSetResource),
    ownerAccess(podCliqueSetResource),
    { resource: scalingGroupResource, verbs: writing },
    { resource: scalingGroupResource, subresource: "status", verbs: ["update"] },
    { resource: podCliqueResource, verbs: writing },
    { resource: podGangResource, verbs: writing },
    { resource: podResource, verbs: ["delete"] },
    { resource: serviceResource, verbs: patching },
    { resource: autoscalerResource, verbs: patching },
    { resource: clusterTopologyBindingResource, verbs: ["get"] },
    { resource: controllerRevisionResource, verbs: writing },
    ...claimAccess,
  ],
  controller: podCliqueSetController,
});
