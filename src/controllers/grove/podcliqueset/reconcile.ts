/** One reconcile of a PodCliqueSet: observe, record, plan, report, act. */
import { clusterTopologyBindingResource } from "../../../api/grove/cluster-topology.ts";
import type { PodCliqueSet, PodCliqueSetStatus } from "../../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import { topologyNameOf } from "../../../api/grove/topology.ts";
import type { Client } from "../../../runtime/client.ts";
import { nameConflicts } from "../orphans.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Outcome, Reconcile } from "../../../runtime/controller.ts";
import type { EventRecorder } from "../../../runtime/event-recorder.ts";
import type { Look } from "../../engine/reconcile.ts";
import { attended } from "../../engine/reconcile.ts";
import type { ClaimKeeper } from "../claim-keeper.ts";
import type { DeedReporter } from "../../engine/action-events.ts";
import type { GroveCaches } from "../caches.ts";
import { isStillThere, lookAgainMs, lookUp } from "../../engine/live-reads.ts";
import { earliestRequeue } from "../../engine/requeue.ts";
import { StatusReporter } from "../../engine/status-writer.ts";
import type { Acceptance } from "./accept.ts";
import { assessSpec, rejectedStatus, tellAcceptance } from "./accept.ts";
import { act } from "./act.ts";
import { claimNeeds } from "./claims.ts";
import { orphansFor } from "./orphans.ts";
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

/** What is kept between two looks at a set. */
interface Companions extends ReconcileOptions {
  readonly settled: SettledReplicas;
  readonly remains: KnownRemains;
  readonly reporter: StatusReporter<PodCliqueSetStatus, PodCliqueSet>;
}

export function podCliqueSetReconcile(options: ReconcileOptions): Reconcile {
  const { caches, clock, events, claims } = options;
  const resource = podCliqueSetResource;
  const memory = new SetMemory();
  const remains = new KnownRemains();
  const reporter = new StatusReporter<PodCliqueSetStatus, PodCliqueSet>({
    clock,
    resource,
    isUrgent,
  });
  const companions = { ...options, settled: new SettledReplicas(), remains, reporter };
  return attended<Judged>({
    resource,
    events,
    nameConflicts,
    observe: (key) => {
      const seen = observe(caches, memory, key, clock.now());
      return seen === undefined ? undefined : judged(seen);
    },
    forget: (owner) => {
      for (const each of [memory, remains, claims, reporter]) each.forget(owner);
    },
    objectOf: ({ seen }) => seen.set,
    orphansOf: ({ inForce }) => (inForce === undefined ? [] : orphansFor(inForce)),
    attend: ({ observed, ...look }) =>
      observed.inForce === undefined
        ? reject(companions, { ...look, observed })
        : attend(companions, { ...look, observed: observed.inForce }, observed.acceptance),
  });
}

/** A set with what is to be said of its spec. */
interface Judged {
  readonly seen: Observed;
  readonly acceptance: Acceptance;
  /** With the spec that is followed; undefined where none can be. */
  readonly inForce: Observed | undefined;
}

function judged(seen: Observed): Judged {
  const acceptance = assessSpec(seen);
  return { seen, acceptance, inForce: acceptance.isAccepted ? seen : withAccepted(seen) };
}

async function reject(
  { events, reporter }: Companions,
  { client, owner, observed: { seen, acceptance } }: Look<Judged>,
): Promise<Outcome | void> {
  const rejected = rejectedStatus(seen, acceptance);
  const tellAfterMs = await reporter.tell(client, owner, seen.set, rejected);
  tellAcceptance(events, seen, acceptance);
  return earliestRequeue(tellAfterMs);
}

async function attend(
  companions: Companions,
  { client, deletes, owner, observed }: Look<Observed>,
  acceptance: Acceptance,
): Promise<Outcome | void> {
  const { events, claims, settled, remains, reporter } = companions;
  // What the caches have yet to show brings the key back.
  if (!(await isToBeServed(client, observed))) return undefined;
  if (await isBindingUnseen(client, observed)) return undefined;
  const target = await recordRevision(client, observed);
  const planned = plan(observed, target);
  const status = setStatus(observed, planned, acceptance);
  // Which replicas move is written down before they are touched: whoever takes over knows what is under way.
  const tellAfterMs = await reporter.tell(client, owner, observed.set, status);
  tellAcceptance(events, observed, acceptance);
  tell(companions, observed, planned, status);
  const remedyOptions = { client, events, mayGoBack: acceptance.isAccepted };
  if (await applyRemedy(remedyOptions, observed, planned)) return undefined;
  const claimsAfterMs = await claims.keep(client, owner, claimNeeds(observed, planned));
  const acted = await act({ client, deletes, remains, owner }, settled, observed, planned);
  await truncateHistory(client, observed, target);
  if (acted.isCutShort) return { recheckAfterMs: 0 };
  const lookAfterMs = acted.isHeldUp ? lookAgainMs : undefined;
  const { decision, overdue } = planned;
  const dueMs = [decision.recheckAfterMs, overdue.recheckAfterMs, claimsAfterMs];
  return earliestRequeue(...dueMs, tellAfterMs, lookAfterMs);
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
