/** The grove kinds in scenarios: a PodClique alone in its gang, or a PodCliqueSet with everything below it. */
import { clusterTopologyBindingResource } from "../../src/api/grove/cluster-topology.ts";
import { labelKeys } from "../../src/api/grove/labels.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import { podCliqueKind } from "../../src/controllers/grove/podclique/index.ts";
import { scalingGroupKind } from "../../src/controllers/grove/podcliquescalinggroup/index.ts";
import { podCliqueSetKind } from "../../src/controllers/grove/podcliqueset/index.ts";
import { podGangKind } from "../../src/controllers/grove/podgang/index.ts";
import { hostnamesAreUnique } from "./pod-clique-set-invariants.ts";
import { PodCliqueSetPromises } from "./pod-clique-set-promises.ts";
import type { KindDrawing, ScenarioKind } from "./scenario-kind.ts";
import { hostnameOf, imageOf } from "./scenario-kind.ts";

/** Names of pods are made up by the server, so people know them by their hostnames. */
export const groveDrawing: KindDrawing = {
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
  invariants: [hostnamesAreUnique],
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
