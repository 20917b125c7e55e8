/** What a rollout that is stuck asked for with onStuck: going on without surge, or going back. */
import { controllerRevisionResource } from "../../../api/apps.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import type { Client } from "../../../runtime/client.ts";
import type { EventRecorder } from "../../../runtime/event-recorder.ts";
import { withPodsOf } from "../accepted-spec.ts";
import type { SetRevision } from "../set-revisions.ts";
import { isSurgeReleased, surgeReleasedAnnotation } from "./deadline.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";

export interface RemedyOptions {
  readonly client: Client;
  readonly events: EventRecorder;
  /** Not while the user's spec waits to be corrected: it would be overwritten. */
  readonly mayGoBack: boolean;
}

/** True where the set was changed, so that everything else waits for the next pass. */
export async function applyRemedy(
  { client, events, mayGoBack }: RemedyOptions,
  observed: Observed,
  { decision, target }: Plan,
): Promise<boolean> {
  const { remedy } = decision;
  if (remedy.kind === "releaseSurge") await releaseSurge(client, target);
  if (remedy.kind !== "rollback" || !mayGoBack) return false;
  const previous = observed.revisions.find(({ name }) => name === remedy.toRevision);
  if (previous === undefined) return false;
  const { set } = observed;
  const message = `going back to ${previous.name}: ${decision.reason.message}`;
  events.record(set, { type: "Warning", reason: "RolledBack", message });
  const spec = withPodsOf(set.spec, previous);
  await client.update(podCliqueSetResource, { ...set, spec });
  return true;
}

async function releaseSurge(client: Client, target: SetRevision): Promise<void> {
  if (isSurgeReleased(target)) return;
  const { namespace, name = "" } = target.object.metadata;
  const body = { metadata: { annotations: { [surgeReleasedAnnotation]: "true" } } };
  await client.patch(controllerRevisionResource, { namespace, name }, { type: "merge", body });
}
