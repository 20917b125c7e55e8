/** What the PodClique controller brings to the engine. */
import { eventReasons } from "../../../api/grove/conditions.ts";
import type { PodClique, PodCliqueStatus } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import { isConflict } from "../../../api/status.ts";
import { timeText } from "../../../api/time-text.ts";
import { lookUp, stillThere } from "../../engine/live-reads.ts";
import type { Failure, Kind, KindTools } from "../../engine/reconcile.ts";
import { podActions } from "../../engine/reconcile.ts";
import { failedStep } from "../../engine/rollout-conditions.ts";
import { sizeProblem } from "../../engine/size-limits.ts";
import type { LiveRead } from "../../engine/write.ts";
import type { ClaimWatch } from "../claim-watch.ts";
import { adoptionOf, nameConflicts } from "../orphans.ts";
import { surgeReleasedEvent } from "../update-condition.ts";
import { causesOf } from "./clique-conditions.ts";
import { setNameOf } from "./identity.ts";
import type { LackOf, Observed, PodCliqueReaders } from "./observe.ts";
import { observe } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { isCreating, isSurgeReleased, plan } from "./plan.ts";
import { releaseWrites } from "./writes.ts";
import type { LastErrors } from "./status.ts";
import { cliqueStatus, figuresOf } from "./status.ts";

export type CliqueTools = KindTools<PodClique, PodCliqueStatus>;

type CliqueKind = Kind<PodClique, PodCliqueStatus, Observed, Plan>;

export function podCliqueReconciler(
  readers: PodCliqueReaders,
  { clock, events, statuses }: CliqueTools,
  { claims, lackOf }: { readonly claims: ClaimWatch; readonly lackOf?: LackOf | undefined },
): CliqueKind {
  return {
    resource: podCliqueResource,
    reports: "afterActing",
    nameConflicts,
    adoption: adoptionOf(({ orphans }) => orphans),
    observe: (key) => observe(readers, key, { nowMs: clock.now(), lackOf }),
    objectOf: ({ clique }) => clique,
    release: (observed) => ({ phases: releaseWrites(observed) }),
    tooLarge: ({ clique }) => sizeProblem("spec.replicas", clique.spec.replicas, "pods"),
    plan: (observed) => claims.first(plan(observed)),
    guards: (observed, planned) => {
      if (!isCreating(planned) || planned.phases.length === 0) return [];
      // A clique that was never reported on was created a moment ago.
      const isNew = statuses.known(observed.clique) === undefined;
      return [
        ...(isNew ? [] : [stillThere(podCliqueResource, observed.clique)]),
        seenSetCheck(observed),
      ];
    },
    status: (observed, planned, failure) =>
      cliqueStatus(observed, planned, {
        known: statuses.known(observed.clique),
        lastErrors: lastErrors(observed, planned, failure),
        refusal: failure === undefined || isConflict(failure.cause) ? undefined : failure.message,
      }),
    figures: figuresOf,
    performedActions: ({ set, clique }, writes) => podActions(set ?? clique, writes),
    emit: ({ set, clique }, planned, status) => {
      const wasReleased = isSurgeReleased(clique);
      if (wasReleased || status?.updateProgress?.surgeReleased !== true) return;
      events.record(set ?? clique, surgeReleasedEvent(planned.decision, causesOf(planned)));
    },
    failureEvent: (_observed, planned, failure) =>
      isConflict(failure.cause)
        ? undefined
        : { type: "Warning", reason: failureReason(planned), message: textOf(planned, failure) },
  };
}

/** How soon a set that the server has shows up in the cache. */
const cacheLagMs = 250;

/** Pods never lack what their set shares because a cache is late: where it shows no set, the server is asked. */
const seenSetCheck = ({ set, clique }: Observed): LiveRead => ({
  question: `is there a PodCliqueSet ${setNameOf(clique)} that the cache does not show`,
  read: async (live) => {
    const [name, { namespace }] = [setNameOf(clique), clique.metadata];
    if (set !== undefined || name === "") return { isOpen: true };
    const found = await lookUp(live, podCliqueSetResource, { namespace, name });
    return { isOpen: found === undefined, holdsForMs: cacheLagMs };
  },
});

const failureReason = ({ decision }: Plan): string =>
  decision.kind === "create" ? eventReasons.podCreateFailed : eventReasons.podDeleteFailed;

const textOf = ({ decision }: Plan, { message }: Failure): string =>
  failedStep(decision.reason.message, message);

const lastErrors = ({ nowMs }: Observed, planned: Plan, failure: Failure | undefined): LastErrors =>
  failure === undefined
    ? []
    : [
        {
          code: "ERR_SYNC_PODS",
          description: textOf(planned, failure),
          observedAt: timeText(nowMs),
        },
      ];
