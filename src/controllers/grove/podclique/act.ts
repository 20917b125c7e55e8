/** Performs a plan: pods are made and deleted, gates opened. Decides nothing. */
import { podGangGate } from "../../../api/grove/labels.ts";
import { podHostname } from "../../../api/grove/names.ts";
import type { Pod } from "../../../api/pod.ts";
import { podResource } from "../../../api/pod.ts";
import { ApiError, isAlreadyExists, isNotFound } from "../../../api/status.ts";
import type { Action, CreateAction, DeleteAction, ReplaceAction } from "../../../planner/index.ts";
import type { Client } from "../../../runtime/client.ts";
import { keyOfObject } from "../../engine/child-writes.ts";
import { allAtOnce, slowStart } from "../../engine/slow-start.ts";
import type { UnconfirmedDeletes } from "../../engine/unconfirmed-deletes.ts";
import type { CliqueSharing } from "./claims.ts";
import { claimsFor, withClaims } from "./claims.ts";
import { isBornFree } from "./gates.ts";
import { buildPod } from "./identity.ts";
import { meetNamesake } from "./namesake.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { templateOf } from "./templates.ts";

/** What was done, for events: names in the order they were asked for. */
export interface Done {
  readonly created: string[];
  readonly deleted: string[];
  /** Not made: the server has a pod of this name that the cache does not show. */
  readonly taken: string[];
}

export interface ActOptions {
  readonly client: Client;
  readonly deletes: UnconfirmedDeletes;
  /** The clique's key: whose deletes these are. */
  readonly owner: string;
  /** What the set of the clique shares, if anything. */
  readonly sharing?: CliqueSharing | undefined;
  /** Filled as things are done, so that it also tells of a run that failed half way. */
  readonly deeds: Done;
}

export async function act(options: ActOptions, observed: Observed, plan: Plan): Promise<void> {
  const actions: readonly Action[] = plan.decision.actions;
  const creates = actions.filter((action) => action.kind === "create");
  const others = actions.filter((action) => action.kind !== "create");
  await slowStart(
    [
      ...plan.gates.open.map((pod) => () => openGate(options.client, pod)),
      ...others.map((action) => () => deletePod(options, observed, { action, pods: plan.pods })),
    ],
    allAtOnce,
  );
  // What a quota or a bad template refuses once, it would refuse for all; a template that has pods is proven.
  const isProven = plan.pods.some(({ revision }) => revision === plan.targetRevision);
  await slowStart(
    creates.map((action) => () => createPod(options, observed, action)),
    isProven ? allAtOnce : unprovenBatch,
  );
}

/** Most cliques are small; two refusals are little worse than one. */
const unprovenBatch = 2;

async function deletePod(
  { client, deletes, owner, deeds }: ActOptions,
  { clique }: Observed,
  { action, pods }: { readonly action: DeleteAction | ReplaceAction; readonly pods: Plan["pods"] },
): Promise<void> {
  const { unit, id } = action;
  const found = pods.find(({ pod }) => pod.metadata.uid === id);
  const key = { namespace: clique.metadata.namespace, name: unit };
  const isServing = found?.health.health === "available";
  // Paid for or not: only a pod that serves is deleted whatever has happened to it since.
  const resourceVersion = isServing ? undefined : found?.pod.metadata.resourceVersion;
  const request = { resource: podResource, key, uid: id, resourceVersion };
  if (await deletes.delete(client, owner, request)) deeds.deleted.push(unit);
}

/** All that are given, whatever has happened to them since. */
export async function deletePods(
  { client, deletes, owner }: Pick<ActOptions, "client" | "deletes" | "owner">,
  pods: readonly Pod[],
): Promise<void> {
  const tasks = pods.map((pod) => () => {
    const request = { resource: podResource, key: keyOfObject(pod), uid: pod.metadata.uid ?? "" };
    return deletes.delete(client, owner, request);
  });
  await slowStart(tasks, allAtOnce);
}

async function createPod(
  { client, deeds, sharing }: ActOptions,
  observed: Observed,
  { ordinal, revision }: CreateAction,
): Promise<void> {
  const { clique, revisions } = observed;
  const template = templateOf(clique, revision, revisions);
  const isGated = !isBornFree(observed, podHostname(clique.metadata.name ?? "", ordinal));
  const pod = buildPod({ clique, template, index: ordinal, isGated });
  const spec = withClaims(pod.spec, claimsFor(sharing, ordinal));
  const key = keyOfObject(pod);
  try {
    await client.create(podResource, { ...pod, spec });
    deeds.created.push(key.name);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await meetNamesake(client, clique, key);
    deeds.taken.push(key.name);
  }
}

/** Only our own gate: Kueue and others hold pods back for reasons of their own. */
async function openGate(client: Client, { metadata, spec }: Pod): Promise<void> {
  const { namespace, name = "", uid } = metadata;
  const gates = spec.schedulingGates ?? [];
  const index = gates.findIndex((gate) => gate.name === podGangGate);
  const operations = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: `/spec/schedulingGates/${index}/name`, value: podGangGate },
    {
      op: "remove",
      path: gates.length === 1 ? "/spec/schedulingGates" : `/spec/schedulingGates/${index}`,
    },
  ];
  try {
    await client.patch(podResource, { namespace, name }, { type: "json", operations });
  } catch (error) {
    if (!isNotFound(error) && !isOutOfDate(error)) throw error;
  }
}

/** A test of the patch failed: the gate is gone, or the name belongs to another pod. */
const isOutOfDate = (error: unknown): boolean => error instanceof ApiError && error.code === 422;
