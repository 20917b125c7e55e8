/** What a server refuses of new sets, deployments and revisions, with its words. */
import { podSpec, template, workload } from "../objects.ts";
import type { Refusals } from "../refusals.ts";
import { refusalTests } from "../refusals.ts";
import type { Cluster } from "../scene.ts";

const ofSet = (changes: Record<string, unknown>): { ask: string; body: unknown } => ({
  ask: "POST statefulsets",
  body: workload("a", changes),
});

const workloadRefusals: Refusals = {
  "a set whose selector misses its template": {
    ...ofSet({ selector: { matchLabels: { app: "other" } } }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec.template.metadata.labels: Invalid ' +
      'value: {"app":"web"}: `selector` does not match template `labels`',
  },
  "a set without a selector": {
    ...ofSet({ selector: undefined }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: [spec.selector: Required value, ' +
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match ' +
      "template `labels`]",
  },
  "a set with an empty selector": {
    ...ofSet({ selector: {} }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec.selector: Invalid value: {}: empty ' +
      "selector is invalid for statefulset",
  },
  "a set with negative replicas": {
    ...ofSet({ replicas: -1 }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec.replicas: Invalid value: -1: must be ' +
      "greater than or equal to 0",
  },
  "a set with replicas in words": {
    ...ofSet({ replicas: "three" }),
    want:
      '400 BadRequest: StatefulSet in version "v1" cannot be handled as a StatefulSet: json: ' +
      "cannot unmarshal string into Go struct field StatefulSetSpec.spec.replicas of type int32",
  },
  "a set of pods that never restart": {
    ...ofSet({ template: template({ app: "web" }, podSpec({ restartPolicy: "Never" })) }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec.template.spec.restartPolicy: ' +
      'Unsupported value: "Never": supported values: "Always"',
  },
  "a set with an unknown update strategy": {
    ...ofSet({ updateStrategy: { type: "Fast" } }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec.updateStrategy: Invalid value: ' +
      `{"Type":"Fast","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
  },
  "a set with a partition under OnDelete": {
    ...ofSet({ updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec.updateStrategy.rollingUpdate: ' +
      'Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy ' +
      "'RollingUpdate'",
  },
  "a set with a negative partition": {
    ...ofSet({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: -1 } } }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: ' +
      "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or " +
      "equal to 0",
  },
  "a set with no unavailability at all": {
    ...ofSet({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0 } } }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: ' +
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0",
  },
  "a set with an unavailability of 150%": {
    ...ofSet({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "150%" } },
    }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: ' +
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "150%": must not be ' +
      "greater than 100%",
  },
  "a set with an unknown pod management": {
    ...ofSet({ podManagementPolicy: "Wild" }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec.podManagementPolicy: Invalid value: ' +
      `"Wild": must be 'OrderedReady' or 'Parallel'`,
  },
  "a set with negative ready seconds": {
    ...ofSet({ minReadySeconds: -1 }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec.minReadySeconds: Invalid value: -1: ' +
      "must be greater than or equal to 0",
  },
  "a set with a negative first ordinal": {
    ...ofSet({ ordinals: { start: -1 } }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec.ordinals.start: Invalid value: -1: ' +
      "must be greater than or equal to 0",
  },
  "a set whose pods have no containers": {
    ...ofSet({ template: template({ app: "web" }, { containers: [] }) }),
    want:
      '422 Invalid: StatefulSet.apps "a" is invalid: spec.template.spec.containers: Required ' +
      "value",
  },
  "a deployment with no budget at all": {
    ask: "POST deployments",
    body: workload("a", { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
    want:
      '422 Invalid: Deployment.apps "a" is invalid: ' +
      "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when " +
      "`maxSurge` is 0",
  },
  "a deployment with a rolling update under Recreate": {
    ask: "POST deployments",
    body: workload("a", { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }),
    want:
      '422 Invalid: Deployment.apps "a" is invalid: spec.strategy.rollingUpdate: Forbidden: ' +
      "may not be specified when strategy `type` is 'Recreate'",
  },
  "a deployment whose deadline is within its ready time": {
    ask: "POST deployments",
    body: workload("a", { progressDeadlineSeconds: 5, minReadySeconds: 10 }),
    want:
      '422 Invalid: Deployment.apps "a" is invalid: spec.progressDeadlineSeconds: Invalid ' +
      "value: 5: must be greater than minReadySeconds",
  },
  "a replica set whose selector misses its template": {
    ask: "POST replicasets",
    body: workload("a", { selector: { matchLabels: { app: "other" } } }),
    want:
      '422 Invalid: ReplicaSet.apps "a" is invalid: spec.template.metadata.labels: Invalid ' +
      'value: {"app":"web"}: `selector` does not match template `labels`',
  },
  "a controller revision without data": {
    ask: "POST controllerrevisions",
    body: { metadata: { name: "a" }, revision: 1 },
    want:
      '422 Invalid: ControllerRevision.apps "a" is invalid: data: Required value: data is ' +
      "mandatory",
  },
  "a controller revision with a negative number": {
    ask: "POST controllerrevisions",
    body: { metadata: { name: "a" }, revision: -1, data: {} },
    want:
      '422 Invalid: ControllerRevision.apps "a" is invalid: revision: Invalid value: -1: must ' +
      "be greater than or equal to 0",
  },
};

export const workloadValidation = (cluster: () => Cluster): void =>
  refusalTests(cluster, workloadRefusals);
