/** Sets that a server is asked to create; `complaints.json` has what a real one says to them. */
import type { SetParts } from "./sets.ts";
import { clique, group, withFrontend, withGroup } from "./sets.ts";
import { startupAndKeys } from "./startup-and-keys.ts";

const strategy = (updateStrategy: object): SetParts => ({ spec: { updateStrategy } });
const budget = (rollingUpdate: object): SetParts =>
  strategy({ type: "ReplicaRecreate", rollingUpdate });
const gpuTemplate = {
  name: "gpu",
  templateSpec: {
    spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example" } }] } },
  },
};
const shared = (template: object): SetParts => ({
  template: { resourceClaimTemplates: [gpuTemplate], ...template },
});
const ofGpu = (more: object): object => ({ name: "gpu", scope: "PerReplica", ...more });
const topology = (topologyConstraint: object): SetParts => ({ template: { topologyConstraint } });

export const creations: Record<string, { readonly given: SetParts }> = {
  ...startupAndKeys,
  "a plain set is accepted": { given: {} },
  "every strategy type is accepted: RollingUpdate": { given: strategy({ type: "RollingUpdate" }) },
  "every strategy type is accepted: OnDelete": { given: strategy({ type: "OnDelete" }) },
  "all fields of the strategy are accepted": {
    given: strategy({
      type: "ReplicaRecreate",
      rollingUpdate: { maxUnavailable: "0%", maxSurge: "25%" },
      paused: true,
      partition: 1,
      progressDeadlineSeconds: 600,
      onStuck: "Rollback",
    }),
  },
  "an unknown strategy is refused": {
    given: strategy({ type: "Recreate" }),
  },
  "a budget of nothing is refused": {
    given: budget({ maxUnavailable: 0, maxSurge: 0 }),
  },
  "a budget of no percent and no surge is refused": {
    given: budget({ maxUnavailable: "0%" }),
  },
  "a negative budget is refused": {
    given: budget({ maxUnavailable: -1 }),
  },
  "more than everything unavailable is refused": {
    given: budget({ maxUnavailable: "120%" }),
  },
  "a word is no budget": {
    given: budget({ maxSurge: "many" }),
  },
  "maxUnavailable above replicas is refused": {
    given: budget({ maxUnavailable: 3 }),
  },
  "maxUnavailable of a set without replicas is accepted": {
    given: {
      spec: {
        replicas: 0,
        updateStrategy: { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 3 } },
      },
    },
  },
  "a clique may have a budget": {
    given: withFrontend({ updateStrategy: { maxUnavailable: 0, maxSurge: 1, partition: 1 } }),
  },
  "maxUnavailable of a clique above its replicas is refused": {
    given: withFrontend({ updateStrategy: { maxUnavailable: 3 } }),
  },
  "a budget on a clique of a scaling group is refused": {
    given: {
      template: {
        cliques: [
          clique("frontend"),
          clique("leader", { updateStrategy: { maxSurge: 1 } }),
          clique("worker"),
        ],
      },
    },
  },
  "a scaling group may have a budget": {
    given: withGroup({ replicas: 3, updateStrategy: { maxUnavailable: "50%", maxSurge: 1 } }),
  },
  "maxUnavailable of a scaling group above its replicas is refused": {
    given: withGroup({ replicas: 2, updateStrategy: { maxUnavailable: 3 } }),
  },
  "negative replicas are refused": {
    given: { spec: { replicas: -1 } },
  },
  "a set without cliques is refused": {
    given: { template: { cliques: [], podCliqueScalingGroups: undefined } },
  },
  "two cliques of one name are refused": {
    given: {
      template: {
        cliques: [clique("a"), clique("a", { spec: { roleName: "b" } })],
        podCliqueScalingGroups: undefined,
      },
    },
  },
  "two cliques of one role are refused": {
    given: {
      template: {
        cliques: [clique("a"), clique("b", { spec: { roleName: "a" } })],
        podCliqueScalingGroups: undefined,
      },
    },
  },
  "a clique's name has to fit a hostname": {
    given: {
      template: { cliques: [clique("Front_end")], podCliqueScalingGroups: undefined },
    },
  },
  "names that are too long together are refused": {
    given: {
      name: "a".repeat(30),
      template: { cliques: [clique("b".repeat(16))], podCliqueScalingGroups: undefined },
    },
  },
  "names of a scaling group that are too long together are refused": {
    given: {
      name: "a".repeat(20),
      template: {
        cliques: [clique("b".repeat(16))],
        podCliqueScalingGroups: [group("c".repeat(10), ["b".repeat(16)])],
      },
    },
  },
  "a dot in the name is refused": {
    given: { name: "chat.v1" },
  },
  "minAvailable above replicas is refused": {
    given: withFrontend({ spec: { minAvailable: 3 } }),
  },
  "minAvailable of 0 is refused": {
    given: withFrontend({ spec: { minAvailable: 0 } }),
  },
  "replicas of 0 stand for 1": { given: withFrontend({ spec: { replicas: 0, minAvailable: 1 } }) },
  "an autoscaler below minAvailable is refused": {
    given: withFrontend({ spec: { autoScalingConfig: { minReplicas: 1, maxReplicas: 4 } } }),
  },
  "an autoscaler that cannot keep the replicas is refused": {
    given: withFrontend({ spec: { minAvailable: 1, autoScalingConfig: { maxReplicas: 1 } } }),
  },
  "an autoscaler with its bounds the wrong way round is refused": {
    given: withFrontend({ spec: { autoScalingConfig: { minReplicas: 5, maxReplicas: 4 } } }),
  },
  "an autoscaler of a clique in a scaling group is refused": {
    given: {
      template: {
        cliques: [
          clique("frontend"),
          clique("leader", { spec: { autoScalingConfig: { maxReplicas: 4 } } }),
          clique("worker"),
        ],
      },
    },
  },
  "two schedulers in one set are refused": {
    given: withFrontend({ podSpec: { schedulerName: "kai-scheduler" } }),
  },
  "a node name is refused": {
    given: withFrontend({ podSpec: { nodeName: "n1" } }),
  },
  "a spread constraint is refused": {
    given: withFrontend({
      podSpec: {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" },
        ],
      },
    }),
  },
  "a pod spec is checked like that of a pod": {
    given: withFrontend({ podSpec: { restartPolicy: "Sometimes" } }),
  },
  "a container needs a name": {
    given: withFrontend({ podSpec: { containers: [{ image: "x" }] } }),
  },
  "a quantity has to be one": {
    given: withFrontend({
      podSpec: { containers: [{ name: "a", resources: { limits: { cpu: "lots" } } }] },
    }),
  },
  "a variable twice in a container is refused": {
    given: withFrontend({
      podSpec: { containers: [{ name: "a", env: [{ name: "X" }, { name: "X" }] }] },
    }),
  },
  "a variable with an equals sign is refused": {
    given: withFrontend({ podSpec: { containers: [{ name: "a", env: [{ name: "X=1" }] }] } }),
  },
  "a group of a clique that does not exist is refused": {
    given: { template: { podCliqueScalingGroups: [group("decode", ["leader", "helper"])] } },
  },
  "a clique in two groups is refused": {
    given: {
      template: { podCliqueScalingGroups: [group("a", ["leader"]), group("b", ["leader"])] },
    },
  },
  "a group below its minAvailable is refused": {
    given: withGroup({ replicas: 1, minAvailable: 2 }),
  },
  "an autoscaler of a group below its minAvailable is refused": {
    given: withGroup({
      replicas: 3,
      minAvailable: 2,
      scaleConfig: { minReplicas: 1, maxReplicas: 5 },
    }),
  },
  "an explicit start after an unknown clique is refused": {
    given: {
      template: {
        cliqueStartupType: "CliqueStartupTypeExplicit",
        cliques: [
          clique("frontend", { spec: { startsAfter: ["nobody"] } }),
          clique("leader"),
          clique("worker"),
        ],
      },
    },
  },
  "an explicit start after oneself is refused": {
    given: {
      template: {
        cliqueStartupType: "CliqueStartupTypeExplicit",
        cliques: [
          clique("frontend", { spec: { startsAfter: ["frontend"] } }),
          clique("leader"),
          clique("worker"),
        ],
      },
    },
  },
  "a termination delay of nothing is refused": {
    given: { template: { terminationDelay: "0s" } },
  },
  "a termination delay has to be a length of time": {
    given: { template: { terminationDelay: "soon" } },
  },
  "packing into a domain is accepted": {
    given: topology({ topologyName: "gpus", pack: { required: "rack" } }),
  },
  "an empty topology constraint is refused": {
    given: topology({}),
  },
  "packing into nothing is refused": {
    given: topology({ pack: {} }),
  },
  "the deprecated domain is refused": {
    given: topology({ packDomain: "rack" }),
  },
  "a claim template without requests is refused": {
    given: {
      template: {
        resourceClaimTemplates: [
          { name: "gpu", templateSpec: { spec: { devices: { requests: [] } } } },
        ],
      },
    },
  },
  "claims may be shared on three levels": {
    given: shared({
      resourceSharing: [
        { name: "gpu", scope: "AllReplicas" },
        { name: "elsewhere", namespace: "team-b", scope: "PerReplica" },
        {
          name: "some",
          scope: "PerReplica",
          filter: { childCliqueNames: ["frontend"], childScalingGroupNames: ["decode"] },
        },
      ],
      cliques: [
        clique("frontend", { resourceSharing: [ofGpu({})] }),
        clique("leader"),
        clique("worker"),
      ],
      podCliqueScalingGroups: [
        group("decode", ["leader", "worker"], {
          resourceSharing: [ofGpu({ filter: { childCliqueNames: ["leader"] } })],
        }),
      ],
    }),
  },
  "a template of the set is in no namespace": {
    given: shared({ resourceSharing: [ofGpu({ namespace: "team-b" })] }),
  },
  "a template of the set is in no namespace for a clique either": {
    given: shared({
      cliques: [
        clique("frontend", { resourceSharing: [ofGpu({ namespace: "team-b" })] }),
        clique("leader"),
        clique("worker"),
      ],
    }),
  },
  "a template of the set is in no namespace for a group either": {
    given: shared({
      podCliqueScalingGroups: [
        group("decode", ["leader", "worker"], {
          resourceSharing: [ofGpu({ namespace: "team-b" })],
        }),
      ],
    }),
  },
  "one template cannot be shared twice in one place": {
    given: shared({ resourceSharing: [ofGpu({}), { name: "gpu", scope: "AllReplicas" }] }),
  },
  "sharing needs a scope that exists": {
    given: shared({ resourceSharing: [{ name: "gpu", scope: "PerPod" }] }),
  },
  "sharing with an unknown clique is refused": {
    given: shared({ resourceSharing: [ofGpu({ filter: { childCliqueNames: ["nobody"] } })] }),
  },
  "sharing with an unknown group is refused": {
    given: shared({ resourceSharing: [ofGpu({ filter: { childScalingGroupNames: ["nobody"] } })] }),
  },
  "sharing with nobody is refused": {
    given: shared({ resourceSharing: [ofGpu({ filter: {} })] }),
  },
  "sharing with an empty list is refused": {
    given: shared({ resourceSharing: [ofGpu({ filter: { childCliqueNames: [] } })] }),
  },
  "a group shares with its own cliques only": {
    given: shared({
      podCliqueScalingGroups: [
        group("decode", ["leader", "worker"], {
          resourceSharing: [ofGpu({ filter: { childCliqueNames: ["frontend"] } })],
        }),
      ],
    }),
  },
  "two topologies in one set are refused": {
    given: {
      template: {
        topologyConstraint: { topologyName: "gpus", pack: { required: "zone" } },
        podCliqueScalingGroups: [
          group("decode", ["leader", "worker"], {
            topologyConstraint: { topologyName: "others", pack: { required: "rack" } },
          }),
        ],
      },
    },
  },
  "one topology in several places is accepted": {
    given: {
      template: {
        topologyConstraint: { topologyName: "gpus", pack: { required: "zone" } },
        cliques: [
          clique("frontend", {
            topologyConstraint: { topologyName: "gpus", pack: { preferred: "rack" } },
          }),
          clique("leader"),
          clique("worker"),
        ],
      },
    },
  },
};
