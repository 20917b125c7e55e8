/** The kinds that can be simulated. */
import type { SimulatedKind } from "../simulated-kind.ts";
import { simulatedPlacement } from "./placement.ts";
import { simulatedPodCliqueSet } from "./pod-clique-set.ts";
import { simulatedRoleBasedGroup } from "./role-based-group.ts";
import { simulatedAssistedSet, simulatedStatefulSet } from "./stateful-set.ts";

export const simulatedKinds: readonly SimulatedKind[] = [
  simulatedPodCliqueSet,
  simulatedStatefulSet,
  simulatedRoleBasedGroup,
  simulatedPlacement,
  simulatedAssistedSet,
];
