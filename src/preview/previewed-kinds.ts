/** The kinds that can be planned: who plays them in a copy, and what is followed of them. */
import { podCliqueResource } from "../api/grove/podclique.ts";
import { scalingGroupResource } from "../api/grove/scaling-group.ts";
import type { KubeObject } from "../api/object.ts";
import type { Placement } from "../api/ocm/placement.ts";
import { scalingAdapterResource } from "../api/rbg/scaling-adapter.ts";
import type { Resource } from "../api/resource.ts";
import type { LiveSizes } from "./components.ts";
import { podCliqueSetComponents, statefulSetComponents } from "./components.ts";
import { DecisionFollower } from "./decision-follower.ts";
import type { Follower } from "./follower.ts";
import { PodFollower } from "./pod-follower.ts";
import { roleComponents } from "./role-components.ts";

export interface PreviewedKind {
  /** Names of the controllers that play it, its own first. */
  readonly controllers: readonly string[];
  /** Whether its units are pods, which need nodes. */
  readonly hasPods: boolean;
  /** Whether Deployments may be among what it makes. */
  readonly hasDeployments: boolean;
  /** Objects by which people and autoscalers give its parts another size. */
  readonly sizedBy: readonly Resource[];
  follower(workload: KubeObject, sizes: LiveSizes): Follower;
}

const withPods = { hasPods: true, hasDeployments: false, sizedBy: [] } as const;

export const previewedKinds: Readonly<Record<string, PreviewedKind>> = {
  PodCliqueSet: {
    ...withPods,
    controllers: ["podcliqueset", "podcliquescalinggroup", "podclique", "podgang"],
    sizedBy: [podCliqueResource, scalingGroupResource],
    follower: (workload, sizes) => new PodFollower(podCliqueSetComponents(workload, sizes)),
  },
  StatefulSet: {
    ...withPods,
    controllers: ["statefulset"],
    follower: (workload) => new PodFollower(statefulSetComponents(workload)),
  },
  RoleBasedGroup: {
    ...withPods,
    controllers: ["rolebasedgroup", "rolebasedgroupscalingadapter", "statefulset"],
    hasDeployments: true,
    sizedBy: [scalingAdapterResource],
    follower: (workload, sizes) => new PodFollower(roleComponents(workload, sizes)),
  },
  Placement: {
    controllers: ["placement"],
    hasPods: false,
    hasDeployments: false,
    sizedBy: [],
    follower: (workload) => new DecisionFollower(workload as unknown as Placement),
  },
};

export function previewedKind({ kind }: Pick<Resource, "kind">): PreviewedKind {
  const found = previewedKinds[kind];
  if (found === undefined) throw new RangeError(`a ${kind} cannot be planned`);
  return found;
}
