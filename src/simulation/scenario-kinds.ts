/** What each kind contributes to scenarios: its controllers, its promises and how it is drawn. */
import { statefulSetResource } from "../api/apps.ts";
import { clusterTopologyBindingResource } from "../api/grove/cluster-topology.ts";
import { labelKeys } from "../api/grove/labels.ts";
import { podCliqueResource } from "../api/grove/podclique.ts";
import { podCliqueSetResource } from "../api/grove/podcliqueset.ts";
import { podGangResource } from "../api/grove/podgang.ts";
import { placementResource } from "../api/ocm/placement.ts";
import { roleBasedGroupResource } from "../api/rbg/rolebasedgroup.ts";
import { podCliqueKind } from "../controllers/grove/podclique/index.ts";
import { scalingGroupKind } from "../controllers/grove/podcliquescalinggroup/index.ts";
import { podCliqueSetKind } from "../controllers/grove/podcliqueset/index.ts";
import { podGangKind } from "../controllers/grove/podgang/index.ts";
import { placementKind } from "../controllers/placement/index.ts";
import { roleBasedGroupKind } from "../controllers/rolebasedgroup/index.ts";
import { statefulSetKind } from "../controllers/statefulset/index.ts";
import { PlacementPromises } from "./promises/placement-promises.ts";
import { PodCliqueSetPromises } from "./promises/pod-clique-set-promises.ts";
import { RoleBasedGroupPromises } from "./promises/role-based-group-promises.ts";
import { StatefulSetPromises } from "./promises/stateful-set-promises.ts";
import type { KindDrawing, ScenarioKind } from "./scenario-kind.ts";
import { hostnameOf, imageOf } from "./scenario-kind.ts";

/** Names of pods are made up by the server, so people know them by their hostnames. */
const groveDrawing: KindDrawing = {
  nameOf: hostnameOf,
  line(event, pod) {
    if (event === "ready") return `${hostnameOf(pod)} up`;
    if (event === "terminating") return `-${hostnameOf(pod)} ${imageOf(pod)}`;
    const gang = pod.metadata.labels?.[labelKeys.podGang] ?? "no gang";
    return `+${hostnameOf(pod)} ${imageOf(pod)} in ${gang}`;
  },
  others: { clique: podCliqueResource, gang: podGangResource },
};

const grove = {
  promises: (watched) => new PodCliqueSetPromises(watched),
  drawing: groveDrawing,
} as const satisfies Partial<ScenarioKind>;

/** A PodClique alone in its gang. */
export const podCliqueScenarioKind: ScenarioKind = {
  ...grove,
  definitions: [podCliqueKind, podGangKind],
  resources: [podCliqueResource, podGangResource],
};

/** A PodCliqueSet with everything below it. */
export const podCliqueSetScenarioKind: ScenarioKind = {
  ...grove,
  definitions: [podCliqueSetKind, scalingGroupKind, podCliqueKind, podGangKind],
  resources: [podCliqueSetResource, clusterTopologyBindingResource],
};

const statefulSetDrawing: KindDrawing = {
  nameOf: ({ metadata }) => metadata.name ?? "",
  line(event, pod) {
    if (event === "ready") return undefined;
    const { name } = pod.metadata;
    return event === "created" ? `+${name} ${imageOf(pod)}` : `-${name}`;
  },
};

export const statefulSetScenarioKind = (mode: "full" | "assist"): ScenarioKind => ({
  resources: [statefulSetResource],
  definitions: [statefulSetKind],
  mode,
  promises: (watched) => new StatefulSetPromises(watched),
  drawing: statefulSetDrawing,
});

const groupDrawing: KindDrawing = {
  nameOf: ({ metadata }) => (metadata.name ?? "").replace(/^chat-/, ""),
  line(event, pod) {
    const name = groupDrawing.nameOf(pod);
    if (event === "ready") return undefined;
    return event === "created" ? `+${name} ${imageOf(pod)}` : `-${name}`;
  },
};

/** Its roles are workloads of other kinds, which have to run beside it. */
export const groupScenarioKind: ScenarioKind = {
  resources: [roleBasedGroupResource],
  definitions: [roleBasedGroupKind],
  promises: (watched) => new RoleBasedGroupPromises(watched),
  drawing: groupDrawing,
};

/** `holdsAllToIt`: also Placements that are updated in place, to see that they break it. */
export const placementScenarioKind = (holdsAllToIt: boolean): ScenarioKind => ({
  definitions: [placementKind],
  resources: [placementResource],
  promises: (watched) => new PlacementPromises(watched, { holdsAllToIt }),
  drawing: { nameOf: ({ metadata }) => metadata.name ?? "", line: () => undefined },
});
