/** How generated objects are called. `replica` counts from 0 at every level. */

/** One component of one PodCliqueSet replica: a standalone clique or a scaling group. */
export interface ComponentPlace {
  readonly set: string;
  readonly setReplica: number;
  readonly component: string;
}

/** A clique inside one replica of a scaling group; `group` is the group's name in the template. */
export interface MemberPlace {
  readonly set: string;
  readonly setReplica: number;
  readonly group: string;
  readonly groupReplica: number;
  readonly clique: string;
}

/** `chat-0`: the headless service, the base PodGang and the pods' subdomain of one replica. */
export const setReplicaName = (set: string, setReplica: number): string => `${set}-${setReplica}`;

/** `chat-0-frontend`: a standalone PodClique or a PodCliqueScalingGroup. */
export function componentName({ set, setReplica, component }: ComponentPlace): string {
  return `${set}-${setReplica}-${component}`;
}

/** `chat-0-prefill-1-leader`: the PodClique of one member in one replica of a scaling group. */
export function memberName({ set, setReplica, group, groupReplica, clique }: MemberPlace): string {
  return `${scalingGroupReplicaName(componentName({ set, setReplica, component: group }), groupReplica)}-${clique}`;
}

/** `chat-0-prefill-1`: one replica of a scaling group; also its group of topology constraints. */
export function scalingGroupReplicaName(scalingGroup: string, groupReplica: number): string {
  return `${scalingGroup}-${groupReplica}`;
}

export const headlessServiceName = setReplicaName;

export const basePodGangName = setReplicaName;

/** Replicas below `minAvailable` are in the base gang; the one at `minAvailable` has scaled gang 0. */
export function scaledPodGangName(
  scalingGroup: string,
  groupReplica: number,
  minAvailable: number,
): string {
  return `${scalingGroup}-${groupReplica - minAvailable}`;
}

/** `chat-0.team-a.svc.cluster.local` */
export function headlessServiceAddress(set: string, setReplica: number, namespace: string): string {
  return `${headlessServiceName(set, setReplica)}.${namespace}.svc.cluster.local`;
}

/** `chat-0-frontend-2`; the number is the pod's index. */
export const podHostname = (podClique: string, index: number): string => `${podClique}-${index}`;

/** The index a hostname carries; undefined for hostnames that this PodClique did not give. */
export function podIndexOf(podClique: string, hostname: string): number | undefined {
  if (!hostname.startsWith(`${podClique}-`)) return undefined;
  const text = hostname.slice(podClique.length + 1);
  return /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : undefined;
}

export const serviceAccountName = (set: string): string => set;

/** Of the Role and of its RoleBinding. */
export const roleName = (set: string): string => `grove.io:pcs:${set}`;

/** `index` is absent for a claim that all replicas of the owner share. */
export function resourceClaimName(owner: string, template: string, index?: number): string {
  return `${owner}-${index ?? "all"}-${template}`;
}

/** Longest sum of the names of a set, a scaling group and a clique: pod hostnames must fit 63. */
export const nameBudget = 45;
