/** PodGang, as everything outside this folder knows it. */
import { groveKinds } from "../../../api/grove/definitions.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import { defineKind, statusAccess } from "../../engine/kind-definition.ts";
import { groveCacheDefinitions } from "../caches.ts";
import { podGangController } from "./index.ts";
import type { PodGangCaches } from "./reconcile.ts";

const { sets, gangs, cliques, pods } = groveCacheDefinitions;

export const podGangKind = defineKind<PodGangCaches>({
  name: "podgang",
  resource: podGangResource,
  customKinds: groveKinds,
  caches: { sets, gangs, cliques, pods },
  access: [{ resource: podGangResource, verbs: ["patch"] }, statusAccess(podGangResource)],
  controller: podGangController,
});
