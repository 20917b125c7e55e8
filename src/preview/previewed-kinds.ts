/** The kinds that can be planned: who plays them in a copy, and what is followed of them. */
import type { StatefulSet } from "../api/apps.ts";
import { podCliqueResource } from "../api/grove/podclique.ts";
import { scalingGroupResource } from "../api/grove/scaling-group.ts";
import type { KubeObject } from "../api/object.ts";
import type { Placement } from "../api/ocm/placement.ts";
import type { RoleBasedGroup } from "../api/rbg/rolebasedgroup.ts";
import { scalingAdapterResource } from "../api/rbg/scaling-adapter.ts";
import { warningsOf } from "../api/rbg/warnings.ts";
import type { Resource } from "../api/resource.ts";
import { readOverrides } from "../controllers/statefulset/annotations.ts";
import type { Components, LiveSizes } from "./components.ts";
import { podCliqueSetComponents, statefulSetComponents } from "./components.ts";
import { DecisionFollower } from "./decision-follower.ts";
import type { Follower } from "./follower.ts";
import { playable } from "./playable.ts";
import { PodFollower } from "./pod-follower.ts";
import { refuseForeignWorkloads, roleComponents } from "./role-components.ts";

export interface PreviewedKind {
  /** Names of the controllers that play it, its own first. */
  readonly controllers: readonly string[];
  /** Whether its units are pods, which need nodes. */
  readonly hasPods: boolean;
  /** Whether Deployments may be among what it makes. */
  readonly hasDeployments: boolean;
  /** Objects by which people and autoscalers give its parts another size. */
  readonly sizedBy: readonly Resource[];
  /** Throws where something of it is made by others than these controllers. */
  requirePlayable?(workload: KubeObject): void;
  /** Settings that do nothing, where the status of the object does not name them. */
  idleSettings?(workload: KubeObject): readonly string[];
  follower(workload: KubeObject, sizes: LiveSizes): Follower;
}

const podFollower = (workload: KubeObject, components: Components): Follower =>
  new PodFollower(playable(workload, components));

const withPods = { hasPods: true, hasDeployments: false, sizedBy: [] } as const;

export const previewedKinds: Readonly<Record<string, PreviewedKind>> = {
  PodCliqueSet: {
    ...withPods,
    controllers: ["podcliqueset", "podcliquescalinggroup", "podclique", "podgang"],
    sizedBy: [podCliqueResource, scalingGroupResource],
    follower: (workload, sizes) => podFollower(workload, podCliqueSetComponents(workload, sizes)),
  },
  StatefulSet: {
    ...withPods,
    controllers: ["statefulset"],
    idleSettings: (workload) => readOverrides(workload as unknown as StatefulSet).problems,
    follower: (workload) => podFollower(workload, statefulSetComponents(workload)),
  },
  RoleBasedGroup: {
    ...withPods,
    controllers: ["rolebasedgroup", "rolebasedgroupscalingadapter", "statefulset"],
    hasDeployments: true,
    sizedBy: [scalingAdapterResource],
    requirePlayable: refuseForeignWorkloads,
    idleSettings: (workload) => warningsOf(workload as RoleBasedGroup),
    follower: (workload, sizes) => podFollower(workload, roleComponents(workload, sizes)),
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
