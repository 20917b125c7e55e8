/** PodCliqueSet, as everything outside this folder knows it. */
import { controllerRevisionResource } from "../../../api/apps.ts";
import { autoscalerResource } from "../../../api/autoscaler.ts";
import { groveKinds } from "../../../api/grove/definitions.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import { podResource } from "../../../api/pod.ts";
import { serviceResource } from "../../../api/service.ts";
import type { Verb } from "../../engine/kind-definition.ts";
import { defineKind, ownerAccess, statusAccess } from "../../engine/kind-definition.ts";
import { claimAccess } from "../claim-access.ts";
import type { GroveCaches } from "../caches.ts";
import { groveCacheDefinitions } from "../caches.ts";
import { podCliqueSetController } from "./index.ts";

const writing: readonly Verb[] = ["create", "update", "patch", "delete"];

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
    { resource: scalingGroupResource, verbs: [...writing, "deletecollection"] },
    { resource: scalingGroupResource, subresource: "status", verbs: ["update"] },
    { resource: podCliqueResource, verbs: [...writing, "deletecollection"] },
    { resource: podGangResource, verbs: writing },
    { resource: podResource, verbs: ["delete"] },
    { resource: serviceResource, verbs: writing },
    { resource: autoscalerResource, verbs: writing },
    { resource: controllerRevisionResource, verbs: writing },
    ...claimAccess,
  ],
  controller: podCliqueSetController,
});
