/** resource.k8s.io/v1: claims for devices and their templates, as far as controllers need to name them. */
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

export const resourceClaimResource: Resource = {
  group: "resource.k8s.io",
  version: "v1",
  plural: "resourceclaims",
  kind: "ResourceClaim",
  namespaced: true,
};

export const resourceClaimTemplateResource: Resource = {
  group: "resource.k8s.io",
  version: "v1",
  plural: "resourceclaimtemplates",
  kind: "ResourceClaimTemplate",
  namespaced: true,
};

export interface ResourceClaim extends KubeObject {
  readonly spec: unknown;
}

export interface ResourceClaimTemplate extends KubeObject {
  readonly spec: { readonly spec: unknown };
}
