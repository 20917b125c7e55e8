/** PersistentVolumeClaims, read-only. */
import type { IPersistentVolumeClaimSpec } from "kubernetes-models/v1/PersistentVolumeClaimSpec";
import type { DeepReadonly } from "./deep-readonly.ts";
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

export interface VolumeClaim extends KubeObject {
  readonly spec?: DeepReadonly<IPersistentVolumeClaimSpec>;
}

export const volumeClaimResource: Resource = {
  group: "",
  version: "v1",
  plural: "persistentvolumeclaims",
  kind: "PersistentVolumeClaim",
  namespaced: true,
};
