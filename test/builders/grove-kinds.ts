/** The grove kinds in tests, where hostnames are compared after every event. */
import type { ScenarioKind } from "../../src/simulation/scenario-kind.ts";
import {
  podCliqueScenarioKind as podClique,
  podCliqueSetScenarioKind as podCliqueSet,
} from "../../src/simulation/scenario-kinds.ts";
import { hostnamesAreUnique } from "./pod-clique-set-invariants.ts";

export const podCliqueScenarioKind: ScenarioKind = {
  ...podClique,
  invariants: [hostnamesAreUnique],
};

export const podCliqueSetScenarioKind: ScenarioKind = {
  ...podCliqueSet,
  invariants: [hostnamesAreUnique],
};
