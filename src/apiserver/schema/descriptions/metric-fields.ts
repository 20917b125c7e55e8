/** What the fields of autoscaling metrics and conditions mean, in our own words, by type. */

type Fields = Readonly<Record<string, string>>;

export const metricFields: Readonly<Record<string, Fields>> = {
  MetricSpec: {
    type: "Which of the following is set: Resource, ContainerResource, Pods, Object or External.",
    resource: "CPU or memory of all containers, against their requests.",
    containerResource: "CPU or memory of one container.",
    pods: "A metric of each pod.",
    object: "A metric of another object, such as a service.",
    external: "A metric from outside the cluster, such as the length of a queue.",
  },
  ResourceMetricSource: { name: "cpu or memory.", target: "The value to keep." },
  ContainerResourceMetricSource: {
    name: "cpu or memory.",
    container: "The container.",
    target: "The value to keep.",
  },
  PodsMetricSource: { metric: "The metric.", target: "The value to keep." },
  ObjectMetricSource: {
    describedObject: "The object.",
    metric: "The metric.",
    target: "The value to keep.",
  },
  ExternalMetricSource: { metric: "The metric.", target: "The value to keep." },
  CrossVersionObjectReference: {
    apiVersion: "The version of the kind.",
    kind: "The kind.",
    name: "The object.",
  },
  MetricIdentifier: { name: "The metric.", selector: "Which series of it, by label." },
  MetricTarget: {
    type: "Utilization, AverageValue or Value.",
    averageUtilization: "Per cent of the request, on average over the pods.",
    averageValue: "The amount per pod or replica.",
    value: "The whole amount.",
  },
  Condition: {
    type: "What it is about. Example: Available.",
    status: "True, False or Unknown.",
    reason: "One word for programs. Example: BudgetSpent.",
    message: "A sentence for people, with what would help.",
    lastTransitionTime: "When the status last changed.",
    observedGeneration: "The generation of the spec that it belongs to.",
  },
  OwnerReference: {
    apiVersion: "The version of the owner's kind.",
    kind: "The owner's kind.",
    name: "The owner.",
    uid: "The owner's uid.",
    controller: "Whether it is the one that manages the object.",
    blockOwnerDeletion: "Whether the owner waits for it in a foreground deletion.",
  },
};
