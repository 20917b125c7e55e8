/** Decides the next step of a Deployment: which ReplicaSet grows, shrinks, is created or deleted. Pure. */
import type { Deployment, ReplicaSet } from "../../api/apps.ts";
import { isTerminating } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { isFinished } from "../../api/pod.ts";
import { scaleSets } from "./deployment-scaling.ts";
import type { Sets } from "./deployment-sets.ts";
import {
  availableOf,
  budgetOf,
  currentAnnotations,
  desiredAnnotation,
  isActiveSet,
  newSet,
  replicasOf,
  revisionOf,
  sumOf,
} from "./deployment-sets.ts";
import { isComplete } from "./deployment-status.ts";

export interface DeploymentView {
  readonly deployment: Deployment;
  readonly sets: Sets;
  /** Pods of all its sets by the uid of their set, terminating ones included. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
}

export interface Resize {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

export interface DeploymentPlan {
  readonly create?: ReplicaSet;
  readonly resize: readonly Resize[];
  /** The current set with annotations or minReadySeconds that it lacks. */
  readonly align?: ReplicaSet;
  readonly remove: readonly ReplicaSet[];
}

const nothing: DeploymentPlan = { resize: [], remove: [] };

export function planDeployment(view: DeploymentView): DeploymentPlan {
  const { deployment, sets } = view;
  if (isTerminating(deployment)) return nothing;
  if (deployment.spec.paused === true) {
    return { ...nothing, resize: scaleSets(deployment, sets), remove: expired(view) };
  }
  if (isScaling(deployment, sets)) return { ...aligned(view), resize: scaleSets(deployment, sets) };
  const step = deployment.spec.strategy?.type === "Recreate" ? recreate(view) : roll(view);
  const remove = isComplete(deployment, deployment.status) ? expired(view) : [];
  return { ...aligned(view), ...step, remove };
}

/** A changed number of replicas is spread over the sets before the rollout goes on. */
const isScaling = (deployment: Deployment, { current, old }: Sets): boolean =>
  [...old, ...(current === undefined ? [] : [current])]
    .filter(isActiveSet)
    .map(({ metadata }) => metadata.annotations?.[desiredAnnotation])
    .some((desired) => desired !== undefined && Number(desired) !== replicasOf(deployment));

type Step = Pick<DeploymentPlan, "create" | "resize">;

function roll({ deployment, sets }: DeploymentView): Step {
  const { current } = sets;
  if (current === undefined) {
    return { create: newSet(deployment, sets, grown(deployment, sets)), resize: [] };
  }
  const wanted = grown(deployment, sets);
  if (wanted !== replicasOf(current)) return { resize: [{ set: current, replicas: wanted }] };
  return { resize: shrunk(deployment, current, sets.old) };
}

/** The size of the current set: as many as the surge lets it have. */
function grown(deployment: Deployment, { current, old }: Sets): number {
  const desired = replicasOf(deployment);
  const own = current === undefined ? 0 : replicasOf(current);
  if (own >= desired) return desired;
  const room = desired + budgetOf(deployment).maxSurge - sumOf(old, replicasOf) - own;
  return own + Math.min(Math.max(0, room), desired - own);
}

/** Pods that do not serve go first and cost nothing; then as many as may be missing, from the oldest set on. */
function shrunk(
  deployment: Deployment,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
): readonly Resize[] {
  const all = [...old, current];
  const least = replicasOf(deployment) - budgetOf(deployment).maxUnavailable;
  const unavailable = replicasOf(current) - availableOf(current);
  const most = sumOf(all, replicasOf) - least - unavailable;
  if (most <= 0) return [];
  let cleanup = most;
  let spare = Math.max(0, sumOf(all, availableOf) - least);
  return old.filter(isActiveSet).flatMap((set) => {
    const broken = Math.min(cleanup, Math.max(0, replicasOf(set) - availableOf(set)));
    cleanup -= broken;
    const healthy = Math.min(spare, replicasOf(set) - broken);
    spare -= healthy;
    const gone = broken + healthy;
    return gone === 0 ? [] : [{ set, replicas: replicasOf(set) - gone }];
  });
}

/** Everything of the old template has to be gone, not only requested to go, before the first new pod. */
function recreate({ deployment, sets, pods }: DeploymentView): Step {
  const active = sets.old.filter(isActiveSet);
  if (active.length > 0) return { resize: active.map((set) => ({ set, replicas: 0 })) };
  const isRunning = sets.old.some(({ metadata }) =>
    (pods.get(metadata.uid ?? "") ?? []).some((pod) => !isFinished(pod)),
  );
  if (isRunning) return { resize: [] };
  const replicas = replicasOf(deployment);
  const { current } = sets;
  if (current === undefined) return { create: newSet(deployment, sets, replicas), resize: [] };
  return { resize: replicasOf(current) === replicas ? [] : [{ set: current, replicas }] };
}

function aligned({ deployment, sets }: DeploymentView): DeploymentPlan {
  const { current } = sets;
  if (current === undefined) return nothing;
  const annotations = currentAnnotations(deployment, sets);
  const { minReadySeconds = 0 } = deployment.spec;
  const have = current.metadata.annotations ?? {};
  const isAligned =
    (current.spec.minReadySeconds ?? 0) === minReadySeconds &&
    Object.entries(annotations).every(([key, value]) => have[key] === value);
  if (isAligned) return nothing;
  const metadata = { ...current.metadata, annotations };
  return {
    ...nothing,
    align: { ...current, metadata, spec: { ...current.spec, minReadySeconds } },
  };
}

/** Old sets beyond revisionHistoryLimit that have no pods any more, oldest revision first. */
function expired({ deployment, sets }: DeploymentView): readonly ReplicaSet[] {
  const { revisionHistoryLimit = 10 } = deployment.spec;
  const alive = sets.old.filter((set) => !isTerminating(set));
  const surplus = Math.max(0, alive.length - revisionHistoryLimit);
  return alive
    .toSorted((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, surplus)
    .filter(
      (set) =>
        replicasOf(set) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0),
    );
}
