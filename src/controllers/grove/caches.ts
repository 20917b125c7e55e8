/** The caches that the controllers of the grove kinds share: every object is followed, parsed and kept once. */
import type { ControllerRevision } from "../../api/apps.ts";
import { controllerRevisionResource } from "../../api/apps.ts";
import { autoscalerResource } from "../../api/autoscaler.ts";
import type { ClusterTopologyBinding } from "../../api/grove/cluster-topology.ts";
import { clusterTopologyBindingResource } from "../../api/grove/cluster-topology.ts";
import { labelKeys, managedBy } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import type { PodGang } from "../../api/grove/podgang.ts";
import { podGangResource } from "../../api/grove/podgang.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import type { Node } from "../../api/node.ts";
import { nodeResource } from "../../api/node.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { ResourceClaim } from "../../api/resource-claim.ts";
import { resourceClaimResource } from "../../api/resource-claim.ts";
import type { Resource } from "../../api/resource.ts";
import { serviceResource } from "../../api/service.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Indexes } from "../../runtime/object-store.ts";
import { controllerUid } from "../../runtime/object-store.ts";
import { cachedMetadata, cachedNode, cachedPod } from "../engine/cached-objects.ts";
import type { KindOptions } from "../engine/controlled-kind.ts";
import type { CacheDefinition, CacheDefinitionsOf, ReadersOf } from "../engine/shared-caches.ts";
import {
  podCliqueSetIndex,
  podCliqueSetKeys,
  podCliqueSetReplicaIndex,
  podCliqueSetReplicaKeys,
} from "./set-members.ts";

export interface GroveCaches {
  readonly sets: Cache<PodCliqueSet>;
  readonly groups: Cache<PodCliqueScalingGroup>;
  readonly cliques: Cache<PodClique>;
  readonly pods: Cache<Pod>;
  readonly gangs: Cache<PodGang>;
  readonly services: Cache;
  readonly autoscalers: Cache;
  readonly revisions: Cache<ControllerRevision>;
  readonly topologies: Cache<ClusterTopologyBinding>;
  /** Started when something shares a claim: not every cluster serves them, and few sets share anything. */
  readonly claims: Cache<ResourceClaim>;
}

export type GroveReaders = ReadersOf<GroveCaches>;

/** Each controller is given the caches it reads, and starts them; they stop with the last of their users. */
export interface GroveOptions<Read extends keyof GroveCaches> extends KindOptions {
  readonly caches: Pick<GroveCaches, Read>;
}

/** Pods by the uid of their clique, and by its name: a recreated clique has pods of its predecessor around it. */
export const ownerIndex = "owner";
export const cliqueIndex = "clique";
/** Cliques by the parent they start after, and by the base gang they wait for. */
export const parentIndex = "parent";
export const baseGangIndex = "baseGang";

const bySet = {
  [podCliqueSetIndex]: podCliqueSetKeys,
  [podCliqueSetReplicaIndex]: podCliqueSetReplicaKeys,
};

const selection = { labelSelector: `${labelKeys.managedBy}=${managedBy}` };

/** Of what the controllers make: only that, however full the cluster is of other things. */
const ours = <T extends KubeObject>(
  resource: Resource,
  indexes: Indexes<T> = {},
): CacheDefinition<T> => ({ resource, selection, indexes: { ...bySet, ...indexes } });

/** Of what users write, all is followed. */
export const groveCacheDefinitions: CacheDefinitionsOf<GroveCaches> = {
  sets: { resource: podCliqueSetResource },
  topologies: { resource: clusterTopologyBindingResource },
  groups: ours<PodCliqueScalingGroup>(scalingGroupResource),
  cliques: ours<PodClique>(podCliqueResource, {
    [parentIndex]: ({ metadata, spec }) =>
      (spec.startsAfter ?? []).map((parent) => `${metadata.namespace}/${parent}`),
    [baseGangIndex]: byLabel(labelKeys.basePodGang),
  }),
  pods: {
    ...ours<Pod>(podResource, {
      [ownerIndex]: controllerUid,
      [cliqueIndex]: byLabel(labelKeys.podClique),
    }),
    transform: cachedPod,
  },
  gangs: ours<PodGang>(podGangResource),
  services: ours(serviceResource),
  autoscalers: ours(autoscalerResource),
  revisions: ours<ControllerRevision>(controllerRevisionResource),
  claims: { resource: resourceClaimResource, selection, transform: cachedMetadata },
};

/** Followed where pods are placed one by one, to see which gangs fit. */
export const nodeCacheDefinition: CacheDefinition<Node> = {
  resource: nodeResource,
  transform: cachedNode,
};

/** `namespace/value` of one label. */
function byLabel(label: string): (object: KubeObject) => readonly string[] {
  return ({ metadata }) => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [`${metadata.namespace}/${value}`];
  };
}
