/** Sets that a server is asked to change; `complaints.json` has what a real one says to that. */
import type { SetParts } from "./sets.ts";
import { clique, group, withFrontend, withGroup } from "./sets.ts";

interface Update {
  readonly from?: SetParts;
  readonly to: SetParts;
}

const two = (...cliques: readonly object[]): SetParts => ({
  template: { cliques, podCliqueScalingGroups: undefined },
});

const inOrder = (...names: readonly string[]): SetParts => ({
  template: {
    cliqueStartupType: "CliqueStartupTypeInOrder",
    cliques: names.map((name) => clique(name)),
    podCliqueScalingGroups: undefined,
  },
});

const claimOf = (deviceClassName: string): object => ({
  name: "gpu",
  templateSpec: {
    spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName } }] } },
  },
});

export const updates: Record<string, Update> = {
  "an image, a strategy and replicas can be changed": {
    to: {
      ...withFrontend({ podSpec: { containers: [{ name: "main", image: "app:v2" }] } }),
      spec: { replicas: 5, updateStrategy: { type: "OnDelete" } },
    },
  },
  "a clique cannot be added": {
    from: two(clique("a")),
    to: two(clique("a"), clique("b")),
  },
  "a clique cannot be renamed": {
    from: two(clique("a")),
    to: two(clique("b")),
  },
  "cliques in any order can be reordered": {
    from: two(clique("a"), clique("b")),
    to: two(clique("b"), clique("a")),
  },
  "the startup type cannot be changed": {
    from: two(clique("a"), clique("b")),
    to: inOrder("a", "b"),
  },
  "a role name cannot be changed": {
    to: withFrontend({ spec: { roleName: "front" } }),
  },
  "minAvailable cannot be changed": {
    from: withFrontend({ spec: { minAvailable: 2 } }),
    to: withFrontend({ spec: { minAvailable: 1 } }),
  },
  "replicas can be changed where minAvailable stands": {
    from: withFrontend({ spec: { minAvailable: 1 } }),
    to: withFrontend({ spec: { minAvailable: 1, replicas: 4 } }),
  },
  "replicas cannot drag minAvailable along": {
    to: withFrontend({ spec: { replicas: 4 } }),
  },
  "minAvailable can be written down as it was": {
    to: withFrontend({ spec: { replicas: 4, minAvailable: 2 } }),
  },
  "startsAfter cannot be added": {
    to: withFrontend({ spec: { startsAfter: ["leader"] } }),
  },
  "the scheduler cannot be changed": {
    from: two(clique("a", { podSpec: { schedulerName: "one" } })),
    to: two(clique("a", { podSpec: { schedulerName: "two" } })),
  },
  "a scaling group cannot be removed": {
    to: { template: { podCliqueScalingGroups: undefined } },
  },
  "a scaling group keeps its cliques": {
    to: { template: { podCliqueScalingGroups: [group("decode", ["leader"], { replicas: 2 })] } },
  },
  "a scaling group keeps the order of its cliques": {
    to: {
      template: {
        podCliqueScalingGroups: [group("decode", ["worker", "leader"], { replicas: 2 })],
      },
    },
  },
  "a scaling group keeps its minAvailable": {
    to: withGroup({ replicas: 2, minAvailable: 2 }),
  },
  "replicas of a scaling group can be changed": { to: withGroup({ replicas: 4 }) },
  "a topology constraint cannot be changed": {
    from: { template: { topologyConstraint: { pack: { required: "rack" } } } },
    to: { template: { topologyConstraint: { pack: { required: "zone" } } } },
  },
  "a topology constraint cannot be removed": {
    from: { template: { topologyConstraint: { pack: { required: "rack" } } } },
    to: {},
  },
  "a topology name can be added": {
    from: { template: { topologyConstraint: { pack: { required: "rack" } } } },
    to: { template: { topologyConstraint: { topologyName: "gpus", pack: { required: "rack" } } } },
  },
  "cliques that start in order keep their order": {
    from: inOrder("a", "b"),
    to: inOrder("b", "a"),
  },
  "a claim template cannot be added": {
    to: { template: { resourceClaimTemplates: [claimOf("gpu.example")] } },
  },
  "a claim template cannot be changed": {
    from: { template: { resourceClaimTemplates: [claimOf("gpu.example")] } },
    to: { template: { resourceClaimTemplates: [claimOf("other.example")] } },
  },
  "what is shared cannot be changed": {
    from: { template: { resourceSharing: [{ name: "gpu", scope: "AllReplicas" }] } },
    to: { template: { resourceSharing: [{ name: "gpu", scope: "PerReplica" }] } },
  },
  "what a clique shares cannot be changed": {
    to: withFrontend({ resourceSharing: [{ name: "gpu", scope: "PerReplica" }] }),
  },
  "what a group shares cannot be changed": {
    to: withGroup({ replicas: 2, resourceSharing: [{ name: "gpu", scope: "PerReplica" }] }),
  },
  "a topology constraint of a group cannot be added": {
    to: withGroup({ replicas: 2, topologyConstraint: { pack: { required: "rack" } } }),
  },
  "a deprecated domain can become a required one": {
    from: { template: { topologyConstraint: { pack: { required: "rack" } } } },
    to: { template: { topologyConstraint: { packDomain: "rack" } } },
  },
};
