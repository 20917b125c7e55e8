/** Fills PodGangs with the pods that have come: one gang at a time, so that a thousand pods cost a thousand looks. */
import { conditionReasons, conditionTypes } from "../../api/grove/conditions.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import type { PodGang, PodGroup } from "../../api/grove/podgang.ts";
import { podGangResource } from "../../api/grove/podgang.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { isSameJson } from "../../api/same-json.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Reconcile } from "../../runtime/controller.ts";
import { mergeConditions } from "../conditions.ts";
import { isGoing } from "../judge-clique.ts";
import { controllerOf } from "../ownership.ts";
import { podsByClique } from "../set-members.ts";

export interface GangCaches {
  readonly gangs: Cache<PodGang>;
  readonly cliques: Cache<PodClique>;
  readonly pods: Cache<Pod>;
}

/** Index of pods by the gang they belong to. */
export const gangIndex = "gang";

export function gangKeys({ metadata }: KubeObject): readonly string[] {
  const gang = metadata.labels?.[labelKeys.podGang];
  return gang === undefined ? [] : [`${metadata.namespace ?? ""}/${gang}`];
}

/** A gang that is not whole is not rewritten for every pod: the others usually follow at once. */
const gatherMs = 1_000;

export function gangReferencesReconcile(caches: GangCaches, clock: Clock): Reconcile {
  const changedSinceMs = new Map<string, number>();
  return async (key, client) => {
    const id = `${key.namespace}/${key.name}`;
    const gang = caches.gangs.get(key);
    if (gang === undefined || gang.metadata.deletionTimestamp !== undefined) {
      changedSinceMs.delete(id);
      return undefined;
    }
    const { podgroups, isWhole } = gather(caches, gang);
    if (isSameJson(podgroups, gang.spec.podgroups)) {
      changedSinceMs.delete(id);
      if (isWhole && isNew(gang)) await initialize(client, gang, clock.now());
      return undefined;
    }
    const sinceMs = changedSinceMs.get(id) ?? clock.now();
    changedSinceMs.set(id, sinceMs);
    const waitMs = sinceMs + gatherMs - clock.now();
    if (!isWhole && waitMs > 0) return { recheckAfterMs: waitMs };
    await client.update(podGangResource, { ...gang, spec: { ...gang.spec, podgroups } });
    changedSinceMs.delete(id);
    return undefined;
  };
}

const isNew = (gang: PodGang): boolean =>
  !(gang.status?.conditions ?? []).some(
    ({ type, status }) => type === conditionTypes.podGangInitialized && status === "True",
  );

interface Gathered {
  readonly podgroups: readonly PodGroup[];
  /** Every clique of the gang exists and has all its pods. */
  readonly isWhole: boolean;
}

function gather({ cliques, pods }: GangCaches, gang: PodGang): Gathered {
  const { namespace, name } = gang.metadata;
  const mine = pods
    .byIndex(gangIndex, `${namespace ?? ""}/${name}`)
    .filter((pod) => !isGoing(pod) && isOfLivingClique(cliques, pod));
  const byClique = podsByClique(mine);
  const podgroups = gang.spec.podgroups.map((group) => ({
    ...group,
    podReferences: (byClique.get(group.name) ?? []).map((pod) => ({
      namespace: pod.metadata.namespace ?? "",
      name: pod.metadata.name ?? "",
    })),
  }));
  const isWhole = podgroups.every((group) => {
    const wanted = cliques.get({ namespace, name: group.name })?.spec.replicas;
    return wanted !== undefined && group.podReferences.length >= wanted;
  });
  return { podgroups, isWhole };
}

/** By uid: pods of a clique that was deleted and made anew are not pods of its successor. */
function isOfLivingClique(cliques: Cache<PodClique>, pod: Pod): boolean {
  const owner = controllerOf(pod);
  const clique = cliques.get({ namespace: pod.metadata.namespace, name: owner?.name ?? "" });
  return clique !== undefined && clique.metadata.uid === owner?.uid;
}

async function initialize(client: Client, gang: PodGang, nowMs: number): Promise<void> {
  const condition = {
    type: conditionTypes.podGangInitialized,
    status: "True",
    reason: conditionReasons.podGangPodsCreated,
    message: "every pod of the gang exists",
  } as const;
  const conditions = mergeConditions(gang.status?.conditions, [condition], nowMs);
  const status = { phase: "Pending" as const, ...gang.status, conditions };
  await client.update(podGangResource, { ...gang, status }, { subresource: "status" });
}
