/** All kinds that Lockstep runs: the command line, the generated manifests and the tests walk this list. */
import { addOnKind } from "./addon/index.ts";
import type { KindDefinition } from "./engine/kind-definition.ts";
import { podCliqueKind } from "./grove/podclique/index.ts";
import { scalingGroupKind } from "./grove/podcliquescalinggroup/index.ts";
import { podCliqueSetKind } from "./grove/podcliqueset/index.ts";
import { podGangKind } from "./grove/podgang/index.ts";
import { placementKind } from "./placement/index.ts";
import { roleBasedGroupKind } from "./rolebasedgroup/index.ts";
import { roleBasedGroupSetKind } from "./rolebasedgroup/rolebasedgroupset/index.ts";
import { scalingAdapterKind } from "./rolebasedgroup/scalingadapter/index.ts";
import { statefulSetKind } from "./statefulset/index.ts";

export const kinds: readonly KindDefinition[] = [
  podCliqueSetKind,
  scalingGroupKind,
  podCliqueKind,
  podGangKind,
  statefulSetKind,
  placementKind,
  addOnKind,
  roleBasedGroupKind,
  roleBasedGroupSetKind,
  scalingAdapterKind,
];
