/** PodCliqueScalingGroup, as everything outside this folder knows it. */
import { groveKinds } from "../../../api/grove/definitions.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { podResource } from "../../../api/pod.ts";
import { defineKind, ownerAccess, statusAccess } from "../../engine/kind-definition.ts";
import { claimAccess } from "../claim-access.ts";
import type { GroveCaches } from "../caches.ts";
import { groveCacheDefinitions } from "../caches.ts";
import { scalingGroupController } from "./index.ts";
import type { ScalingGroupCaches } from "./observe.ts";

const { sets, groups, cliques, pods, revisions, claims } = groveCacheDefinitions;

export const scalingGroupKind = defineKind<ScalingGroupCaches & Pick<GroveCaches, "claims">>({
  name: "podcliquescalinggroup",
  resource: scalingGroupResource,
  customKinds: groveKinds,
  caches: { sets, groups, cliques, pods, revisions, claims },
  onDemand: ["claims"],
  access: [
    statusAccess(scalingGroupResource),
    ownerAccess(scalingGroupResource),
    { resource: podCliqueResource, verbs: ["create", "update", "patch", "delete"] },
    { resource: podResource, verbs: ["delete"] },
    ...claimAccess,
  ],
  controller: scalingGroupController,
});
