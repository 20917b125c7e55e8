/** Labels, annotations, variables and volumes that the objects of a RoleBasedGroup carry. */
import type { KubeObject } from "../object.ts";

const prefix = "rolebasedgroup.workloads.x-k8s.io";
const setPrefix = "rolebasedgroupset.workloads.x-k8s.io";

export const labelKeys = {
  groupName: `${prefix}/name`,
  roleName: `${prefix}/role`,
  /** SHA-1 of `namespace/name`, so that selectors of two groups never meet. */
  groupKey: `${prefix}/group-unique-key`,
  /** On ControllerRevisions: the hash of what they recorded. */
  groupRevision: `${prefix}/controller-revision-hash`,
  /** On pods, from their template: the hash of what the role was when the pod was made. */
  roleRevision: `${prefix}/role-revision`,
  /**
   * On pods, set by Lockstep: one value for all roles that are coordinated with each other, made from what they
   * contain. A router pairs pods of equal value.
   */
  revision: `${prefix}/revision`,
  groupSetName: `${setPrefix}/name`,
  indexInGroupSet: `${setPrefix}/rbg-index`,
} as const;

/** On workloads: the hash of the role that their template was made from. */
export const roleRevisionKey = (role: string): string => `${prefix}/role-revision-hash-${role}`;

/** On pods of roles in an AffinityScheduling coordination; the value is always `member`. */
export const coordinationKey = (coordination: string): string =>
  `coordination.workloads.x-k8s.io/${coordination}`;
export const coordinationMember = "member";

/** On the same pods: the number of their batch, from 1. */
export const batchKey = (coordination: string): string =>
  `batch.coordination.workloads.x-k8s.io/${coordination}`;

export const annotationKeys = {
  /** On workloads: the desired size of the role. */
  roleSize: `${prefix}/role-size`,
  /**
   * On StatefulSets: a revision of the role, and the value of the label that routers pair pods by for pods made of it.
   * Lockstep's own controller puts it on new pods; under another one they get it a moment later.
   */
  podRevision: `${prefix}/pod-revision`,
  /** On a group: `"true"` holds every rollout of it where it is. */
  paused: "lockstep.dev/paused",
  /** On a group: passes a pause of ordered steps; `status.coordinationState[].promotion` has the value to write. */
  promote: "lockstep.dev/promote",
  /** On the ConfigMap of a group: the kinds of PodGroups that were made for it, separated by commas. */
  podGroups: "lockstep.dev/pod-groups",
} as const;

/** Every rollout of the group is held where it is. */
export const isPaused = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[annotationKeys.paused] === "true";

/** On a group: RBG keeps its pods in a domain of their own. Nothing is done about it here, and an event says so. */
export const exclusiveTopology = `${prefix}/exclusive-topology`;

/** In the template of a role: `Ignore` keeps its restarts from replacing anything. The second name is a later one. */
export const restartTriggers = [
  `${prefix}/restart-trigger-policy`,
  "rbg.workloads.x-k8s.io/restart-trigger-policy",
] as const;

/** What finds the pods of one role, and nothing else; workloads never change it. */
export function roleSelector(group: string, key: string, role: string): Record<string, string> {
  return {
    [labelKeys.groupName]: group,
    [labelKeys.roleName]: role,
    [labelKeys.groupKey]: key,
  };
}

/** The same in words of a container: where it is. The second names are those of later versions of the API. */
export const variables = {
  groupName: ["GROUP_NAME", "RBG_GROUP_NAME"],
  roleName: ["ROLE_NAME", "RBG_ROLE_NAME"],
  roleIndex: ["ROLE_INDEX", "RBG_ROLE_INDEX"],
} as const;

export const discovery = {
  volume: "rbg-cluster-config",
  mountPath: "/etc/rbg",
  file: "config.yaml",
} as const;
