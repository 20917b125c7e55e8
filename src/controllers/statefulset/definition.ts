/** StatefulSet, as everything outside this folder knows it. */
import { controllerRevisionResource, statefulSetResource } from "../../api/apps.ts";
import { podResource } from "../../api/pod.ts";
import { volumeClaimResource } from "../../api/volume-claim.ts";
import type { Verb } from "../engine/kind-definition.ts";
import { defineKind, ownerAccess, statusAccess } from "../engine/kind-definition.ts";
import { statefulSetCaches, statefulSetController } from "./index.ts";
import type { StatefulSetCaches } from "./observe.ts";

const writing: readonly Verb[] = ["create", "update", "patch", "delete"];

export const statefulSetKind = defineKind<StatefulSetCaches, "full" | "assist">({
  name: "statefulset",
  resource: statefulSetResource,
  shortNames: ["sts"],
  customKinds: [],
  caches: statefulSetCaches,
  access: [
    statusAccess(statefulSetResource),
    ownerAccess(statefulSetResource),
    { resource: podResource, verbs: writing },
    ownerAccess(podResource),
    { resource: volumeClaimResource, verbs: writing },
    { resource: controllerRevisionResource, verbs: writing },
  ],
  modes: ["full", "assist"],
  controller: statefulSetController,
});
