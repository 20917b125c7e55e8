/** One reconcile of a PodCliqueSet: observe, record, plan, report, act. */
import { clusterTopologyBindingResource } from "../../api/grove/cluster-topology.ts";
import type { PodCliqueSet, PodCliqueSetStatus } from "../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import { topologyNameOf } from "../../api/grove/topology.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Reconcile } from "../../runtime/controller.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import type { ClaimKeeper } from "../claim-keeper.ts";
import type { DeedReporter } from "../deed-reporter.ts";
import type { GroveCaches } from "../grove-caches.ts";
import { isStillThere, lookAgainMs, lookUp } from "../live-look.ts";
import { soonest } from "../soonest.ts";
import { StatusReporter } from "../status-reporter.ts";
import { UnconfirmedDeletes } from "../unconfirmed-deletes.ts";
import { judgeSpec, rejectedStatus, tellAcceptance } from "./accept.ts";
import { act } from "./act.ts";
import { claimNeeds } from "./claims.ts";
import { KnownRemains } from "./known-remains.ts";
import type { Observed } from "./observe.ts";
import { observe, withAccepted } from "./observe.ts";
import { plan } from "./plan.ts";
import { recordRevision, truncateHistory } from "./record-revision.ts";
import { applyRemedy } from "./remedy.ts";
import { SetMemory } from "./set-memory.ts";
import { SettledReplicas } from "./settled-replicas.ts";
import { isUrgent, setStatus } from "./status.ts";
import { tell } from "./tell.ts";
import { bindingOf, isToldMissing } from "./topology-condition.ts";

export interface ReconcileOptions {
  readonly caches: GroveCaches;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly deeds: DeedReporter;
  readonly claims: ClaimKeeper;
}

export function podCliqueSetReconcile(options: ReconcileOptions): Reconcile {
  const { caches, clock, events, claims } = options;
  const deletes = new UnconfirmedDeletes();
  const memory = new SetMemory();
  const settled = new SettledReplicas();
  const remains = new KnownRemains();
  const reporter = new StatusReporter<PodCliqueSetStatus, PodCliqueSet>({
    clock,
    resource: podCliqueSetResource,
    isUrgent,
  });
  return async (key, client) => {
    const owner = `${key.namespace}/${key.name}`;
    if (await deletes.confirm(client, owner)) return { recheckAfterMs: 0 };
    const seen = observe(caches, memory, key, clock.now());
    if (seen === undefined) {
      memory.forget(owner);
      remains.forget(owner);
      claims.forget(owner);
      return reporter.forget(owner);
    }
    if (seen.set.metadata.deletionTimestamp !== undefined) return undefined;
    const acceptance = judgeSpec(seen);
    const observed = acceptance.isAccepted ? seen : withAccepted(seen);
    if (observed === undefined) {
      const rejected = rejectedStatus(seen, acceptance);
      const tellAfterMs = await reporter.tell(client, owner, seen.set, rejected);
      tellAcceptance(events, seen, acceptance);
      return soonest(tellAfterMs);
    }
    // What the caches have yet to show brings the key back.
    if (!(await isToBeServed(client, observed))) return undefined;
    if (await isBindingUnseen(client, observed)) return undefined;
    const target = await recordRevision(client, observed);
    const planned = plan(observed, target);
    const status = setStatus(observed, planned, acceptance);
    // Which replicas move is written down before they are touched: whoever takes over knows what is under way.
    const tellAfterMs = await reporter.tell(client, owner, observed.set, status);
    tellAcceptance(events, observed, acceptance);
    tell(options, observed, planned, status);
    const remedyOptions = { client, events, mayGoBack: acceptance.isAccepted };
    if (await applyRemedy(remedyOptions, observed, planned)) return undefined;
    const claimsAfterMs = await claims.keep(client, owner, claimNeeds(observed, planned));
    const isHeldUp = await act({ client, deletes, remains, owner }, settled, observed, planned);
    await truncateHistory(client, observed, target);
    const lookAfterMs = isHeldUp ? lookAgainMs : undefined;
    const { decision, overdue } = planned;
    const dueMs = [decision.recheckAfterMs, overdue.recheckAfterMs, claimsAfterMs];
    return soonest(...dueMs, tellAfterMs, lookAfterMs);
  };
}

/** Where every revision of a set is gone it was deleted, and its caches have yet to show it: nothing is made for it. */
async function isToBeServed(client: Client, { set, revisions }: Observed): Promise<boolean> {
  const isKnown = set.status?.currentGenerationHash !== undefined;
  if (!isKnown || revisions.length > 0) return true;
  return isStillThere(client, podCliqueSetResource, set);
}

/** Gangs that are placed without their constraints stay so: before any is made, the server is asked for the binding. */
async function isBindingUnseen(client: Client, observed: Observed): Promise<boolean> {
  const name = topologyNameOf(observed.spec.template);
  if (name === undefined || bindingOf(observed) !== undefined || isToldMissing(observed)) {
    return false;
  }
  return (await lookUp(client, clusterTopologyBindingResource, { name })) !== undefined;
}
