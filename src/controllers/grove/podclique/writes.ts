/** What a decision about a clique means for the API: gates, pods, the finalizer. Pure. */
import { finalizers, labelKeys, podGangGate } from "../../../api/grove/labels.ts";
import { podHostname } from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import type { KubeObject } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import { podResource } from "../../../api/pod.ts";
import type { Action, CreateAction } from "../../../planner/index.ts";
import { adoptionWrite, controllerOf, controllerReferenceTo } from "../../engine/ownership.ts";
import { lookUp, stillThere } from "../../engine/live-reads.ts";
import { podDelete } from "../../engine/pod-health.ts";
import { mostCreates } from "../../engine/size-limits.ts";
import { allAtOnce } from "../../engine/slow-start.ts";
import type {
  CreateWrite,
  LiveRead,
  NameConflictAnswer,
  PatchWrite,
  WritePlan,
} from "../../engine/write.ts";
import { createOf, deletesOf, keyOfObject, patchOf } from "../../engine/write.ts";
import { isOfPodClique } from "../orphans.ts";
import type { CliqueSharing } from "./claims.ts";
import { claimsFor, withClaims } from "./claims.ts";
import { isCreatedUngated, listedIn } from "./gates.ts";
import { buildPod } from "./identity.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { templateOf } from "./templates.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import { numberLabel } from "../set-members.ts";

/** Most cliques are small; two refusals are little worse than one. */
const unprovenBatch = 2;

export function cliqueWrites(
  observed: Observed,
  { decision, gates, pods, targetRevision }: Omit<Plan, "phases">,
  sharing: CliqueSharing | undefined,
): readonly WritePlan[] {
  const actions: readonly Action[] = decision.actions;
  const byUid = new Map(pods.map((state) => [state.pod.metadata.uid, state]));
  const deletes = actions.flatMap((action) => {
    const state = action.kind === "create" ? undefined : byUid.get(action.id);
    return state === undefined ? [] : [podDelete(state)];
  });
  const creates = firstCreates(actions).map((action) => podCreate(observed, action, sharing));
  // A quota or a bad template refuses all of them; a template that has pods is proven.
  const isProven = pods.some(({ revision }) => revision === targetRevision);
  return [
    { sideBySide: [...gates.open.map(gateOpening), ...deletes] },
    { sideBySide: creates, pace: { firstBatch: isProven ? allAtOnce : unprovenBatch } },
  ];
}

/** As many as one reconcile begins. */
const firstCreates = (actions: readonly Action[]): readonly CreateAction[] =>
  actions.filter((action) => action.kind === "create").slice(0, mostCreates);

function podCreate(
  observed: Observed,
  { ordinal, revision }: CreateAction,
  sharing: CliqueSharing | undefined,
): WritePlan {
  const { clique, revisions } = observed;
  const template = templateOf(clique, revision, revisions);
  const name = podHostname(clique.metadata.name ?? "", ordinal);
  const isGated = !isCreatedUngated(observed, name);
  const pod = buildPod({ clique, template, index: ordinal, isGated });
  const spec = withClaims(pod.spec, claimsFor(sharing, ordinal));
  const write: CreateWrite = {
    ...createOf(podResource, { ...pod, spec }),
    ifExists: (found) => answerToNameConflict(clique, pod, found),
  };
  const isSurge = ordinal >= clique.spec.replicas;
  return isSurge && !isGated ? { inOrder: [stillListed(observed, name), write] } : write;
}

/** References to surge end some time after its pods: where an old one is left, it may just have been removed. */
const stillListed = ({ gang, clique }: Observed, pod: string): LiveRead => ({
  question: `does PodGang ${gang?.metadata.name} still list ${pod}`,
  read: async (live) => {
    if (gang === undefined) return { isOpen: false };
    const found = await lookUp<PodGang>(live, podGangResource, keyOfObject(gang));
    return { isOpen: found !== undefined && listedIn(found, clique.metadata.name).has(pod) };
  },
});

/**
 * The pod may be ours, where only the answer was lost, or an earlier clique's, which the garbage collector deletes:
 * both are waited for. One that lost its owner is adopted. A stranger is reported: it would be in the way for ever.
 */
function answerToNameConflict(
  clique: PodClique,
  { metadata }: Pod,
  found: KubeObject | undefined,
): NameConflictAnswer {
  if (found === undefined || isOfPodClique(found) || isTerminating(found)) return "wait";
  const isOrphan =
    controllerOf(found) === undefined &&
    found.metadata.labels?.[labelKeys.podClique] === clique.metadata.name;
  if (!isOrphan) {
    const pod = `pod ${metadata.namespace}/${metadata.name}`;
    return {
      problem: `${pod} exists already and is of no PodClique: delete it, or give the set another name`,
    };
  }
  const owner = controllerReferenceTo(podCliqueResource, clique);
  const orphan = { resource: podResource, object: found };
  // A clique that is gone would take the pod with it.
  return {
    writes: [stillThere(podCliqueResource, clique), adoptionWrite(owner, orphan, "skip")],
  };
}

/** Opens only our own gate: Kueue and others hold pods back for reasons of their own. */
function gateOpening(pod: Pod): PatchWrite {
  const gates = pod.spec.schedulingGates ?? [];
  const index = gates.findIndex((gate) => gate.name === podGangGate);
  const operations = [
    { op: "test", path: "/metadata/uid", value: pod.metadata.uid },
    { op: "test", path: `/spec/schedulingGates/${index}/name`, value: podGangGate },
    {
      op: "remove",
      path: gates.length === 1 ? "/spec/schedulingGates" : `/spec/schedulingGates/${index}`,
    },
  ];
  const patch = { type: "json", operations } as const;
  return patchOf(podResource, pod, { patch, ifGone: "skip", ifChanged: "skip" });
}

/** Nothing where the finalizer is gone. The pods go first: the garbage collector would ask for the same afterwards. */
export function releaseWrites(observed: Observed): readonly WritePlan[] {
  const { clique, set } = observed;
  const { resourceVersion, finalizers: all = [] } = clique.metadata;
  const kept = all.filter((finalizer) => finalizer !== finalizers.podClique);
  if (kept.length === all.length) return [];
  const body = { metadata: { resourceVersion, finalizers: kept } };
  return [
    { sideBySide: deletesOf(podResource, podsInTheWay(observed, set)) },
    patchOf(podCliqueResource, clique, { patch: { type: "merge", body }, ifGone: "skip" }),
  ];
}

/**
 * A replica that the set still wants comes back, and is short of this clique until its pods are gone: they go at once.
 * What leaves for good is left to the garbage collector, and nobody waits for it.
 */
export function podsInTheWay(
  { clique, pods }: Pick<Observed, "clique" | "pods">,
  set: PodCliqueSet | undefined,
): Pod[] {
  const index = numberLabel(clique, labelKeys.setReplicaIndex);
  if (set === undefined || isTerminating(set) || index === undefined) return [];
  if (index >= (set.spec.replicas ?? 0)) return [];
  return pods.flatMap(({ pod, isLeftover }) => (isLeftover || isTerminating(pod) ? [] : [pod]));
}
