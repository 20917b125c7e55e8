/** Performs a plan: claims and pods are made, pods deleted, labels and claim owners repaired. Decides nothing. */
import { isTerminating } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import { isAlreadyExists } from "../../api/status.ts";
import type { VolumeClaim } from "../../api/volume-claim.ts";
import { volumeClaimResource } from "../../api/volume-claim.ts";
import type { Action, CreateAction, DeleteAction, ReplaceAction } from "../../planner/index.ts";
import type { Client } from "../../runtime/client.ts";
import { keyOfObject } from "../engine/child-writes.ts";
import { allAtOnce, slowStart } from "../engine/slow-start.ts";
import type { UnconfirmedDeletes } from "../engine/unconfirmed-deletes.ts";
import { buildClaims, claimInTheWay, assessClaim } from "./claims.ts";
import { buildPod, labelRepair, podName } from "./identity.ts";
import type { Observed } from "./observe.ts";
import type { PodState, Plan } from "./plan.ts";
import type { Recorded } from "./record-revision.ts";

/** What was done, for events: names in the order they were asked for. */
export interface Deeds {
  readonly created: string[];
  readonly deleted: string[];
  /** Claims of this set that another controller owns. */
  readonly foreignClaims: string[];
}

export interface ActOptions {
  readonly client: Client;
  readonly deletes: UnconfirmedDeletes;
  /** The set's key: whose deletes these are. */
  readonly owner: string;
  /** Filled while acting, so that it holds what was done also where something failed. */
  readonly deeds: Deeds;
}

export const noDeeds = (): Deeds => ({ created: [], deleted: [], foreignClaims: [] });

export async function act(
  options: ActOptions,
  observed: Observed,
  { pods, decision }: Plan,
  recorded: Recorded,
): Promise<void> {
  const { deeds } = options;
  await repairPods(options.client, observed, pods, deeds);
  const actions: readonly Action[] = decision.actions;
  const creates = actions.filter((action) => action.kind === "create");
  const deletes = actions.filter((action) => action.kind !== "create");
  const results = await Promise.allSettled([
    slowStart(
      creates.map(
        (action) => () => createPod(options.client, observed, { action, recorded, deeds }),
      ),
      creates.every(({ revision }) => isProven(pods, revision)) ? allAtOnce : 1,
    ),
    slowStart(
      deletes.map((action) => () => deletePod(options, observed, { action, pods })),
      allAtOnce,
    ),
  ]);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** The server has taken a pod of this template before, so there is no reason to feel one's way. */
const isProven = (pods: readonly PodState[], revision: string): boolean =>
  pods.some((judged) => judged.revision === revision);

export async function deletePod(
  { client, deletes, owner, deeds }: ActOptions,
  { set }: Observed,
  { action, pods }: { readonly action: DeleteAction | ReplaceAction; readonly pods: Plan["pods"] },
): Promise<void> {
  const { unit, id } = action;
  const key = { namespace: set.metadata.namespace, name: unit };
  const judged = pods.find(({ pod }) => pod.metadata.uid === id);
  // A pod that looks broken in a stale view may serve again by now: only the state that was judged may go for free.
  const isServing = judged?.health.health === "available";
  const resourceVersion = isServing ? undefined : judged?.pod.metadata.resourceVersion;
  const request = { resource: podResource, key, uid: id, resourceVersion };
  if (await deletes.delete(client, owner, request)) deeds.deleted.push(unit);
}

async function createPod(
  client: Client,
  observed: Observed,
  context: { action: CreateAction; recorded: Recorded; deeds: Deeds },
): Promise<void> {
  const { set } = observed;
  const { ordinal, revision } = context.action;
  const name = podName(set.metadata.name ?? "", ordinal);
  if (claimInTheWay(set, ordinal, observed.claim) !== undefined) return;
  await createClaims(client, observed, buildClaims(set, ordinal));
  await client.create(
    podResource,
    buildPod(set, context.recorded.template(revision), revision, ordinal),
  );
  context.deeds.created.push(name);
}

async function createClaims(
  client: Client,
  observed: Observed,
  claims: readonly VolumeClaim[],
): Promise<void> {
  for (const wanted of claims) {
    if (observed.claim(wanted.metadata.name ?? "") !== undefined) continue;
    await client.create(volumeClaimResource, wanted).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
}

async function repairPods(
  client: Client,
  observed: Observed,
  pods: readonly PodState[],
  deeds: Deeds,
): Promise<void> {
  for (const { pod, ordinal, isCondemned, health } of pods) {
    if (health.health === "terminating") continue;
    const body = labelRepair(pod, ordinal);
    if (body !== undefined && !isCondemned) {
      await client.patch(podResource, keyOfObject(pod), { type: "merge", body });
    }
    await repairClaims(client, observed, { pod, ordinal, isCondemned }, deeds);
  }
}

async function repairClaims(
  client: Client,
  observed: Observed,
  { pod, ordinal, isCondemned }: { pod: Pod; ordinal: number; isCondemned: boolean },
  deeds: Deeds,
): Promise<void> {
  const wanted = buildClaims(observed.set, ordinal);
  if (pod.status?.phase === "Pending" && !isCondemned) {
    await createClaims(client, observed, wanted);
  }
  for (const { metadata } of wanted) {
    const claim = observed.claim(metadata.name ?? "");
    if (claim === undefined || isTerminating(claim)) continue;
    const verdict = assessClaim(observed.set, pod, claim, isCondemned);
    if (verdict.kind === "foreign") deeds.foreignClaims.push(metadata.name ?? "");
    if (verdict.kind !== "fits" && verdict.claim !== undefined) {
      const { uid, resourceVersion, ownerReferences } = verdict.claim.metadata;
      const body = { metadata: { uid, resourceVersion, ownerReferences } };
      await client.patch(volumeClaimResource, keyOfObject(claim), { type: "merge", body });
    }
  }
}
