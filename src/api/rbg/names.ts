/** How the objects of a RoleBasedGroup are called. */

/**
 * A StatefulSet labels its pods with `<set>-<hash>`, which has to fit 63 characters: 52 are left for the workload's
 * name, and one of them is the dash between group and role.
 */
export const nameBudget = 51;

/** `chat-prefill`: the workload of a role; its pods are `chat-prefill-0` and so on. */
export const workloadName = (group: string, role: string): string => `${group}-${role}`;

/** `s-chat-prefill`: the headless service of a role. */
export const serviceName = (group: string, role: string): string => `s-${group}-${role}`;

/** The ConfigMap that lists the addresses of all roles. */
export const discoveryName = (group: string): string => group;

/** `chat-prefill`: the adapter that scales a role. */
export const scalingAdapterName = workloadName;

/** `fleet-2`: one group of a set. */
export const setMemberName = (set: string, index: number): string => `${set}-${index}`;

export const revisionName = (group: string, hash: string): string => `${group}-${hash}`;

/** `chat-prefill-3.s-chat-prefill`: where a pod of a role is reached inside its namespace. */
export const podAddress = (group: string, role: string, ordinal: number): string =>
  `${workloadName(group, role)}-${ordinal}.${serviceName(group, role)}`;
