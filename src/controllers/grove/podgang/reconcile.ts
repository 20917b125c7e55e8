/** One reconcile of a PodGang: its references first, then its status. */
import { isTerminating } from "../../../api/object.ts";
import { conditionTypes } from "../../../api/grove/conditions.ts";
import type { PodGang, PodGangStatus } from "../../../api/grove/podgang.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import { isFinished } from "../../../api/pod.ts";
import { isNotFound } from "../../../api/status.ts";
import type { Client } from "../../../runtime/client.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Reconcile } from "../../../runtime/controller.ts";
import { keyOf, keyText } from "../../../runtime/object-store.ts";
import { isConditionTrue } from "../../engine/conditions.ts";
import type { GroveCaches } from "../caches.ts";
import { baseGangIndex, ownerIndex } from "../caches.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { owningSet } from "../set-members.ts";
import { earliestRequeue } from "../../engine/requeue.ts";
import { StatusReporter } from "../../engine/status-writer.ts";
import { gangStatus } from "./gang-status.ts";
import type { GroupView } from "./references.ts";
import { isComplete, referenceWrite } from "./references.ts";

export type PodGangCaches = Pick<GroveCaches, "sets" | "gangs" | "cliques" | "pods">;

/** How long a list of references waits for more to be written with it. */
const patienceMs = { now: 0, later: 5_000 } as const;

export interface ReconcileOptions {
  readonly caches: PodGangCaches;
  readonly clock: Clock;
  readonly reporter: GangReporter;
}

export type GangReporter = StatusReporter<PodGangStatus, PodGang>;

export const gangReporter = (caches: PodGangCaches, clock: Clock): GangReporter =>
  new StatusReporter({
    clock,
    resource: podGangResource,
    isUrgent: (gang, next) => runsNow(gang, next) || frees(caches, gang, next),
  });

export function podGangReconcile({ caches, clock, reporter }: ReconcileOptions): Reconcile {
  const patience = new Patience();
  return async (key, client) => {
    const gang = caches.gangs.get(key);
    const text = keyText(key);
    if (gang === undefined || isLeaving(caches, gang)) {
      patience.end(text);
      return reporter.forget(text);
    }
    const groups = groupsOf(caches, gang);
    const wasInitialized = isConditionTrue(gang.status, conditionTypes.podGangInitialized);
    const isInitialized = wasInitialized || isComplete(gang, groups);
    const write = referenceWrite(gang, groups);
    const laterMs =
      write.kind === "none" ? 0 : patience.left(text, patienceMs[write.kind], clock.now());
    if (laterMs === 0) patience.end(text);
    const listed =
      write.kind === "none" || laterMs > 0 ? gang : await list(client, gang, write.spec);
    const status = gangStatus(listed, groups, { isInitialized, nowMs: clock.now() });
    const tellAfterMs = await reporter.tell(client, text, listed, status);
    return earliestRequeue(tellAfterMs, laterMs > 0 ? laterMs : undefined);
  };
}

/** A gang whose set is gone, or on its way, has yet to be collected: nobody reads what would be written to it. */
function isLeaving({ sets }: PodGangCaches, gang: PodGang): boolean {
  if (isTerminating(gang)) return true;
  if (controllerOf(gang) === undefined) return false;
  const set = owningSet(sets, gang);
  return set === undefined || isTerminating(set);
}

/** How long a write that may wait has waited. */
class Patience {
  readonly #sinceMs = new Map<string, number>();

  left(key: string, patienceMs: number, nowMs: number): number {
    const sinceMs = this.#sinceMs.get(key) ?? nowMs;
    this.#sinceMs.set(key, sinceMs);
    return Math.max(0, sinceMs + patienceMs - nowMs);
  }

  end(key: string): void {
    this.#sinceMs.delete(key);
  }
}

const runsNow = ({ status }: PodGang, next: PodGangStatus): boolean =>
  next.phase === "Running" && status?.phase !== "Running";

/** Scaled gangs wait until their base has been scheduled, and again when it starts over. */
function frees({ cliques }: PodGangCaches, gang: PodGang, next: PodGangStatus): boolean {
  const type = conditionTypes.podGangScheduled;
  const isSame = isConditionTrue(gang.status, type) === isConditionTrue(next, type);
  return !isSame && cliques.byIndex(baseGangIndex, keyOf(gang)).length > 0;
}

/** By the uid of the clique, not by its name: pods that an earlier clique left behind are no members. */
function groupsOf({ cliques, pods }: PodGangCaches, gang: PodGang): GroupView[] {
  const { namespace } = gang.metadata;
  return gang.spec.podgroups.map(({ name }) => {
    const clique = cliques.get({ namespace, name });
    const isThere = clique !== undefined && !isTerminating(clique);
    if (!isThere) return { name, desired: undefined, pods: [] };
    const live = pods
      .byIndex(ownerIndex, clique.metadata.uid ?? "")
      .filter((pod) => !isTerminating(pod) && !isFinished(pod))
      .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
    return { name, desired: clique.spec.replicas, pods: live };
  });
}

async function list(client: Client, gang: PodGang, spec: PodGang["spec"]): Promise<PodGang> {
  const { namespace, name = "", resourceVersion } = gang.metadata;
  const body = { metadata: { resourceVersion }, spec: { podgroups: spec.podgroups } };
  const patch = { type: "merge", body } as const;
  try {
    return await client.patch<PodGang>(podGangResource, { namespace, name }, patch);
  } catch (error) {
    // A gang that is gone lists nobody, and its deletion comes by the watch.
    if (isNotFound(error)) return gang;
    throw error;
  }
}
