/** A role run by a Deployment, which keeps a pace of its own: it has no order to stop at, so no cursor. */
import type { Deployment } from "../../api/apps.ts";
import { deploymentResource } from "../../api/apps.ts";
import { isZero } from "../../api/int-or-percent.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import { annotationKeys, labelKeys, roleRevisionKey } from "../../api/rbg/labels.ts";
import { workloadName } from "../../api/rbg/names.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { includesJson } from "../../api/same-json.ts";
import { controllerReferenceTo } from "../engine/adopt.ts";
import { controllerOf } from "../engine/ownership.ts";
import { podHealth, unitOfPod } from "../engine/pod-health.ts";
import type { Write } from "../engine/write.ts";
import { createOf, updateOf } from "../engine/write.ts";
import type { GroupReaders } from "./caches.ts";
import { roleIndex, roleKey } from "./caches.ts";
import { selectorOf } from "./pod-template.ts";
import { causesOf } from "./role-pods.ts";
import type {
  DesiredWorkload,
  ObservedWorkload,
  RolePlace,
  RolePod,
  RoleWorkload,
} from "./role-workload.ts";
import { nothingThere } from "./role-workload.ts";

interface ObservedDeployment extends ObservedWorkload {
  readonly deployment: Deployment | undefined;
}

export const deploymentRole: RoleWorkload = {
  observe(readers, place): ObservedDeployment {
    const deployment = deploymentOf(readers, place);
    if (deployment === undefined) return { ...nothingThere, deployment };
    const { generation = 0, labels } = deployment.metadata;
    const pods = podsOfSets(readers, place);
    return {
      exists: true,
      isTerminating: isTerminating(deployment),
      templateRevision: labels?.[roleRevisionKey(place.role.name)],
      cursor: undefined,
      isStatusCurrent: (deployment.status?.observedGeneration ?? 0) >= generation,
      units: pods.filter(({ pod }) => !isTerminating(pod)).map(unitOfPod),
      pods,
      causes: [...refusals(deployment), ...causesOf(pods)],
      warnings: partitionWarning(place),
      ownRollout: ownRollout(deployment),
      deployment,
    };
  },
  writes(place, observed, desired) {
    const { deployment } = observed as ObservedDeployment;
    const template = desired.templateOf(desired.revision);
    if (template === undefined || observed.isTerminating) return [];
    const wanted = buildDeployment(place, desired, template);
    return deployment === undefined
      ? [createOf(deploymentResource, wanted)]
      : changes(deployment, wanted);
  },
};

function deploymentOf(readers: GroupReaders, { group, role }: RolePlace): Deployment | undefined {
  const { namespace, name = "", uid } = group.metadata;
  const found = readers.deployments.get({ namespace, name: workloadName(name, role.name) });
  return found !== undefined && controllerOf(found)?.uid === uid ? found : undefined;
}

/** Its ReplicaSets control them. They have no ordinals, so they are counted by their age. */
function podsOfSets(readers: GroupReaders, { group, role, nowMs }: RolePlace): readonly RolePod[] {
  return readers.pods
    .byIndex(roleIndex, roleKey(group, role.name))
    .filter((pod) => controllerOf(pod)?.kind === "ReplicaSet")
    .toSorted(byAge)
    .map((pod, ordinal) => ({
      pod,
      ordinal,
      revision: pod.metadata.labels?.[labelKeys.roleRevision] ?? "",
      health: podHealth(pod, role.minReadySeconds, nowMs),
    }));
}

function byAge({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const [one, other] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  if (one !== other) return one < other ? -1 : 1;
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}

/** What keeps its ReplicaSet from making pods. */
const refusals = ({ status, metadata }: Deployment): readonly string[] =>
  (status?.conditions ?? [])
    .filter(({ type, status: value }) => type === "ReplicaFailure" && value === "True")
    .map(({ message }) => `${metadata.name}: ${message}`);

function partitionWarning({ role }: RolePlace): readonly string[] {
  const { partition } = role.rollingUpdate;
  if (partition === 0 || partition === "0%") return [];
  return [
    `partition ${partition} of role ${role.name} has no effect, since a Deployment updates all of its pods: ` +
      "set workload.kind StatefulSet to keep some of them",
  ];
}

/** By the same rules as `kubectl rollout status`. */
function ownRollout({ metadata, spec, status = {} }: Deployment): {
  readonly isDone: boolean;
  readonly message: string;
} {
  const { replicas = 1 } = spec;
  const { updatedReplicas = 0, replicas: all = 0, availableReplicas = 0 } = status;
  const { name } = metadata;
  const waiting = (message: string) => ({
    isDone: false,
    message: `Deployment ${name}: ${message}`,
  });
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    return waiting("its controller has not seen the change yet");
  }
  const late = status.conditions?.find(({ reason }) => reason === "ProgressDeadlineExceeded");
  if (late !== undefined) return waiting(late.message ?? "its progress deadline has passed");
  if (updatedReplicas < replicas) {
    return waiting(`${updatedReplicas} of ${replicas} pods are updated`);
  }
  if (all > updatedReplicas) return waiting(`${all - updatedReplicas} old pods have yet to go`);
  if (availableReplicas < updatedReplicas) {
    return waiting(`${availableReplicas} of ${updatedReplicas} updated pods are available`);
  }
  return { isDone: true, message: `Deployment ${name}: all ${replicas} pods are updated` };
}

function buildDeployment(
  { group, role }: RolePlace,
  { revision }: DesiredWorkload,
  template: Deployment["spec"]["template"],
): Deployment {
  const { name = "", namespace } = group.metadata;
  const { maxSurge, maxUnavailable: written, paused } = role.rollingUpdate;
  // The server refuses a Deployment that may neither lose a pod nor have one more.
  const maxUnavailable = isZero(written) && isZero(maxSurge) ? 1 : written;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: workloadName(name, role.name),
      namespace,
      labels: {
        ...role.labels,
        ...selectorOf(group, role.name),
        [roleRevisionKey(role.name)]: revision,
      },
      annotations: { ...role.annotations, [annotationKeys.roleSize]: String(role.replicas) },
      ownerReferences: [controllerReferenceTo(roleBasedGroupResource, group)],
    },
    spec: {
      replicas: role.replicas,
      selector: { matchLabels: selectorOf(group, role.name) },
      template,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } },
      minReadySeconds: role.minReadySeconds,
      paused,
    },
  };
}

/** The template is compared by its revision: the server fills in fields that nobody wrote. */
function changes(deployment: Deployment, wanted: Deployment): readonly Write[] {
  const { replicas, strategy, minReadySeconds, paused, template } = wanted.spec;
  const have = deployment.spec;
  const isSame =
    have.replicas === replicas &&
    (have.minReadySeconds ?? 0) === minReadySeconds &&
    (have.paused ?? false) === paused &&
    includesJson(have.strategy, strategy) &&
    includesJson(deployment.metadata.labels, wanted.metadata.labels) &&
    includesJson(deployment.metadata.annotations, wanted.metadata.annotations);
  if (isSame) return [];
  return [
    updateOf(deploymentResource, {
      ...deployment,
      metadata: {
        ...deployment.metadata,
        labels: { ...deployment.metadata.labels, ...wanted.metadata.labels },
        annotations: { ...deployment.metadata.annotations, ...wanted.metadata.annotations },
      },
      spec: { ...have, replicas, strategy, minReadySeconds, paused, template },
    }),
  ];
}
