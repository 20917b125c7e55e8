/** The ReplicaSets of a Deployment: which one has its template, in which order they came, how a new one is made. */
import { createHash } from "node:crypto";
import type { Deployment, PodTemplate, ReplicaSet } from "../../api/apps.ts";
import { deploymentResource } from "../../api/apps.ts";
import { canonicalJson } from "../../api/canonical-json.ts";
import { resolveIntOrPercent } from "../../api/int-or-percent.ts";
import { isSameJson } from "../../api/same-json.ts";
import { controllerReference } from "./claim.ts";

export const templateHashLabel = "pod-template-hash";
export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
export const mostAnnotation = "deployment.kubernetes.io/max-replicas";

/** What belongs to the Deployment or to one ReplicaSet alone. */
const ownAnnotations = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  mostAnnotation,
]);

export const replicasOf = ({ spec }: Deployment | ReplicaSet): number => spec.replicas ?? 1;
export const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;
export const isActiveSet = (set: ReplicaSet): boolean => replicasOf(set) > 0;
export const sumOf = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number =>
  sets.reduce((sum, set) => sum + count(set), 0);

export interface RollingBudget {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Percentages of surge round up, of unavailability down; where both come to nothing, one pod may be down. */
export function budgetOf({ spec }: Deployment): RollingBudget {
  const desired = spec.replicas ?? 1;
  if (spec.strategy?.type === "Recreate") return { maxSurge: 0, maxUnavailable: 0 };
  const rolling = spec.strategy?.rollingUpdate ?? {};
  const maxSurge = resolveIntOrPercent(rolling.maxSurge ?? "25%", desired, "up");
  const wanted = resolveIntOrPercent(rolling.maxUnavailable ?? "25%", desired, "down");
  const maxUnavailable = maxSurge + wanted === 0 ? 1 : wanted;
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, desired) };
}

export const byAge = (a: ReplicaSet, b: ReplicaSet): number =>
  compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
  compare(a.metadata.name ?? "", b.metadata.name ?? "");

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

export interface Sets {
  readonly current: ReplicaSet | undefined;
  /** Oldest first. */
  readonly old: readonly ReplicaSet[];
}

/** Of several sets with the Deployment's template the oldest is the current one. */
export function sortSets(deployment: Deployment, sets: readonly ReplicaSet[]): Sets {
  const sorted = sets.toSorted(byAge);
  const wanted = withoutHash(deployment.spec.template);
  const current = sorted.find(({ spec }) => isSameJson(withoutHash(spec.template ?? {}), wanted));
  return { current, old: sorted.filter((set) => set !== current) };
}

/** An empty map of labels and an absent one mean the same. */
function withoutHash({ metadata, ...template }: PodTemplate): object {
  const { [templateHashLabel]: _hash, ...labels } = metadata?.labels ?? {};
  return { ...template, metadata: { ...defined(metadata), labels } };
}

const defined = (record: object | undefined): object =>
  Object.fromEntries(Object.entries(record ?? {}).filter(([, value]) => value !== null));

export const revisionOf = ({ metadata }: ReplicaSet): number =>
  Number(metadata.annotations?.[revisionAnnotation] ?? 0) || 0;

export const nextRevision = (old: readonly ReplicaSet[]): number =>
  Math.max(0, ...old.map(revisionOf)) + 1;

/** The annotations that the current set should carry. */
export function currentAnnotations(
  deployment: Deployment,
  { current, old }: Sets,
): Record<string, string> {
  const have = current?.metadata.annotations ?? {};
  const inherited = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key]) => !ownAnnotations.has(key),
  );
  const before = have[revisionAnnotation];
  const next = nextRevision(old);
  if (Number(before ?? 0) >= next) return { ...have, ...Object.fromEntries(inherited) };
  const past = before === undefined ? [] : [have[historyAnnotation], before].filter(Boolean);
  return {
    ...have,
    ...Object.fromEntries(inherited),
    [revisionAnnotation]: String(next),
    ...(past.length === 0 ? {} : { [historyAnnotation]: past.join(",") }),
  };
}

/** What a later scaling is measured against. */
export function sizeAnnotations(deployment: Deployment): Record<string, string> {
  const desired = replicasOf(deployment);
  return {
    [desiredAnnotation]: String(desired),
    [mostAnnotation]: String(desired + budgetOf(deployment).maxSurge),
  };
}

/** The set of the Deployment's template, named after the template's content. */
export function newSet(deployment: Deployment, sets: Sets, replicas: number): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = templateHash(template, deployment.status?.collisionCount ?? 0);
  const labels = { ...template.metadata?.labels, [templateHashLabel]: hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace,
      labels,
      annotations: { ...currentAnnotations(deployment, sets), ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference(deploymentResource, deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: {
        ...selector,
        matchLabels: { ...selector.matchLabels, [templateHashLabel]: hash },
      },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** Ten letters and digits that form no words. The collision count makes a new name where one is taken. */
export function templateHash(template: PodTemplate, collisionCount: number): string {
  const text = `${canonicalJson(template)}${collisionCount || ""}`;
  const digest = createHash("sha256").update(text).digest();
  return Array.from(digest.subarray(0, 10), (byte) => safeLetters[byte % safeLetters.length]).join(
    "",
  );
}

const safeLetters = "bcdfghjklmnpqrstvwxz2456789";
