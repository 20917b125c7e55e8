/** One reconcile of a PodClique: observe, plan, act, report. */
import { eventReasons } from "../../../api/grove/conditions.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique, PodCliqueStatus } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import { isConflict } from "../../../api/status.ts";
import { timeText } from "../../../api/time-text.ts";
import type { Client } from "../../../runtime/client.ts";
import { nameConflicts } from "../orphans.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Reconcile } from "../../../runtime/controller.ts";
import type { EventRecorder } from "../../../runtime/event-recorder.ts";
import type { Look } from "../../engine/reconcile.ts";
import { attended } from "../../engine/reconcile.ts";
import type { ClaimKeeper } from "../claim-keeper.ts";
import type { DeedReporter } from "../../engine/action-events.ts";
import { lookAgainMs, lookUp } from "../../engine/live-reads.ts";
import { earliestRequeue } from "../../engine/requeue.ts";
import { StatusReporter } from "../../engine/status-writer.ts";
import type { Done } from "./act.ts";
import { act, deletePods } from "./act.ts";
import { isInDoubt } from "./base-gang.ts";
import { claimNeeds, sharingOf } from "./claims.ts";
import { podsInTheWay } from "./clear-place.ts";
import { troubleInMs } from "./clique-conditions.ts";
import { FinalizerRelease } from "./finalizer-release.ts";
import { Firstborn } from "./firstborn.ts";
import type { Observed, PodCliqueCaches } from "./observe.ts";
import { observe } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { isSurgeReleased, plan } from "./plan.ts";
import type { LastErrors } from "./status.ts";
import { cliqueStatus, isUrgent } from "./status.ts";
import { isReleasing } from "./update-progress.ts";

export interface ReconcileOptions {
  readonly caches: PodCliqueCaches;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly deeds: DeedReporter;
  readonly claims: ClaimKeeper;
  readonly reporter: CliqueReporter;
}

export type CliqueReporter = StatusReporter<PodCliqueStatus, PodClique>;

export const cliqueReporter = (clock: Clock): CliqueReporter =>
  new StatusReporter({ clock, resource: podCliqueResource, isUrgent });

export function podCliqueReconcile(options: ReconcileOptions): Reconcile {
  const { caches, clock, events, claims, reporter } = options;
  const firstborn = new Firstborn();
  const finalizers = new FinalizerRelease();
  const attend = async ({ client, deletes, owner, observed }: Look<Observed>) => {
    const { clique } = observed;
    const planned = plan(observed);
    const tell = (lastErrors: LastErrors): Promise<number | undefined> => {
      const known = reporter.known(owner, clique)?.conditions;
      const status = cliqueStatus(observed, planned, { known, lastErrors });
      return reporter.tell(client, owner, clique, status);
    };
    if (isReleasing(planned) && !isSurgeReleased(clique)) {
      // Given up for this target, whatever happens next: only then does the surge go.
      await tell([]);
      return { recheckAfterMs: 0 };
    }
    const isMaking = planned.decision.actions.some(({ kind }) => kind === "create");
    // Its deletion is on its way to the cache, and that brings the key back.
    if (isMaking && !(await firstborn.mayMakePods(client, owner, clique))) return undefined;
    const set = await setBehind(client, caches, clique, isMaking);
    const sharing = sharingOf(set, clique);
    const claimsAfterMs = await claims.keep(client, owner, claimNeeds(observed, planned, sharing));
    const deeds: Done = { created: [], deleted: [], taken: [] };
    const problem = await failureOf(
      act({ client, deletes, owner, sharing, deeds }, observed, planned),
    );
    options.deeds.note(set ?? clique, deeds);
    if (problem !== undefined && !isConflict(problem.cause)) {
      const [reason, message] = [failureReason(planned), problem.text(planned)];
      events.record(clique, { type: "Warning", reason, message });
    }
    const tellAfterMs = await tell(lastErrors(problem?.text(planned), clock.now()));
    if (problem !== undefined) throw problem.cause;
    const troubleMs = troubleInMs(planned, clock.now());
    const lookAfterMs =
      deeds.taken.length > 0 || isInDoubt(observed.baseGang) ? lookAgainMs : undefined;
    const dueMs = [planned.decision.recheckAfterMs, troubleMs, claimsAfterMs];
    return earliestRequeue(...dueMs, tellAfterMs, lookAfterMs);
  };
  return attended<Observed>({
    resource: podCliqueResource,
    events,
    nameConflicts,
    observe: (key) => observe(caches, key, clock.now()),
    forget: (owner) => {
      for (const each of [firstborn, claims, finalizers, reporter]) each.forget(owner);
    },
    objectOf: ({ clique }) => clique,
    orphansOf: ({ orphans }) => orphans,
    release: ({ client, deletes, owner, observed }) => {
      const inTheWay = podsInTheWay(observed, setOf(caches, observed.clique));
      const clear = (): Promise<void> => deletePods({ client, deletes, owner }, inTheWay);
      return finalizers.release(client, owner, observed.clique, clear);
    },
    attend,
  });
}

/** Whose story its pods are part of. */
const setOf = ({ sets }: PodCliqueCaches, { metadata }: PodClique): PodCliqueSet | undefined =>
  sets.get({ namespace: metadata.namespace, name: metadata.labels?.[labelKeys.partOf] ?? "" });

/** Pods never lack what their set shares because a cache is late: before any are made, the server is asked. */
async function setBehind(
  client: Client,
  caches: PodCliqueCaches,
  clique: PodClique,
  isMaking: boolean,
): Promise<PodCliqueSet | undefined> {
  const { namespace, labels } = clique.metadata;
  const name = labels?.[labelKeys.partOf];
  const cached = setOf(caches, clique);
  if (cached !== undefined || name === undefined || !isMaking) return cached;
  return lookUp(client, podCliqueSetResource, { namespace, name });
}

interface Failure {
  readonly cause: unknown;
  text(planned: Plan): string;
}

async function failureOf(work: Promise<void>): Promise<Failure | undefined> {
  try {
    await work;
    return undefined;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return { cause, text: ({ decision }) => `${decision.reason.message}, but that failed: ${why}` };
  }
}

const failureReason = ({ decision }: Plan): string =>
  decision.kind === "create" ? eventReasons.podCreateFailed : eventReasons.podDeleteFailed;

const lastErrors = (description: string | undefined, nowMs: number): LastErrors =>
  description === undefined
    ? []
    : [{ code: "ERR_SYNC_PODS", description, observedAt: timeText(nowMs) }];
