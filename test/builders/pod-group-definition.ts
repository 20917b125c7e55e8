/** What a gang scheduler installs, with the one rule of it that a controller can break. */
import type { KubeObject } from "../../src/api/object.ts";

const spec = {
  type: "object",
  properties: { minMember: { type: "integer", minimum: 1 } },
  "x-kubernetes-preserve-unknown-fields": true,
};

/** The PodGroup of the scheduler-plugins. */
export const podGroupDefinition: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "podgroups.scheduling.x-k8s.io" },
  spec: {
    group: "scheduling.x-k8s.io",
    scope: "Namespaced",
    names: {
      plural: "podgroups",
      singular: "podgroup",
      kind: "PodGroup",
      listKind: "PodGroupList",
    },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      },
    ],
  },
};
