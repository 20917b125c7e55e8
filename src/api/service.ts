/** Core v1 Service, as far as controllers need to name it. */
import type { Resource } from "./resource.ts";

export const serviceResource: Resource = {
  group: "",
  version: "v1",
  plural: "services",
  kind: "Service",
  namespaced: true,
};
