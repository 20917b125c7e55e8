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
import { podCliqueSetComponents, statefulSetComponents, withLeaving } from "./components.ts";
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
  /** `before` is what there is as long as nothing changes: what it has and the workload has not will go. */
  follower(workload: KubeObject, sizes: LiveSizes, before: KubeObject | undefined): Follower;
}

type ComponentsOf = (workload: KubeObject, sizes: LiveSizes) => Components;

const podFollower =
  (componentsOf: ComponentsOf): PreviewedKind["follower"] =>
  (workload, sizes, before) => {
    const components = playable(workload, componentsOf(workload, sizes));
    const leaving = before === undefined ? [] : componentsOf(before, sizes).all;
    return new PodFollower(withLeaving(components, leaving));
  };

const withPods = { hasPods: true, hasDeployments: false, sizedBy: [] } as const;

export const previewedKinds: Readonly<Record<string, PreviewedKind>> = {
  PodCliqueSet: {
    ...withPods,
    controllers: ["podcliqueset", "podcliquescalinggroup", "podclique", "podgang"],
    sizedBy: [podCliqueResource, scalingGroupResource],
    follower: podFollower(podCliqueSetComponents),
  },
  StatefulSet: {
    ...withPods,
    controllers: ["statefulset"],
    idleSettings: (workload) => readOverrides(workload as unknown as StatefulSet).problems,
    follower: podFollower(statefulSetComponents),
  },
  RoleBasedGroup: {
    ...withPods,
    controllers: ["rolebasedgroup", "rolebasedgroupscalingadapter", "statefulset"],
    hasDeployments: true,
    sizedBy: [scalingAdapterResource],
    requirePlayable: refuseForeignWorkloads,
    idleSettings: (workload) => warningsOf(workload as RoleBasedGroup),
    follower: podFollower(roleComponents),
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
