/** Persistent volume claims as far as Lockstep reads and writes them. */
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

export interface VolumeClaim extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

export const volumeClaimResource: Resource = {
  group: "",
  version: "v1",
  plural: "persistentvolumeclaims",
  kind: "PersistentVolumeClaim",
  namespaced: true,
};
