/** All kinds that Lockstep runs: the command line, the generated manifests and the tests walk this list. */
import type { KindDefinition } from "./engine/kind-definition.ts";
import { podCliqueKind } from "./grove/podclique/definition.ts";
import { scalingGroupKind } from "./grove/podcliquescalinggroup/definition.ts";
import { podCliqueSetKind } from "./grove/podcliqueset/definition.ts";
import { podGangKind } from "./grove/podgang/definition.ts";
import { statefulSetKind } from "./statefulset/definition.ts";

export const kinds: readonly KindDefinition[] = [
  podCliqueSetKind,
  scalingGroupKind,
  podCliqueKind,
  podGangKind,
  statefulSetKind,
];
