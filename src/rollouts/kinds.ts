/** All kinds that can be seen and steered: a new one is one file in `kinds`, one in `steering` and one line here. */
import { guarded } from "./guarded.ts";
import type { RolloutKind } from "./kind.ts";
import { podCliqueRollout, scalingGroupRollout } from "./kinds/pod-clique-parts.ts";
import { podCliqueSetRollout } from "./kinds/pod-clique-set.ts";
import { placementRollout } from "./kinds/placement.ts";
import { roleBasedGroupRollout } from "./kinds/role-based-group.ts";
import { statefulSetRollout } from "./kinds/stateful-set.ts";
import { placementSteering } from "./steering/placement.ts";
import { partSteering, podCliqueSetSteering } from "./steering/pod-clique-set.ts";
import { roleBasedGroupSteering } from "./steering/role-based-group.ts";
import { statefulSetSteering } from "./steering/stateful-set.ts";

const known: readonly RolloutKind[] = [
  { ...podCliqueSetRollout, steering: podCliqueSetSteering },
  { ...scalingGroupRollout, steering: partSteering("podcliquescalinggroup") },
  { ...podCliqueRollout, steering: partSteering("podclique") },
  { ...roleBasedGroupRollout, steering: roleBasedGroupSteering },
  { ...placementRollout, steering: placementSteering },
  { ...statefulSetRollout, steering: statefulSetSteering },
];

export const rolloutKinds: readonly RolloutKind[] = known.map(guarded);
