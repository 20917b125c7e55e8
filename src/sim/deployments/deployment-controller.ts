/** Plays the Deployment controller: moves pods from old ReplicaSets to the one of the current template. */
import type { Deployment, ReplicaSet } from "../../api/apps.ts";
import { deploymentResource, replicaSetResource } from "../../api/apps.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import { isSameJson } from "../../api/same-json.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../api/status.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Client } from "../../runtime/client.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import type { Reconcile } from "../../runtime/controller.ts";
import { keyText } from "../../runtime/object-store.ts";
import { claim, controllerOf, namespaceIndex, ownerIndex } from "./claim.ts";
import type { DeploymentPlan, DeploymentView } from "./deployment-plan.ts";
import { planDeployment } from "./deployment-plan.ts";
import { replicasOf, revisionAnnotation, sizeAnnotations, sortSets } from "./deployment-sets.ts";
import { reportDeployment } from "./deployment-status.ts";
import type { WorkloadControllerOptions } from "./replica-set-controller.ts";

export interface DeploymentControllerOptions extends WorkloadControllerOptions {
  /** Needs the index `namespace`. */
  readonly deployments: Cache<Deployment>;
}

export function deploymentController(options: DeploymentControllerOptions): Controller {
  const { client, clock, pods, replicaSets, deployments, onProblem } = options;
  return new Controller({
    name: "deployment",
    client,
    clock,
    watches: [
      watch(deployments),
      watch(replicaSets, concernedDeployments(deployments)),
      // A Recreate rollout waits for the last pod of the old sets.
      watch(pods, deploymentsOfPod(replicaSets), ({ type }) =>
        type === "deleted" ? 0 : undefined,
      ),
    ],
    reconcile: reconcileWith(options),
    observer: { reconciled: (_key, { error }) => error !== undefined && onProblem?.(error) },
  });
}

function concernedDeployments(deployments: Cache<Deployment>) {
  return (set: ReplicaSet): readonly string[] => {
    const owner = controllerOf(set);
    const { namespace, labels } = set.metadata;
    if (owner !== undefined) {
      return owner.kind === "Deployment" ? [keyText({ namespace, name: owner.name })] : [];
    }
    return deployments
      .byIndex(namespaceIndex, namespace ?? "")
      .filter(({ spec }) => selectorMatches(spec.selector, labels))
      .map(({ metadata }) => keyText({ namespace, name: metadata.name ?? "" }));
  };
}

function deploymentsOfPod(sets: Cache<ReplicaSet>) {
  return (pod: Parameters<typeof controllerOf>[0]): readonly string[] => {
    const owner = controllerOf(pod);
    if (owner?.kind !== "ReplicaSet") return [];
    const { namespace } = pod.metadata;
    const set = sets.get({ namespace, name: owner.name });
    const deployment = set === undefined ? undefined : controllerOf(set);
    return deployment?.kind === "Deployment" ? [keyText({ namespace, name: deployment.name })] : [];
  };
}

function reconcileWith(options: DeploymentControllerOptions): Reconcile {
  const { clock, replicaSets, deployments } = options;
  return async (key, client) => {
    const deployment = deployments.get(key);
    if (deployment === undefined) return {};
    const owned = await claim<ReplicaSet>({
      client,
      resource: deploymentResource,
      owner: deployment,
      selector: deployment.spec.selector,
      claimed: { resource: replicaSetResource, reader: replicaSets },
    });
    const view = viewOf(options, deployment, owned);
    const { created, collisionCount, sets } = await act(client, options, view);
    const nowMs = clock.now();
    const { status, recheckAfterMs } = reportDeployment({
      deployment,
      sets: sortSets(deployment, sets),
      ...(created === undefined ? {} : { created }),
      ...(collisionCount === undefined ? {} : { collisionCount }),
      nowMs,
    });
    await writeDeployment(client, deployment, {
      status,
      revision: (created ?? view.sets.current)?.metadata.annotations?.[revisionAnnotation],
    });
    return recheckAfterMs === undefined ? {} : { recheckAfterMs };
  };
}

function viewOf(
  { pods }: DeploymentControllerOptions,
  deployment: Deployment,
  owned: readonly ReplicaSet[],
): DeploymentView {
  const uids = owned.map(({ metadata }) => metadata.uid ?? "");
  return {
    deployment,
    sets: sortSets(deployment, owned),
    pods: new Map(uids.map((uid) => [uid, pods.byIndex(ownerIndex, uid)])),
  };
}

interface Acted {
  readonly created?: ReplicaSet;
  readonly collisionCount?: number;
  /** As they are after the writes. */
  readonly sets: readonly ReplicaSet[];
}

async function act(
  client: Client,
  options: DeploymentControllerOptions,
  view: DeploymentView,
): Promise<Acted> {
  const plan = planDeployment(view);
  const { deployment } = view;
  const all = [...view.sets.old, ...(view.sets.current === undefined ? [] : [view.sets.current])];
  for (const { metadata } of plan.remove) await removeSet(client, metadata);
  const sets = await writeSets(client, options, { deployment, all, plan });
  if (plan.create === undefined) return { sets };
  const created = await createSet(client, plan.create);
  if (created === undefined) {
    return { sets, collisionCount: (deployment.status?.collisionCount ?? 0) + 1 };
  }
  scaled(options, deployment, { set: created, from: 0, to: replicasOf(created) });
  return { sets, created };
}

async function removeSet(client: Client, { namespace, name = "", uid }: ReplicaSet["metadata"]) {
  try {
    await client.delete(replicaSetResource, { namespace, name }, { uid });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

interface SetWrites {
  readonly deployment: Deployment;
  readonly all: readonly ReplicaSet[];
  readonly plan: DeploymentPlan;
}

async function writeSets(
  client: Client,
  options: DeploymentControllerOptions,
  { deployment, all, plan }: SetWrites,
): Promise<readonly ReplicaSet[]> {
  const sets: ReplicaSet[] = [];
  for (const set of all.filter((each) => !plan.remove.includes(each))) {
    const { align = set } = plan;
    const base = align.metadata.uid === set.metadata.uid ? align : set;
    const resize = plan.resize.find((each) => each.set === set);
    const wanted = resize === undefined ? base : resized(deployment, base, resize.replicas);
    sets.push(
      isSameJson(wanted, set) ? set : await client.update<ReplicaSet>(replicaSetResource, wanted),
    );
    const to = resize?.replicas ?? replicasOf(set);
    if (to !== replicasOf(set)) scaled(options, deployment, { set, from: replicasOf(set), to });
  }
  return sets;
}

const resized = (deployment: Deployment, set: ReplicaSet, replicas: number): ReplicaSet => ({
  ...set,
  metadata: {
    ...set.metadata,
    annotations: { ...set.metadata.annotations, ...sizeAnnotations(deployment) },
  },
  spec: { ...set.spec, replicas },
});

/** Undefined where something else has the name: the next one is made with a higher collision count. */
async function createSet(client: Client, set: ReplicaSet): Promise<ReplicaSet | undefined> {
  try {
    return await client.create(replicaSetResource, set);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { namespace, name = "" } = set.metadata;
    const found = await client.get<ReplicaSet>(replicaSetResource, { namespace, name });
    if (controllerOf(found)?.uid === controllerOf(set)?.uid) throw error;
    return undefined;
  }
}

function scaled(
  { events }: DeploymentControllerOptions,
  deployment: Deployment,
  { set, from, to }: { readonly set: ReplicaSet; readonly from: number; readonly to: number },
): void {
  const direction = to > from ? "up" : "down";
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`;
  events.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", message });
}

interface DeploymentWrites {
  readonly status: NonNullable<Deployment["status"]>;
  readonly revision: string | undefined;
}

async function writeDeployment(
  client: Client,
  deployment: Deployment,
  { status, revision }: DeploymentWrites,
): Promise<void> {
  const { namespace, name = "", annotations } = deployment.metadata;
  let latest = deployment;
  if (revision !== undefined && annotations?.[revisionAnnotation] !== revision) {
    const body = { metadata: { annotations: { [revisionAnnotation]: revision } } };
    latest = await client.patch(deploymentResource, { namespace, name }, { type: "merge", body });
  }
  // Zero counters are not stored, so they may not count as a change.
  if (isSameJson({ ...emptyStatus, ...latest.status }, { ...emptyStatus, ...status })) return;
  await client.update(deploymentResource, { ...latest, status }, { subresource: "status" });
}

const emptyStatus = {
  replicas: 0,
  updatedReplicas: 0,
  readyReplicas: 0,
  availableReplicas: 0,
  unavailableReplicas: 0,
  terminatingReplicas: 0,
};
