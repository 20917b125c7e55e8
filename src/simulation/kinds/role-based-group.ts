/** RoleBasedGroups in simulations: roles alone, coordinated by a skew or by steps, and placed in batches. */
import { annotationKeys } from "../../api/rbg/labels.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import type { Random } from "../../sim/random.ts";
import { groupScenarioKind, statefulSetScenarioKind } from "../scenario-kinds.ts";
import type { Fields, Simulated, SimulatedKind, Template } from "../simulated-kind.ts";
import { between, pick, withAnnotation, withSpec } from "../simulated-kind.ts";

interface Role extends Fields {
  readonly name: string;
  readonly replicas?: number;
  readonly template?: { readonly spec: Template } & Fields;
}

const rolesOf = ({ spec }: Simulated): readonly Role[] => spec["roles"] as readonly Role[];

const rolling: readonly Fields[] = [
  { maxSkew: "10%" },
  { maxSkew: "0%" },
  { maxSkew: "50%", maxUnavailableRatio: "50%" },
  { maxSkew: "25%", maxUnavailableRatio: "25%" },
  { maxUnavailable: 1 },
  { steps: [{ roles: { decode: "50%" }, pause: { seconds: 5 } }, { roles: { prefill: "100%" } }] },
];

const coordinated = (strategy: Fields): Fields => ({
  coordination: [{ name: "pair", roles: ["prefill", "decode"], strategy }],
});

const affinity = (batchMode: string): Fields => ({
  coordination: [
    {
      name: "near",
      type: "AffinityScheduling",
      roles: ["prefill", "decode"],
      strategy: { affinityScheduling: { ratios: { prefill: 2, decode: 1 }, batchMode } },
    },
  ],
});

const roleOf = (name: string, replicas: number, more: Fields = {}): Role => ({
  name,
  replicas,
  ...more,
  template: {
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [{ name: "app", image: `${name}:v1` }],
    },
  },
});

/** A StatefulSet, or pods that Lockstep makes itself. */
const drawWorkload = (random: Random): Fields => ({
  ...(random.happens(0.3) && { workload: { apiVersion: "v1", kind: "Pod" } }),
  ...(random.happens(0.15) && { minReadySeconds: 3 }),
});

function drawSpec(random: Random): Fields {
  const shape = random.next();
  if (shape < 0.2) {
    const batches = 1 + random.below(2);
    const roles = [roleOf("prefill", 2 * batches), roleOf("decode", batches)];
    return { roles, ...affinity(pick(["Sequential", "Parallel"], random.next())) };
  }
  const sizes = [1 + random.below(4), 1 + random.below(3)] as const;
  const roles = [
    roleOf("prefill", sizes[0], drawWorkload(random)),
    roleOf("decode", sizes[1], drawWorkload(random)),
  ];
  return { roles, ...(shape < 0.9 && coordinated(pick(rolling, random.next()))) };
}

/** Batches have to be full, so placed roles keep their sizes. */
const isPlaced = ({ spec }: Simulated): boolean =>
  JSON.stringify(spec).includes("affinityScheduling");

const coordinationOf = ({ spec }: Simulated): { strategy: Fields } | undefined =>
  (spec["coordination"] as { strategy: Fields }[] | undefined)?.[0];

function withStrategy(object: Simulated, change: (strategy: Fields) => Fields): Simulated {
  const found = coordinationOf(object);
  if (found === undefined || isPlaced(object)) return object;
  return withSpec(object, { coordination: [{ ...found, strategy: change(found.strategy) }] });
}

export const simulatedRoleBasedGroup: SimulatedKind = {
  name: "rolebasedgroup",
  scenarioKinds: [groupScenarioKind, statefulSetScenarioKind("full")],
  resource: roleBasedGroupResource,
  watched: ["rolebasedgroups", "statefulsets", "pods", "services"],
  draw: (random) => [
    {
      apiVersion: "workloads.x-k8s.io/v1alpha1",
      kind: "RoleBasedGroup",
      metadata: { name: "chat", namespace: "default" },
      spec: drawSpec(random),
    },
  ],
  templates: (object, change) =>
    withSpec(object, {
      roles: rolesOf(object).map((role) =>
        role.template === undefined
          ? role
          : { ...role, template: { ...role.template, spec: change(role.template.spec) } },
      ),
    }),
  replicas(object, value) {
    if (isPlaced(object)) return object;
    const [first, ...others] = rolesOf(object);
    return withSpec(object, { roles: [{ ...first, replicas: between(1, 5, value) }, ...others] });
  },
  partition: (object, value) =>
    withStrategy(object, (strategy) => ({ ...strategy, partition: pick(["50%", "100%"], value) })),
  strategy: (object, value) => withStrategy(object, () => pick(rolling, value)),
  paused: (object, isPaused) =>
    withAnnotation(object, annotationKeys.paused, isPaused ? "true" : undefined),
  moving: (object) =>
    withAnnotation(
      withStrategy(object, ({ partition: _partition, ...strategy }) => strategy),
      annotationKeys.paused,
    ),
  pods: (object) => rolesOf(object).reduce((sum, { replicas = 1 }) => sum + replicas, 0),
};
