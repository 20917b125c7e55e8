/** PodClique, as everything outside this folder knows it. */
import { groveKinds } from "../../../api/grove/definitions.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { podResource } from "../../../api/pod.ts";
import { defineKind, ownerAccess, statusAccess } from "../../engine/kind-definition.ts";
import { claimAccess } from "../claim-access.ts";
import type { GroveCaches } from "../caches.ts";
import { groveCacheDefinitions } from "../caches.ts";
import { podCliqueController } from "./index.ts";
import type { PodCliqueCaches } from "./observe.ts";

const { sets, cliques, pods, gangs, revisions, claims } = groveCacheDefinitions;

export const podCliqueKind = defineKind<PodCliqueCaches & Pick<GroveCaches, "claims">>({
  name: "podclique",
  resource: podCliqueResource,
  customKinds: groveKinds,
  caches: { sets, cliques, pods, gangs, revisions, claims },
  onDemand: ["claims"],
  access: [
    { resource: podCliqueResource, verbs: ["patch"] },
    statusAccess(podCliqueResource),
    ownerAccess(podCliqueResource),
    { resource: podResource, verbs: ["create", "patch", "delete"] },
    ...claimAccess,
  ],
  controller: podCliqueController,
});
