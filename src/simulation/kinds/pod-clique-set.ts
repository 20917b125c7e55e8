/** PodCliqueSets in simulations: all strategies at both levels, cliques alone and in scaling groups. */
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import type { Random } from "../../sim/random.ts";
import { podCliqueSetScenarioKind } from "../scenario-kinds.ts";
import type { Fields, Simulated, SimulatedKind, Template } from "../simulated-kind.ts";
import { between, pick, withSpec } from "../simulated-kind.ts";

const strategies: readonly Fields[] = [
  { type: "RollingRecreate" },
  { type: "RollingUpdate" },
  { type: "ReplicaRecreate" },
  { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
  { type: "OnDelete" },
];

const budgets: readonly (Fields | undefined)[] = [
  undefined,
  { maxUnavailable: 1 },
  { maxUnavailable: 0, maxSurge: 1 },
  { maxUnavailable: 1, maxSurge: 1 },
];

interface Clique extends Fields {
  readonly name: string;
  readonly spec: { readonly replicas?: number; readonly podSpec: Template } & Fields;
}

interface Group {
  readonly name: string;
  readonly cliqueNames: readonly string[];
  readonly replicas?: number;
}

interface SetTemplate extends Fields {
  readonly cliques: readonly Clique[];
  readonly podCliqueScalingGroups?: readonly Group[];
}

const templateOf = ({ spec }: Simulated): SetTemplate => spec["template"] as SetTemplate;
const strategyOf = ({ spec }: Simulated): Fields => (spec["updateStrategy"] ?? {}) as Fields;

function drawClique(name: string, replicas: number, budget: Fields | undefined): Clique {
  return {
    name,
    ...(budget && { updateStrategy: budget }),
    spec: {
      roleName: name,
      replicas,
      minAvailable: 1,
      podSpec: {
        terminationGracePeriodSeconds: 5,
        containers: [{ name: "app", image: `${name}:v1` }],
      },
    },
  };
}

function drawTemplate(random: Random): SetTemplate {
  const budget = () => pick(budgets, random.next());
  const front = drawClique("front", 1 + random.below(3), budget());
  if (random.happens(0.4)) return { terminationDelay: "10m", cliques: [front] };
  const members = [drawClique("lead", 1, undefined), drawClique("work", 1, undefined)];
  const updateStrategy = budget();
  const group = {
    name: "pair",
    cliqueNames: ["lead", "work"],
    replicas: 1 + random.below(2),
    minAvailable: 1,
    ...(updateStrategy && { updateStrategy }),
  };
  const cliques = random.happens(0.5) ? [front, ...members] : members;
  return { terminationDelay: "10m", cliques, podCliqueScalingGroups: [group] };
}

export const simulatedPodCliqueSet: SimulatedKind = {
  name: "podcliqueset",
  scenarioKinds: [podCliqueSetScenarioKind],
  resource: podCliqueSetResource,
  watched: ["podcliquesets", "podcliquescalinggroups", "podcliques", "podgangs", "pods"],
  draw: (random) => [
    {
      apiVersion: "grove.io/v1alpha1",
      kind: "PodCliqueSet",
      metadata: { name: "chat", namespace: "default" },
      spec: {
        replicas: 1 + random.below(2),
        updateStrategy: pick(strategies, random.next() * 0.85),
        template: drawTemplate(random),
      },
    },
  ],
  templates(object, change) {
    const template = templateOf(object);
    const cliques = template.cliques.map((clique) => ({
      ...clique,
      spec: { ...clique.spec, podSpec: change(clique.spec.podSpec) },
    }));
    return withSpec(object, { template: { ...template, cliques } });
  },
  replicas: (object, value) => withSpec(object, { replicas: between(1, 3, value) }),
  partition(object, value) {
    const partition = between(0, Number(object.spec["replicas"] ?? 1), value);
    return withSpec(object, { updateStrategy: { ...strategyOf(object), partition } });
  },
  strategy: (object, value) => withSpec(object, { updateStrategy: pick(strategies, value) }),
  paused(object, isPaused) {
    const { paused: _paused, ...rest } = strategyOf(object);
    return withSpec(object, { updateStrategy: isPaused ? { ...rest, paused: true } : rest });
  },
  moving(object) {
    const { paused: _paused, partition: _partition, ...rest } = strategyOf(object);
    return withSpec(object, {
      updateStrategy: rest["type"] === "OnDelete" ? strategies[0] : rest,
    });
  },
  pods(object) {
    const { cliques, podCliqueScalingGroups: groups = [] } = templateOf(object);
    const sizes = new Map(cliques.map(({ name, spec }) => [name, spec.replicas ?? 1]));
    let each = 0;
    for (const { cliqueNames, replicas = 1 } of groups) {
      for (const name of cliqueNames) {
        each += replicas * (sizes.get(name) ?? 0);
        sizes.delete(name);
      }
    }
    for (const size of sizes.values()) each += size;
    return each * Number(object.spec["replicas"] ?? 1);
  },
};
