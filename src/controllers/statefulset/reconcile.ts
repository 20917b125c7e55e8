/** One reconcile of a StatefulSet in full mode: observe, record, plan, act, report. */
import { controllerRevisionResource } from "../../api/apps.ts";
import type { ObjectKey } from "../../api/object.ts";
import { isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Outcome, Reconcile } from "../../runtime/controller.ts";
import { UnconfirmedDeletes } from "../unconfirmed-deletes.ts";
import type { Deeds } from "./act.ts";
import { act } from "./act.ts";
import { droppedField } from "./dropped-field.ts";
import { revisionLabel } from "./identity.ts";
import type { Observed, StatefulSetCaches } from "./observe.ts";
import { observe } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { plan } from "./plan.ts";
import { fullPolicy } from "./policy.ts";
import type { Recorded } from "./record-revision.ts";
import { recordRevision } from "./record-revision.ts";
import type { Reporter } from "./report.ts";
import { expiredRevisions } from "./revisions.ts";
import { setStatus } from "./status.ts";
import { takeOver } from "./take-over.ts";

export interface ReconcileOptions {
  readonly caches: StatefulSetCaches;
  readonly clock: Clock;
  readonly reporter: Reporter;
}

export const ownerKey = ({ namespace, name }: ObjectKey): string => `${namespace}/${name}`;

export function fullReconcile({ caches, clock, reporter }: ReconcileOptions): Reconcile {
  const deletes = new UnconfirmedDeletes();
  return async (key, client) => {
    const owner = ownerKey(key);
    await deletes.confirm(client, owner);
    const observed = observe(caches, key, clock.now());
    if (observed === undefined) return reporter.forget(owner);
    if (observed.set.metadata.deletionTimestamp !== undefined) return undefined;
    await takeOver(client, observed);
    const recorded = await recordRevision(client, observed);
    const planned = plan(observed, recorded.names, fullPolicy(observed.set, observed.wishes));
    let problem: unknown;
    try {
      const deeds = await act({ client, deletes, owner }, observed, planned, recorded);
      reporter.note(owner, deeds);
      warn(reporter, owner, observed, deeds);
    } catch (error) {
      problem = error;
      reporter.warn(observed.set, "FailedStep", failureText(planned, error));
    }
    const status = setStatus(observed, planned, recorded.collisionCount);
    const tellAfterMs = await reporter.tell(client, owner, observed.set, status);
    if (problem !== undefined) throw problem;
    await truncateHistory(client, observed, recorded);
    return soonest(planned.decision.recheckAfterMs, tellAfterMs);
  };
}

export function soonest(...delays: readonly (number | undefined)[]): Outcome {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? {} : { recheckAfterMs: Math.min(...known) };
}

function failureText({ decision }: Plan, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `${decision.reason.message}, but that failed: ${why}`;
}

function warn(reporter: Reporter, owner: string, { set, wishes }: Observed, deeds: Deeds): void {
  for (const problem of wishes.problems) {
    reporter.warnOnce(owner, set, "AnnotationIgnored", problem);
  }
  const dropped = droppedField(set);
  if (dropped !== undefined) reporter.warnOnce(owner, set, "FieldDropped", dropped);
  if (deeds.foreignClaims.length === 0) return;
  const claims = deeds.foreignClaims.join(", ");
  const message = `claims ${claims} belong to another controller: the retention policy does not reach them`;
  reporter.warnOnce(owner, set, "ConflictingController", message);
}

async function truncateHistory(
  client: Client,
  { set, revisions, pods }: Observed,
  { names }: Recorded,
): Promise<void> {
  const inUse = new Set([
    names.current,
    names.update,
    ...pods.map(({ pod }) => pod.metadata.labels?.[revisionLabel] ?? ""),
  ]);
  const limit = set.spec.revisionHistoryLimit ?? 10;
  for (const { metadata } of expiredRevisions(revisions, inUse, limit)) {
    const key = { namespace: set.metadata.namespace, name: metadata.name ?? "" };
    await client
      .delete(controllerRevisionResource, key, { uid: metadata.uid })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}
