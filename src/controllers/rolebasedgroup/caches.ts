/** What the RoleBasedGroup controller follows: groups, and objects that carry the label of one. */
import type { ControllerRevision, Deployment, StatefulSet } from "../../api/apps.ts";
import {
  controllerRevisionResource,
  deploymentResource,
  statefulSetResource,
} from "../../api/apps.ts";
import type { ConfigMap } from "../../api/config-map.ts";
import { configMapResource } from "../../api/config-map.ts";
import type { LeaderWorkerSet } from "../../api/leader-worker-set.ts";
import { leaderWorkerSetResource } from "../../api/leader-worker-set.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import type { ScalingAdapter } from "../../api/rbg/scaling-adapter.ts";
import { scalingAdapterResource } from "../../api/rbg/scaling-adapter.ts";
import { serviceResource } from "../../api/service.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Reader } from "../../runtime/reader.ts";
import { cachedPod } from "../engine/cached-objects.ts";
import { ownerIndexKeys } from "../engine/ownership.ts";
import type { CacheDefinitionsOf } from "../engine/shared-caches.ts";

export interface GroupCaches {
  readonly groups: Cache<RoleBasedGroup>;
  readonly sets: Cache<StatefulSet>;
  readonly deployments: Cache<Deployment>;
  /** Followed once a role needs it: not every cluster serves the kind. */
  readonly leaderWorkerSets: Cache<LeaderWorkerSet>;
  readonly adapters: Cache<ScalingAdapter>;
  readonly pods: Cache<Pod>;
  readonly services: Cache;
  readonly configMaps: Cache<ConfigMap>;
  readonly revisions: Cache<ControllerRevision>;
}

/** What observing needs of them: the caches themselves, or plain lists of a preview. */
export type GroupReaders = {
  readonly [K in keyof GroupCaches]: GroupCaches[K] extends Cache<infer T> ? Reader<T> : never;
} & {
  readonly leaderWorkerSets: { readonly hasSynced?: boolean; readonly isServed?: boolean };
};

/** Groups by the uid of the set that they belong to. */
export const ownerIndex = "owner";
/** Adapters by the key of the group that they scale. */
export const targetIndex = "target";
export const groupIndex = "group";
export const roleIndex = "role";

/** The key of the group that an object belongs to by its label. */
export function groupKeys({ metadata }: KubeObject): readonly string[] {
  const group = metadata.labels?.[labelKeys.groupName];
  return group === undefined ? [] : [`${metadata.namespace}/${group}`];
}

export const groupKey = ({ metadata }: KubeObject): string =>
  `${metadata.namespace}/${metadata.name}`;

export const roleKey = (group: KubeObject, role: string): string => `${groupKey(group)}/${role}`;

function roleKeys(object: KubeObject): readonly string[] {
  const role = object.metadata.labels?.[labelKeys.roleName];
  return role === undefined ? [] : groupKeys(object).map((key) => `${key}/${role}`);
}

export const targetKey = ({ metadata, spec }: ScalingAdapter): string =>
  `${metadata.namespace}/${spec.scaleTargetRef.name}`;

const byGroup = { [groupIndex]: groupKeys };
/** Everything that belongs to a group carries its name. */
const selection = { labelSelector: labelKeys.groupName };
/** The StatefulSet controller follows all of them: what does not carry the label concerns no group. */
const shared = { selection, mayBeWider: true };

export const groupCacheDefinitions: CacheDefinitionsOf<GroupCaches> = {
  groups: { resource: roleBasedGroupResource, indexes: { [ownerIndex]: ownerIndexKeys } },
  sets: { resource: statefulSetResource, indexes: byGroup, ...shared },
  deployments: { resource: deploymentResource, indexes: byGroup, selection },
  leaderWorkerSets: { resource: leaderWorkerSetResource, indexes: byGroup, selection },
  adapters: {
    resource: scalingAdapterResource,
    indexes: { [targetIndex]: (adapter) => [targetKey(adapter)] },
  },
  pods: {
    resource: podResource,
    indexes: { ...byGroup, [roleIndex]: roleKeys },
    transform: cachedPod,
    ...shared,
  },
  services: { resource: serviceResource, indexes: byGroup, selection },
  configMaps: { resource: configMapResource, indexes: byGroup, selection },
  revisions: { resource: controllerRevisionResource, indexes: byGroup, ...shared },
};
