/** LeaderWorkerSet as a cluster serves it that has it installed, without its schema. */
export const leaderWorkerSetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "leaderworkersets.leaderworkerset.x-k8s.io" },
  spec: {
    group: "leaderworkerset.x-k8s.io",
    scope: "Namespaced",
    names: {
      plural: "leaderworkersets",
      singular: "leaderworkerset",
      kind: "LeaderWorkerSet",
      listKind: "LeaderWorkerSetList",
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
};
