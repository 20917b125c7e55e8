/** StatefulSets in simulations: both policies, budgets in numbers and percent, partitions, OnDelete, both modes. */
import { statefulSetResource } from "../../api/apps.ts";
import { annotationNames } from "../../controllers/statefulset/annotations.ts";
import { statefulSetController } from "../../controllers/statefulset/index.ts";
import { restClient } from "../../runtime/rest-client.ts";
import { statefulSetScenarioKind } from "../scenario-kinds.ts";
import type { Fields, Simulated, SimulatedKind, Template } from "../simulated-kind.ts";
import { between, pick, withAnnotation, withSpec } from "../simulated-kind.ts";
import { withoutConditions } from "../../sim/cluster-stateful-sets.ts";

const strategies: readonly Fields[] = [
  { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
  { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } },
  { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "50%" } },
  { type: "OnDelete" },
];

const strategyOf = ({ spec }: Simulated): Fields => (spec["updateStrategy"] ?? {}) as Fields;

export const simulatedStatefulSet: SimulatedKind = {
  name: "statefulset",
  scenarioKinds: [statefulSetScenarioKind("full")],
  resource: statefulSetResource,
  watched: ["statefulsets", "pods", "controllerrevisions"],
  draw(random) {
    const labels = { app: "web" };
    const annotations: Record<string, string> = {
      ...(random.happens(0.15) && { [annotationNames.orderedReady]: "Strict" }),
    };
    return [
      {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata: { name: "web", namespace: "default", annotations },
        spec: {
          replicas: 1 + random.below(5),
          serviceName: "web",
          podManagementPolicy: random.happens(0.5) ? "Parallel" : "OrderedReady",
          selector: { matchLabels: labels },
          updateStrategy: pick(strategies, random.next() * 0.8),
          ...(random.happens(0.2) && { minReadySeconds: 3 }),
          template: {
            metadata: { labels },
            spec: {
              terminationGracePeriodSeconds: pick([1, 5, 30], random.next()),
              containers: [{ name: "app", image: "web:v1" }],
            },
          },
        },
      },
    ];
  },
  templates(object, change) {
    const template = object.spec["template"] as { spec: Template };
    return withSpec(object, { template: { ...template, spec: change(template.spec) } });
  },
  replicas: (object, value) => withSpec(object, { replicas: between(0, 5, value) }),
  partition(object, value) {
    const { type, rollingUpdate } = strategyOf(object);
    if (type === "OnDelete") return object;
    const partition = between(0, Number(object.spec["replicas"] ?? 1), value);
    const updateStrategy = { type, rollingUpdate: { ...(rollingUpdate as Fields), partition } };
    return withSpec(object, { updateStrategy });
  },
  strategy: (object, value) => withSpec(object, { updateStrategy: pick(strategies, value) }),
  paused: (object, isPaused) =>
    withAnnotation(object, annotationNames.paused, isPaused ? "true" : undefined),
  moving(object) {
    const { type, rollingUpdate } = strategyOf(object);
    const { partition: _partition, ...budget } = (rollingUpdate ?? {}) as Fields;
    const next = type === "OnDelete" ? strategies[0] : { type, rollingUpdate: budget };
    const moved = withSpec(object, { updateStrategy: next });
    return [annotationNames.paused, annotationNames.partition].reduce(
      (each, name) => withAnnotation(each, name),
      moved,
    );
  },
  pods: ({ spec }) => Number(spec["replicas"] ?? 1),
};

const amounts = ["1", "2", "50%"] as const;

/** The cluster's own controller makes the pods of `OnDelete` sets, and Lockstep deletes those that are outdated. */
export const simulatedAssistedSet: SimulatedKind = {
  ...simulatedStatefulSet,
  name: "statefulset-assist",
  scenarioKinds: [statefulSetScenarioKind("assist")],
  beside: ({ transport, clock }) =>
    statefulSetController({
      client: restClient(withoutConditions(transport)),
      clock,
      mode: "full",
    }),
  draw(random) {
    const budget = pick(amounts, random.next());
    return simulatedStatefulSet.draw(random).map((set) => assisted(set, budget));
  },
  partition: (object, value) => {
    const partition = between(0, Number(object.spec["replicas"] ?? 1), value);
    return withAnnotation(object, annotationNames.partition, String(partition));
  },
  strategy: (object, value) => assisted(object, pick(amounts, value)),
  moving: (object) =>
    [annotationNames.paused, annotationNames.partition].reduce(
      (each, name) => withAnnotation(each, name),
      object,
    ),
};

const assisted = (object: Simulated, maxUnavailable: string): Simulated =>
  withAnnotation(
    withSpec(object, { updateStrategy: { type: "OnDelete" } }),
    annotationNames.maxUnavailable,
    maxUnavailable,
  );
