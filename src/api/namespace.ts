/** Namespaces, which need no type of their own. */
import type { Resource } from "./resource.ts";

export const namespaceResource: Resource = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
};
