/** What a rollout that is stuck asked for with onStuck: going on without surge, or going back. */
import { controllerRevisionResource } from "../../api/apps.ts";
import type { CliqueTemplate } from "../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import type { Client } from "../../runtime/client.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import type { SetRevision } from "../set-revisions.ts";
import { isSurgeReleased, surgeReleasedAnnotation } from "./deadline.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";

/** True where the set was changed, so that everything else waits for the next pass. */
export async function applyRemedy(
  client: Client,
  events: EventRecorder,
  observed: Observed,
  { decision, target }: Plan,
): Promise<boolean> {
  const { remedy } = decision;
  if (remedy.kind === "releaseSurge") await releaseSurge(client, target);
  if (remedy.kind !== "rollback") return false;
  const previous = observed.revisions.find(({ name }) => name === remedy.toRevision);
  if (previous === undefined) return false;
  const message = `going back to ${previous.name}: ${decision.reason.message}`;
  events.record(observed.set, { type: "Warning", reason: "RolledBack", message });
  await client.update(podCliqueSetResource, restored(observed, previous));
  return true;
}

async function releaseSurge(client: Client, target: SetRevision): Promise<void> {
  if (isSurgeReleased(target)) return;
  const { namespace, name = "" } = target.object.metadata;
  const body = { metadata: { annotations: { [surgeReleasedAnnotation]: "true" } } };
  await client.patch(controllerRevisionResource, { namespace, name }, { type: "merge", body });
}

/** The set with the pods of a recorded revision; numbers, order and strategies stay as they are. */
export function restored({ set }: Pick<Observed, "set">, revision: SetRevision): Observed["set"] {
  const cliques = set.spec.template.cliques.map((clique): CliqueTemplate => {
    const recorded = revision.cliques.find(({ name }) => name === clique.name);
    if (recorded === undefined) return clique;
    const { labels: _labels, annotations: _annotations, ...rest } = clique;
    const { labels, annotations, spec } = recorded;
    return {
      ...rest,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      spec: { ...clique.spec, podSpec: spec.podSpec },
    };
  });
  return { ...set, spec: { ...set.spec, template: { ...set.spec.template, cliques } } };
}
