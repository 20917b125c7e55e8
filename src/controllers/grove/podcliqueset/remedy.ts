/** What onStuck asks for when a rollout is stuck: releasing the surge, or rolling back. Pure. */
import { controllerRevisionResource } from "../../../api/apps.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import type { Decision } from "../../../planner/index.ts";
import type { Write } from "../../engine/write.ts";
import { patchOf, updateOf } from "../../engine/write.ts";
import { withPodsOf } from "../accepted-spec.ts";
import type { SetRevision } from "../set-revisions.ts";
import type { Acceptance } from "./accept.ts";
import { isSurgeReleased, surgeReleasedAnnotation } from "./deadline.ts";
import type { Observed } from "./observe.ts";

/** The revision that a set is rolled back to now; undefined where it is not. */
export function rollbackTarget(
  { revisions }: Observed,
  { remedy }: Decision,
  { isAccepted }: Acceptance,
): SetRevision | undefined {
  // A spec that waits to be corrected must not be overwritten.
  if (remedy.kind !== "rollback" || !isAccepted) return undefined;
  return revisions.find(({ name }) => name === remedy.toRevision);
}

export const rollbackWrite = ({ set }: Observed, previous: SetRevision): Write =>
  updateOf(podCliqueSetResource, { ...set, spec: withPodsOf(set.spec, previous) });

/** Recorded with the revision, so that a restarted operator does not bring the surge back. */
export function surgeReleaseWrites({ remedy }: Decision, target: SetRevision): readonly Write[] {
  if (remedy.kind !== "releaseSurge" || isSurgeReleased(target)) return [];
  const body = { metadata: { annotations: { [surgeReleasedAnnotation]: "true" } } };
  const patch = { type: "merge", body } as const;
  return [patchOf(controllerRevisionResource, target.object, { patch })];
}
