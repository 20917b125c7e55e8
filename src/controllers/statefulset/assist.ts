/** Assist mode: the cluster's own controller makes the pods; we delete them, in order and within a budget. */
import { isTerminating } from "../../api/object.ts";
import type { StatefulSet } from "../../api/apps.ts";
import type { Action, ReplaceAction } from "../../planner/index.ts";
import type { Reconcile } from "../../runtime/controller.ts";
import { mergeConditions } from "../engine/conditions.ts";
import { allAtOnce, slowStart } from "../engine/slow-start.ts";
import { earliestRequeue } from "../engine/requeue.ts";
import { UnconfirmedDeletes } from "../engine/unconfirmed-deletes.ts";
import { deletePod, noDeeds } from "./act.ts";
import { annotationNames } from "./annotations.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { assistPolicy, isOnDelete } from "./policy.ts";
import type { ReconcileOptions } from "./reconcile.ts";
import { forget, ownerKey } from "./reconcile.ts";
import { conditionsOf } from "./status.ts";

export function assistReconcile(options: ReconcileOptions): Reconcile {
  const { caches, clock, reporter, gauges } = options;
  const deletes = new UnconfirmedDeletes();
  return async (key, client) => {
    const owner = ownerKey(key);
    if (await deletes.confirm(client, owner)) return { recheckAfterMs: 0 };
    const observed = observe(caches, key, clock.now());
    if (observed === undefined) return forget(options, owner);
    const { set, overrides } = observed;
    const refusal = whyNotOurs(set);
    if (refusal !== undefined) {
      if (refusal !== "") reporter.warnOnce(owner, set, "NotAssisted", refusal);
      return undefined;
    }
    for (const problem of overrides.problems) {
      reporter.warnOnce(owner, set, "AnnotationIgnored", problem);
    }
    // Until the cluster's controller has seen the template, nobody knows what is outdated.
    if (isBehind(set)) return undefined;
    const update = set.status?.updateRevision ?? "";
    const names = { update, current: set.status?.currentRevision ?? update };
    const planned = plan(observed, names, assistPolicy(set, overrides));
    gauges.show(owner, observed, planned);
    const deeds = noDeeds();
    const actions: readonly Action[] = planned.decision.actions;
    const replacements = actions.filter(isUpdate);
    const tasks = replacements.map(
      (action) => () =>
        deletePod({ client, deletes, owner, deeds }, observed, { action, pods: planned.pods }),
    );
    await slowStart(tasks, allAtOnce);
    reporter.note(set, deeds);
    const ours = conditionsOf(planned.decision, planned.pods);
    const conditions = mergeConditions(set.status?.conditions, ours, observed.nowMs);
    const tellAfterMs = await reporter.tell(client, owner, set, { conditions });
    return earliestRequeue(planned.decision.recheckAfterMs, tellAfterMs);
  };
}

/** Undefined: it is ours to pace. Empty: nobody asked. Else what its owner should know. */
function whyNotOurs(set: StatefulSet): string | undefined {
  if (isTerminating(set)) return "";
  if (set.metadata.annotations?.[annotationNames.maxUnavailable] === undefined) return "";
  if (isOnDelete(set)) return undefined;
  return (
    `annotation ${annotationNames.maxUnavailable} has no effect: the cluster's own controller rolls this set ` +
    `out. Set spec.updateStrategy.type to OnDelete to have Lockstep pace the update`
  );
}

function isBehind({ metadata, status }: StatefulSet): boolean {
  return (
    (status?.observedGeneration ?? 0) < (metadata.generation ?? 0) ||
    (status?.updateRevision ?? "") === ""
  );
}

/** Creating, scaling and restarting failed pods is the cluster's own controller's work. */
function isUpdate(action: Action): action is ReplaceAction {
  return action.kind === "replace" && action.code !== "UnitFailed";
}
