/** The shape every Kubernetes object shares. Objects are plain JSON; the layers above share them frozen. */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  [other: string]: unknown;
}

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Its deletion was requested. */
export const isTerminating = ({ metadata }: Pick<KubeObject, "metadata">): boolean =>
  metadata.deletionTimestamp !== undefined;

/** By age, then by name: a total order of the objects of a namespace. */
export function olderFirst({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const [one, other] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  if (one !== other) return one < other ? -1 : 1;
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}

export interface ListMeta {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

export interface KubeList<T extends KubeObject = KubeObject> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}

/** Names one object of a known resource; the namespace is absent for cluster-scoped ones. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}
