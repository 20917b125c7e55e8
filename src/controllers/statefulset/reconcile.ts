/** One reconcile of a StatefulSet in full mode: observe, record, plan, act, report. */
import { controllerRevisionResource } from "../../api/apps.ts";
import type { ObjectKey } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Outcome, Reconcile } from "../../runtime/controller.ts";
import { earliestRequeue } from "../engine/requeue.ts";
import { UnconfirmedDeletes } from "../engine/unconfirmed-deletes.ts";
import type { Deeds } from "./act.ts";
import { act, noDeeds } from "./act.ts";
import { droppedField } from "./dropped-field.ts";
import type { SetGauges } from "./gauges.ts";
import { revisionLabel } from "./identity.ts";
import type { Observed, StatefulSetCaches } from "./observe.ts";
import { observe } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { plan } from "./plan.ts";
import { fullPolicy, unknownStrategy } from "./policy.ts";
import type { Recorded } from "./record-revision.ts";
import { recordRevision } from "./record-revision.ts";
import type { Reporter } from "./report.ts";
import { expiredRevisions } from "./revisions.ts";
import { CompetingControllers } from "./competing-controller.ts";
import { setStatus } from "./status.ts";
import { takeOver } from "./take-over.ts";

export interface ReconcileOptions {
  readonly caches: StatefulSetCaches;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly gauges: SetGauges;
}

export const ownerKey = ({ namespace, name }: ObjectKey): string => `${namespace}/${name}`;

export function fullReconcile(options: ReconcileOptions): Reconcile {
  const { caches, clock, reporter, gauges } = options;
  const deletes = new UnconfirmedDeletes();
  const competing = new CompetingControllers();
  return async (key, client) => {
    const owner = ownerKey(key);
    if (await deletes.confirm(client, owner)) return { recheckAfterMs: 0 };
    const observed = observe(caches, key, clock.now());
    if (observed === undefined) {
      competing.forget(owner);
      return forget(options, owner);
    }
    if (isTerminating(observed.set)) return tellWhileDeleting(reporter, client, owner, observed);
    const standBackForMs = competing.standBackFor(owner, observed.set, observed.nowMs);
    if (standBackForMs !== undefined) {
      reporter.warnOnce(owner, observed.set, "AnotherController", competingText);
      return { recheckAfterMs: standBackForMs };
    }
    await takeOver(client, observed);
    const recorded = await recordRevision(client, observed);
    const planned = plan(observed, recorded.names, fullPolicy(observed.set, observed.overrides));
    gauges.show(owner, observed, planned);
    const deeds = noDeeds();
    const problems: unknown[] = [];
    const attempt = async <T>(step: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await step();
      } catch (error) {
        problems.push(error);
        return undefined;
      }
    };
    await attempt(() => act({ client, deletes, owner, deeds }, observed, planned, recorded));
    // Losing a race, also against our own write that the cache does not show yet, concerns nobody.
    if (problems.length > 0 && !isLostRace(observed, problems[0]))
      reporter.warn(observed.set, "FailedStep", failureText(planned, problems[0]));
    reporter.note(observed.set, deeds);
    warn(reporter, owner, observed, deeds);
    const status = setStatus(observed, planned, recorded.collisionCount);
    competing.computed(owner, status);
    const tellAfterMs = await attempt(() => reporter.tell(client, owner, observed.set, status));
    await attempt(() => truncateHistory(client, observed, recorded));
    // What failed first is what has to be repaired first.
    if (problems.length > 0) throw problems[0];
    return earliestRequeue(planned.decision.recheckAfterMs, tellAfterMs);
  };
}

const competingText =
  "another controller writes the status of this set, and two would undo each other's work: Lockstep stands " +
  "back until it has been silent for five minutes. Turn the cluster's own controller off " +
  "(kube-controller-manager --controllers=*,-statefulset-controller), or run Lockstep with " +
  "--statefulset-mode assist";

export function forget({ reporter, gauges }: ReconcileOptions, owner: string): void {
  reporter.forget(owner);
  gauges.forget(owner);
}

/** The garbage collector takes the pods; all that is left to do is to count them. */
async function tellWhileDeleting(
  reporter: Reporter,
  client: Client,
  owner: string,
  observed: Observed,
): Promise<Outcome> {
  const { set, overrides } = observed;
  const { updateRevision: update = "", currentRevision: current = update } = set.status ?? {};
  const planned = plan(observed, { current, update }, fullPolicy(set, overrides));
  const { conditions: _ours, ...counts } = setStatus(observed, planned, 0);
  const { conditions, collisionCount } = set.status ?? {};
  const names = { currentRevision: current, updateRevision: update, collisionCount, conditions };
  return earliestRequeue(await reporter.tell(client, owner, set, { ...counts, ...names }));
}

function isLostRace(observed: Observed, error: unknown): boolean {
  if (isConflict(error)) return true;
  if (!isAlreadyExists(error)) return false;
  const { name = "" } = error.status.details ?? {};
  return !observed.isTaken(name);
}

function failureText({ decision }: Plan, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `${decision.reason.message}, but that failed: ${why}`;
}

function warn(reporter: Reporter, owner: string, { set, overrides }: Observed, deeds: Deeds): void {
  for (const problem of overrides.problems) {
    reporter.warnOnce(owner, set, "AnnotationIgnored", problem);
  }
  const unknown = unknownStrategy(set);
  if (unknown !== undefined) {
    const message =
      `spec.updateStrategy.type ${unknown} is not known to Lockstep: no pod is replaced for an update. ` +
      "Use RollingUpdate or OnDelete";
    reporter.warnOnce(owner, set, "UnknownStrategy", message);
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
