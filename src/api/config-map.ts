/** Core v1 ConfigMap. */
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

export const configMapResource: Resource = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}
