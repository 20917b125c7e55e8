/** What a decision about a set means for the API: labels and claims repaired, pods created and deleted. Pure. */
import type { PodTemplate, StatefulSet } from "../../api/apps.ts";
import { isTerminating } from "../../api/object.ts";
import { podResource } from "../../api/pod.ts";
import type { VolumeClaim } from "../../api/volume-claim.ts";
import { volumeClaimResource } from "../../api/volume-claim.ts";
import type { Action, CreateAction, DeleteAction, ReplaceAction } from "../../planner/index.ts";
import { expiredRevisions, revisionDeletes } from "../engine/history.ts";
import { podDelete } from "../engine/pod-health.ts";
import { mostCreates } from "../engine/size-limits.ts";
import { allAtOnce } from "../engine/slow-start.ts";
import type { CreateWrite, DeleteWrite, PatchWrite, Write, WritePlan } from "../engine/write.ts";
import { createOf, metadataPatch } from "../engine/write.ts";
import { assessClaim, buildClaims, claimInTheWay } from "./claims.ts";
import { buildPod, repairedLabels, revisionLabel } from "./identity.ts";
import type { Observed } from "./observe.ts";
import type { RevisionNames, RolloutPlan } from "./plan.ts";
import type { SetPodState } from "./set-pod.ts";

/** The template that a pod of this revision is created from. */
type TemplateOf = (revision: string) => PodTemplate;

/** Creates and deletes run side by side: what refuses one is no reason to leave out the other. */
export function rolloutWrites(
  observed: Observed,
  planned: Pick<RolloutPlan, "pods" | "decision">,
  templateOf: TemplateOf,
): WritePlan {
  const actions: readonly Action[] = planned.decision.actions;
  const creates = actions.filter((action) => action.kind === "create");
  const proven = new Set(planned.pods.map(({ revision }) => revision));
  // The server has accepted a pod of this template before, so there is no need to begin with one.
  const isProven = creates.every(({ revision }) => proven.has(revision));
  return {
    sideBySide: [
      {
        sideBySide: firstCreates(observed, creates, templateOf),
        pace: { firstBatch: isProven ? allAtOnce : 1 },
      },
      { sideBySide: podDeletes(planned) },
    ],
  };
}

/** As many as one reconcile begins, claims counted; the pods that come of them bring the next one about. */
function firstCreates(
  observed: Observed,
  creates: readonly CreateAction[],
  templateOf: TemplateOf,
): WritePlan[] {
  const plans: WritePlan[] = [];
  const parts = 1 + (observed.set.spec.volumeClaimTemplates ?? []).length;
  for (const action of creates) {
    if (plans.length * parts >= mostCreates) break;
    plans.push(...podCreate(observed, action, templateOf));
  }
  return plans;
}

/** The deletes among a decision's actions, as far as they are chosen. */
export function podDeletes(
  { pods, decision }: Pick<RolloutPlan, "pods" | "decision">,
  isChosen: (action: DeleteAction | ReplaceAction) => boolean = () => true,
): DeleteWrite[] {
  const actions: readonly Action[] = decision.actions;
  const chosen = actions.filter((action) => action.kind !== "create").filter(isChosen);
  if (chosen.length === 0) return [];
  const wanted = new Set(chosen.map(({ id }) => id));
  const byUid = new Map(
    pods
      .filter(({ pod }) => wanted.has(pod.metadata.uid ?? ""))
      .map((state) => [state.pod.metadata.uid, state]),
  );
  return chosen.flatMap(({ id }) => {
    const state = byUid.get(id);
    return state === undefined ? [] : [podDelete(state)];
  });
}

/** A pod's claims before the pod; nothing while a claim of its predecessor has yet to go. */
function podCreate(
  { set, claim }: Observed,
  { ordinal, revision }: CreateAction,
  templateOf: TemplateOf,
): WritePlan[] {
  if (claimInTheWay(set, ordinal, claim) !== undefined) return [];
  const pod = buildPod(set, templateOf(revision), revision, ordinal);
  return [{ inOrder: [...claimCreates(set, ordinal, claim), createOf(podResource, pod)] }];
}

const claimCreates = (
  set: StatefulSet,
  ordinal: number,
  find: Observed["claim"],
): readonly CreateWrite[] =>
  buildClaims(set, ordinal)
    .filter(({ metadata }) => find(metadata.name ?? "") === undefined)
    .map((claim) => ({ ...createOf(volumeClaimResource, claim), ifExists: () => "accept" }));

interface Repairs {
  readonly writes: readonly Write[];
  /** Claims of this set that another controller owns. */
  readonly foreignClaims: readonly string[];
}

/** Lost labels, lost claims of pods that cannot start without them, and owners that the retention policy asks for. */
export function repairs(observed: Observed, pods: readonly SetPodState[]): Repairs {
  const hasClaims = (observed.set.spec.volumeClaimTemplates ?? []).length > 0;
  const each = pods
    .filter(({ health }) => health.health !== "terminating")
    .filter((state) => hasClaims || hasLostLabels(state))
    .map((state) => podRepairs(observed, state));
  return {
    writes: each.flatMap(({ writes }) => writes),
    foreignClaims: each.flatMap(({ foreignClaims }) => foreignClaims),
  };
}

const hasLostLabels = ({ pod, ordinal, isCondemned }: SetPodState): boolean =>
  !isCondemned && repairedLabels(pod, ordinal) !== undefined;

function podRepairs({ set, claim }: Observed, state: SetPodState): Repairs {
  const { pod, ordinal, isCondemned } = state;
  const labels = isCondemned ? undefined : repairedLabels(pod, ordinal);
  const isWaiting = pod.status?.phase === "Pending" && !isCondemned;
  const assessed = buildClaims(set, ordinal).flatMap(({ metadata: { name = "" } }) => {
    const found = claim(name);
    if (found === undefined || isTerminating(found)) return [];
    return [{ name, ...assessClaim(set, pod, found, isCondemned) }];
  });
  return {
    writes: [
      ...(labels === undefined ? [] : [metadataPatch(podResource, pod, { labels })]),
      ...(isWaiting ? claimCreates(set, ordinal, claim) : []),
      ...assessed.flatMap((assessment) =>
        assessment.kind === "fits" || assessment.claim === undefined
          ? []
          : [ownersPatch(assessment.claim)],
      ),
    ],
    foreignClaims: assessed.filter(({ kind }) => kind === "foreign").map(({ name }) => name),
  };
}

const ownersPatch = (claim: VolumeClaim): PatchWrite =>
  metadataPatch(volumeClaimResource, claim, { ownerReferences: claim.metadata.ownerReferences });

/** Deletes revisions that nothing uses any more, oldest first, down to the limit. */
export function historyWrites(
  { set, revisions, pods }: Observed,
  names: RevisionNames,
): readonly DeleteWrite[] {
  const { revisionHistoryLimit: limit = 10 } = set.spec;
  if (revisions.length <= limit) return [];
  const inUse = new Set([
    names.current,
    names.update,
    ...pods.map(({ pod }) => pod.metadata.labels?.[revisionLabel]),
  ]);
  return revisionDeletes(expiredRevisions(revisions, inUse, limit));
}
