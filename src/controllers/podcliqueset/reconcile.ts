/** One reconcile of a PodCliqueSet: observe, record, plan, report, act. */
import type { PodCliqueSetStatus } from "../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Outcome, Reconcile } from "../../runtime/controller.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import type { GroveCaches } from "../grove-caches.ts";
import { QuietStatus } from "../quiet-status.ts";
import { UnconfirmedDeletes } from "../unconfirmed-deletes.ts";
import { judgeSpec, rejectedStatus, tellAcceptance } from "./accept.ts";
import { act } from "./act.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { recordRevision, truncateHistory } from "./record-revision.ts";
import { applyRemedy } from "./remedy.ts";
import { SetMemory } from "./set-memory.ts";
import { SettledReplicas } from "./settled-replicas.ts";
import { phaseOf, setStatus } from "./status.ts";
import { tell } from "./tell.ts";

export interface ReconcileOptions {
  readonly caches: GroveCaches;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

export function podCliqueSetReconcile({ caches, clock, events }: ReconcileOptions): Reconcile {
  const deletes = new UnconfirmedDeletes();
  const memory = new SetMemory();
  const settled = new SettledReplicas();
  const statuses = new QuietStatus(clock);
  return async (key, client) => {
    const owner = `${key.namespace}/${key.name}`;
    if (await deletes.confirm(client, owner)) return { recheckAfterMs: 0 };
    const observed = observe(caches, memory, key, clock.now());
    if (observed === undefined) {
      memory.forget(owner);
      return statuses.forget(owner);
    }
    if (observed.set.metadata.deletionTimestamp !== undefined) return undefined;
    const acceptance = judgeSpec(observed);
    const write = (status: PodCliqueSetStatus): Promise<number | undefined> =>
      statuses.write(client, owner, {
        resource: podCliqueSetResource,
        object: observed.set,
        status,
        phase: phaseOf,
      });
    if (!acceptance.isAccepted) {
      const tellAfterMs = await write(rejectedStatus(observed, acceptance));
      tellAcceptance(events, observed, acceptance);
      return soonest(tellAfterMs);
    }
    const target = await recordRevision(client, observed);
    const planned = plan(observed, target);
    const status = setStatus(observed, planned, acceptance);
    // Which replicas move is written down before they are touched: whoever takes over knows what is under way.
    const tellAfterMs = await write(status);
    tellAcceptance(events, observed, acceptance);
    tell(events, observed, planned, status);
    if (await applyRemedy(client, events, observed, planned)) return undefined;
    await act({ client, deletes, owner }, settled, observed, planned);
    await truncateHistory(client, observed, target);
    return soonest(planned.decision.recheckAfterMs, planned.overdue.recheckAfterMs, tellAfterMs);
  };
}

function soonest(...delays: readonly (number | undefined)[]): Outcome {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? {} : { recheckAfterMs: Math.max(0, Math.min(...known)) };
}
