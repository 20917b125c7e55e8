import { expect, test } from "vitest";
import { fieldErrorText } from "../field-error.ts";
import type { Container } from "../pod.ts";
import type { CliqueTemplate, PodCliqueSetSpec } from "./podcliqueset.ts";
import { validatePodCliqueSet } from "./validate.ts";
import { warningsOf } from "./warnings.ts";

type Parts = Partial<CliqueTemplate["spec"]> & Pick<CliqueTemplate, "labels" | "updateStrategy">;

function clique(name: string, { labels, updateStrategy, ...spec }: Parts = {}): CliqueTemplate {
  const podSpec = { containers: [{ name: "main" }] };
  return { name, labels, updateStrategy, spec: { roleName: name, replicas: 2, podSpec, ...spec } };
}

const explicit = (...cliques: readonly CliqueTemplate[]): PodCliqueSetSpec => ({
  template: { cliqueStartupType: "CliqueStartupTypeExplicit", cliques },
});

const problems: Record<string, { given: PodCliqueSetSpec; want: readonly string[] }> = {
  "a diamond is no cycle": {
    given: explicit(
      clique("a"),
      clique("b", { startsAfter: ["a"] }),
      clique("c", { startsAfter: ["a"] }),
      clique("d", { startsAfter: ["b", "c"] }),
    ),
    want: [],
  },
  "cliques that wait for each other are reported once": {
    given: explicit(
      clique("a", { startsAfter: ["b"] }),
      clique("b", { startsAfter: ["c"] }),
      clique("c", { startsAfter: ["a"] }),
    ),
    want: [
      'spec.template.cliques[0].spec.startsAfter: Invalid value: ["b"]: ' +
        "cliques wait for each other (a after b after c after a): remove one of them",
    ],
  },
  "a clique may not be named like a member": {
    given: {
      template: {
        cliques: [clique("decode-0-leader"), clique("leader")],
        podCliqueScalingGroups: [{ name: "decode", cliqueNames: ["leader"] }],
      },
    },
    want: [
      'spec.template.cliques[0].name: Invalid value: "decode-0-leader": ' +
        "PodCliques of the scaling group decode have this name too: rename the clique",
    ],
  },
  "a clique and a group that are both scaled may not have one name": {
    given: {
      template: {
        cliques: [clique("decode", { autoScalingConfig: { maxReplicas: 3 } }), clique("leader")],
        podCliqueScalingGroups: [
          { name: "decode", cliqueNames: ["leader"], scaleConfig: { maxReplicas: 3 } },
        ],
      },
    },
    want: [
      'spec.template.podCliqueScalingGroups[0].name: Invalid value: "decode": ' +
        "a clique of this name is scaled too, and their autoscalers would have one name: rename one",
    ],
  },
};

test.each(Object.entries(problems))("%s", (_name, { given, want }) => {
  expect(validatePodCliqueSet({ spec: given }).map(fieldErrorText)).toEqual(want);
});

test("a label key has to be one", () => {
  const cliques = [clique("a", { labels: { "not a key": "x" } })];
  const [error] = validatePodCliqueSet({ spec: { template: { cliques } } });
  expect(error?.field).toBe("spec.template.cliques[0].labels");
});

const withVariable = (name: string): Container => {
  const container = { name, env: [{ name: "GROVE_PCS_NAME", value: "mine" }] };
  return container;
};
const rolling = { maxUnavailable: 1 };
const shared = [{ name: "gpu", scope: "PerReplica" as const }];
const withScaling = (
  template: ReturnType<typeof clique>,
  resources: Readonly<Record<string, Readonly<Record<string, string>>>>,
) => ({
  ...template,
  spec: {
    ...template.spec,
    autoScalingConfig: { maxReplicas: 4 },
    podSpec: { containers: [{ name: "a", image: "a", resources }] },
  },
});

const warnings: Record<string, { given: PodCliqueSetSpec; want: readonly string[] }> = {
  "claims have an effect wherever they are shared": {
    given: {
      template: {
        resourceSharing: shared,
        cliques: [{ ...clique("a"), resourceSharing: shared }],
      },
    },
    want: [],
  },
  "a plain set has none": { given: { template: { cliques: [clique("a")] } }, want: [] },
  "a set's budget does nothing when replicas go one by one": {
    given: {
      replicas: 2,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: rolling },
      template: { cliques: [clique("a")] },
    },
    want: [
      "spec.updateStrategy.rollingUpdate has no effect under RollingUpdate, which updates one replica at a time: " +
        "use type ReplicaRecreate, or set updateStrategy on cliques and scaling groups",
    ],
  },
  "component budgets do nothing when replicas go as a whole": {
    given: {
      replicas: 2,
      updateStrategy: { type: "ReplicaRecreate" },
      template: { cliques: [clique("a", { updateStrategy: { maxSurge: 1 } })] },
    },
    want: [
      "spec.template.cliques[a].updateStrategy has no effect under ReplicaRecreate: remove it",
    ],
  },
  "nothing but the type counts under OnDelete": {
    given: {
      updateStrategy: { type: "OnDelete", paused: true, onStuck: "Rollback" },
      template: { cliques: [clique("a")] },
    },
    want: [
      "spec.updateStrategy.paused has no effect under OnDelete: remove it",
      "spec.updateStrategy.onStuck has no effect under OnDelete: remove it",
    ],
  },
  "what makes a pod the one it is cannot be set": {
    given: {
      template: {
        cliques: [
          clique("a", {
            labels: { "grove.io/podclique": "mine", team: "red" },
            podSpec: {
              hostname: "mine",
              schedulingGates: [{ name: "example.com/gate" }],
              containers: [withVariable("main"), withVariable("side")],
            },
          }),
        ],
      },
    },
    want: [
      "labels[grove.io/podclique]",
      "spec.podSpec.hostname",
      "spec.podSpec.schedulingGates",
      "spec.podSpec: the variable GROVE_PCS_NAME",
    ].map(
      (what) =>
        `spec.template.cliques[a].${what} has no effect, since every pod is given its own: remove it`,
    ),
  },
  "an answer to being stuck needs no deadline: there is a default": {
    given: { updateStrategy: { onStuck: "Rollback" }, template: { cliques: [clique("a")] } },
    want: [],
  },
  "an autoscaler of GPU pods needs metrics, one of CPU pods does not": {
    given: {
      template: {
        cliques: [
          withScaling(clique("a"), { limits: { "nvidia.com/gpu": "8" } }),
          withScaling(clique("b"), { requests: { cpu: "1" } }),
        ],
      },
    },
    want: [
      "spec.template.cliques[a].spec.autoScalingConfig has no metrics, so its autoscaler measures CPU (80%), " +
        "which says nothing about pods that work on accelerators: set metrics, for example an External one with " +
        "an averageValue",
    ],
  },
  "there has to be a surge to give up": {
    given: {
      updateStrategy: {
        type: "ReplicaRecreate",
        rollingUpdate: { maxUnavailable: 1, maxSurge: "0%" },
        progressDeadlineSeconds: 60,
        onStuck: "ReleaseSurge",
      },
      template: { cliques: [clique("a")] },
    },
    want: [
      "spec.updateStrategy.onStuck has no effect without a surge to release: " +
        "set spec.updateStrategy.rollingUpdate.maxSurge",
    ],
  },
  "there has to be a surge to give up, in some component where these are updated": {
    given: {
      updateStrategy: { progressDeadlineSeconds: 60, onStuck: "ReleaseSurge" },
      template: { cliques: [clique("a")] },
    },
    want: [
      "spec.updateStrategy.onStuck has no effect without a surge to release: " +
        "set updateStrategy.maxSurge of a clique or scaling group",
    ],
  },
  "a surge of one component is one to give up": {
    given: {
      updateStrategy: { progressDeadlineSeconds: 60, onStuck: "ReleaseSurge" },
      template: { cliques: [clique("a"), clique("b", { updateStrategy: { maxSurge: 1 } })] },
    },
    want: [],
  },
  "startsAfter does nothing unless the order is explicit": {
    given: { template: { cliques: [clique("a"), clique("b", { startsAfter: ["a"] })] } },
    want: [
      "spec.template.cliques[b].spec.startsAfter has no effect under CliqueStartupTypeAnyOrder: " +
        "set cliqueStartupType CliqueStartupTypeExplicit",
    ],
  },
};

test.each(Object.entries(warnings))("warnings: %s", (_name, { given, want }) => {
  expect(warningsOf({ spec: given })).toEqual(want);
});
