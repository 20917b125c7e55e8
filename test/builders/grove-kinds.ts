/** The grove kinds in scenarios: a PodClique alone in its gang, or a PodCliqueSet with everything below it. */
import { clusterTopologyBindingResource } from "../../src/api/grove/cluster-topology.ts";
import { labelKeys } from "../../src/api/grove/labels.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import { groveCaches } from "../../src/controllers/grove/caches.ts";
import { podCliqueController } from "../../src/controllers/grove/podclique/index.ts";
import { scalingGroupController } from "../../src/controllers/grove/podcliquescalinggroup/index.ts";
import { podCliqueSetController } from "../../src/controllers/grove/podcliqueset/index.ts";
import { podGangController } from "../../src/controllers/grove/podgang/index.ts";
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
  hasGangs: true,
  invariants: [hostnamesAreUnique],
  promises: (watched) => new PodCliqueSetPromises(watched),
  drawing: groveDrawing,
} as const satisfies Partial<ScenarioKind>;

export const podCliqueKind: ScenarioKind = {
  ...grove,
  resources: [podCliqueResource, podGangResource],
  controllers(optionsFor) {
    const caches = groveCaches(optionsFor("caches"));
    return [
      podCliqueController({ ...optionsFor("PodClique"), caches }),
      podGangController({ ...optionsFor("PodGang"), caches }),
    ];
  },
};

export const podCliqueSetKind: ScenarioKind = {
  ...grove,
  resources: [podCliqueSetResource, clusterTopologyBindingResource],
  controllers(optionsFor) {
    const caches = groveCaches(optionsFor("caches"));
    return [
      podCliqueSetController({ ...optionsFor("PodCliqueSet"), caches }),
      scalingGroupController({ ...optionsFor("PodCliqueScalingGroup"), caches }),
      podCliqueController({ ...optionsFor("PodClique"), caches }),
      podGangController({ ...optionsFor("PodGang"), caches }),
    ];
  },
};
