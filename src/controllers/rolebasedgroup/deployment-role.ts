/** A role run by a Deployment, which keeps a pace of its own: it has no order to stop at, so no cursor. */
import type { Deployment } from "../../api/apps.ts";
import { deploymentResource } from "../../api/apps.ts";
import { isZero } from "../../api/int-or-percent.ts";
import { isTerminating, olderFirst } from "../../api/object.ts";
import { isPaused } from "../../api/rbg/labels.ts";
import { includesJson } from "../../api/same-json.ts";
import { controllerOf } from "../engine/ownership.ts";
import { unitOfPod } from "../engine/pod-health.ts";
import type { Write } from "../engine/write.ts";
import { createOf, updateOf } from "../engine/write.ts";
import type { GroupReaders } from "./caches.ts";
import { roleIndex, roleKey } from "./caches.ts";
import { selectorOf } from "./pod-template.ts";
import { causesOf, rolePods } from "./role-pods.ts";
import type {
  DesiredWorkload,
  ObservedWorkload,
  OwnRollout,
  RolePlace,
  RolePod,
  RoleWorkload,
} from "./role-workload.ts";
import { nothingThere } from "./role-workload.ts";
import {
  hasMetadata,
  ownWorkload,
  templateRevisionOf,
  withMetadata,
  workloadMetadata,
} from "./workload-object.ts";

interface ObservedDeployment extends ObservedWorkload {
  readonly deployment: Deployment | undefined;
}

export const deploymentRole: RoleWorkload = {
  observe(readers, place): ObservedDeployment {
    const deployment = ownWorkload(readers.deployments, place);
    if (deployment === undefined) return { ...nothingThere, deployment };
    const { generation = 0 } = deployment.metadata;
    const pods = podsOfSets(readers, place);
    return {
      ...nothingThere,
      exists: true,
      isTerminating: isTerminating(deployment),
      size: deployment.spec.replicas ?? 1,
      template: deployment.spec.template,
      templateRevision: templateRevisionOf(deployment, place),
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
    const hasPods = (deployment?.status?.replicas ?? 0) > 0;
    const wanted = buildDeployment(place, desired, { template, hasPods });
    return deployment === undefined
      ? [createOf(deploymentResource, wanted)]
      : changes(deployment, wanted);
  },
};

/** Its ReplicaSets control them. They have no ordinals, so they are counted by their age. */
function podsOfSets(readers: GroupReaders, place: RolePlace): readonly RolePod[] {
  const { group, role } = place;
  const byNumber = new Map(
    readers.pods
      .byIndex(roleIndex, roleKey(group, role.name))
      .filter((pod) => controllerOf(pod)?.kind === "ReplicaSet")
      .toSorted(olderFirst)
      .map((pod, number) => [pod, number] as const),
  );
  return rolePods(readers, place, (pod) => byNumber.get(pod));
}

/** What keeps its ReplicaSet from making pods. */
const refusals = ({ status, metadata }: Deployment): readonly string[] =>
  (status?.conditions ?? [])
    .filter(({ type, status: value }) => type === "ReplicaFailure" && value === "True")
    .map(({ message }) => `${metadata.name}: ${message}`);

function partitionWarning({ role }: RolePlace): ObservedWorkload["warnings"] {
  const { partition } = role.rollingUpdate;
  if (partition === 0 || partition === "0%") return [];
  const message =
    `partition ${partition} of role ${role.name} has no effect, since a Deployment updates all of its pods: ` +
    "set workload.kind StatefulSet to keep some of them";
  return [{ reason: "SettingsWithoutEffect", message }];
}

const oldPodsText = (count: number): string =>
  `${count} old ${count === 1 ? "pod has" : "pods have"} yet to go`;

function ownRollout(deployment: Deployment): OwnRollout {
  const { metadata, spec, status = {} } = deployment;
  const name = `Deployment ${metadata.name}`;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    return { stand: "moving", message: `${name}: its controller has not seen the change yet` };
  }
  const left = leftToDo(deployment);
  if (left === undefined) {
    return { stand: "done", message: `${name}: all ${spec.replicas ?? 1} pods are updated` };
  }
  if (spec.paused === true) return { stand: "paused", message: `${name} is paused: ${left}` };
  const late = status.conditions?.find(({ reason }) => reason === "ProgressDeadlineExceeded");
  if (late === undefined) return { stand: "moving", message: `${name}: ${left}` };
  const message = `${name}: ${late.message ?? "its progress deadline has passed"}`;
  return { stand: "late", message };
}

/** By the same rules as `kubectl rollout status`. */
function leftToDo({ spec: { replicas = 1 }, status = {} }: Deployment): string | undefined {
  const { updatedReplicas = 0, replicas: all = 0, availableReplicas = 0 } = status;
  if (updatedReplicas < replicas) return `${updatedReplicas} of ${replicas} pods are updated`;
  if (all > updatedReplicas) return oldPodsText(all - updatedReplicas);
  if (availableReplicas === updatedReplicas) return undefined;
  return `${availableReplicas} of ${updatedReplicas} updated pods are available`;
}

interface Built {
  readonly template: Deployment["spec"]["template"];
  readonly hasPods: boolean;
}

function buildDeployment(
  place: RolePlace,
  { revision }: DesiredWorkload,
  { template, hasPods }: Built,
): Deployment {
  const { group, role } = place;
  const { maxSurge, maxUnavailable: written, paused } = role.rollingUpdate;
  // The server refuses a Deployment that may neither lose a pod nor have one more.
  const maxUnavailable = isZero(written) && isZero(maxSurge) ? 1 : written;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: workloadMetadata(place, revision),
    spec: {
      replicas: role.replicas,
      selector: { matchLabels: selectorOf(group, role.name) },
      template,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } },
      minReadySeconds: role.minReadySeconds,
      // Without pods there is nothing to hold: a new role starts in a paused group, too.
      paused: paused || (hasPods && isPaused(group)),
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
    hasMetadata(deployment, wanted.metadata);
  if (isSame) return [];
  return [
    updateOf(deploymentResource, {
      ...deployment,
      metadata: withMetadata(deployment, wanted.metadata),
      spec: { ...have, replicas, strategy, minReadySeconds, paused, template },
    }),
  ];
}
