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
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { ResourceClaim } from "../../api/resource-claim.ts";
import { resourceClaimResource } from "../../api/resource-claim.ts";
import type { Resource } from "../../api/resource.ts";
import { serviceResource } from "../../api/service.ts";
import { Cache } from "../../runtime/cache.ts";
import type { Indexes } from "../../runtime/object-store.ts";
import { controllerUid } from "../../runtime/object-store.ts";
import { cachedMetadata, cachedPod } from "../engine/cached-objects.ts";
import type { KindOptions } from "../engine/controlled-kind.ts";
import { setIndex, setKeys, setReplicaIndex, setReplicaKeys } from "./set-members.ts";

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
  /** Started by the first who has any: not every cluster serves them, and few sets share anything. */
  readonly claims: Cache<ResourceClaim>;
}

/** Each controller starts the caches it reads; they stop with the last of them. */
export interface GroveOptions extends KindOptions {
  readonly caches: GroveCaches;
}

/** Pods by the uid of their clique, and by its name: a clique made anew has pods of its predecessor around it. */
export const ownerIndex = "owner";
export const cliqueIndex = "clique";
/** Cliques by the parent they start after, and by the base gang they wait for. */
export const parentIndex = "parent";
export const baseGangIndex = "baseGang";

const bySet = { [setIndex]: setKeys, [setReplicaIndex]: setReplicaKeys };

export function groveCaches({ client, clock, onProblem }: KindOptions): GroveCaches {
  const common = { client, clock, onProblem };
  const selection = { labelSelector: `${labelKeys.managedBy}=${managedBy}` };
  /** Of what users write: all of it. */
  const whole = <T extends KubeObject>(resource: Resource): Cache<T> =>
    new Cache<T>({ ...common, resource });
  /** Of what the controllers make: only that, however full the cluster is of other things. */
  const ours = <T extends KubeObject>(
    resource: Resource,
    indexes: Indexes<T> = {},
    transform?: (object: T) => T,
  ): Cache<T> =>
    new Cache<T>({ ...common, resource, selection, transform, indexes: { ...bySet, ...indexes } });
  return {
    sets: whole<PodCliqueSet>(podCliqueSetResource),
    topologies: whole<ClusterTopologyBinding>(clusterTopologyBindingResource),
    groups: ours<PodCliqueScalingGroup>(scalingGroupResource),
    cliques: ours<PodClique>(podCliqueResource, {
      [parentIndex]: ({ metadata, spec }) =>
        (spec.startsAfter ?? []).map((parent) => `${metadata.namespace}/${parent}`),
      [baseGangIndex]: byLabel(labelKeys.basePodGang),
    }),
    pods: ours<Pod>(
      podResource,
      { [ownerIndex]: controllerUid, [cliqueIndex]: byLabel(labelKeys.podClique) },
      cachedPod,
    ),
    gangs: ours<PodGang>(podGangResource),
    services: ours(serviceResource),
    autoscalers: ours(autoscalerResource),
    revisions: ours<ControllerRevision>(controllerRevisionResource),
    claims: new Cache<ResourceClaim>({
      ...common,
      resource: resourceClaimResource,
      selection,
      transform: cachedMetadata,
    }),
  };
}

/** `namespace/value` of one label. */
function byLabel(label: string): (object: KubeObject) => readonly string[] {
  return ({ metadata }) => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [`${metadata.namespace}/${value}`];
  };
}
