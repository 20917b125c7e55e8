/** The writes of an add-on: creates that do not hold each other up, and deletes that the server confirms first. */
import type { ManagedClusterAddOn } from "../../api/ocm/addon.ts";
import {
  clusterManagementAddOnResource,
  managedClusterAddOnResource,
} from "../../api/ocm/addon.ts";
import type { PlacementDecision } from "../../api/ocm/placement.ts";
import {
  decisionSelector,
  placementDecisionResource,
  placementResource,
} from "../../api/ocm/placement.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { ApiError } from "../../api/status.ts";
import { controllerReferenceTo } from "../engine/ownership.ts";
import { lookUp } from "../engine/live-reads.ts";
import type { LiveReader, NameConflictAnswer, WritePlan } from "../engine/write.ts";
import { createOf, deletesOf } from "../engine/write.ts";
import { addOnAnnotations, listedClusters } from "./caches.ts";
import type { Observed } from "./observe.ts";
import type { ObservedPlacement } from "./selection.ts";

interface AddOnRefusal {
  /** In the words of the server. */
  readonly message: string;
  /** Of the first attempt. */
  readonly sinceMs: number;
}

/** What is remembered of the last attempts, for the status, the events and the deadline. */
export interface AddOnRefusals {
  /** By cluster. */
  readonly refused: Map<string, AddOnRefusal>;
  /** Not reported in an event yet. */
  created: string[];
  deleted: string[];
}

/** Clusters that are not asked any more refuse nothing. */
export function retainRefusals({ refused }: AddOnRefusals, asked: readonly string[]): void {
  const wanted = new Set(asked);
  for (const name of refused.keys()) if (!wanted.has(name)) refused.delete(name);
}

/** A namespace that is missing, a quota, an admission: somebody has to change it, so there is no hurry. */
const retryMs = 10_000;

/** Each is a question of its own, so that a cluster which refuses the add-on keeps it from no other. */
export function createWrites(
  observed: Observed,
  clusters: readonly string[],
  refusals: AddOnRefusals,
): WritePlan {
  return {
    sideBySide: clusters.map((cluster) => {
      const sinceMs = refusals.refused.get(cluster)?.sinceMs ?? observed.nowMs;
      return {
        question: `does cluster ${cluster} take the add-on`,
        read: async () => {
          refusals.refused.delete(cluster);
          const create = {
            ...createOf(managedClusterAddOnResource, addOnOf(observed, cluster)),
            ifExists,
          };
          const onDone = (): void => {
            if (!refusals.refused.has(cluster)) refusals.created.push(cluster);
          };
          return { isOpen: true, writes: [create], onDone };
        },
        onError: (error: unknown) => {
          if (!isRefusal(error)) throw error;
          refusals.refused.set(cluster, { message: error.message, sinceMs });
          return { isOpen: false, holdsForMs: retryMs };
        },
      };
    }),
    pace: { firstBatch: 1 },
  };
}

/** The server understood and said no; everything else may be over in a moment. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && [400, 403, 404, 405, 413, 422].includes(error.code);

/** Somebody installed it in the meantime, or an old one has yet to go: its event brings the add-on back. */
const ifExists = (found: KubeObject | undefined): NameConflictAnswer =>
  found === undefined || isTerminating(found) ? "wait" : "accept";

function addOnOf({ management, cluster: clusterOf }: Observed, namespace: string): KubeObject {
  const cluster = clusterOf(namespace);
  const annotations = cluster === undefined ? {} : addOnAnnotations(cluster);
  return {
    apiVersion: apiVersionOf(managedClusterAddOnResource),
    kind: managedClusterAddOnResource.kind,
    metadata: {
      name: management.metadata.name ?? "",
      namespace,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ownerReferences: [controllerReferenceTo(clusterManagementAddOnResource, management)],
    },
    spec: {},
  };
}

/** One fresh list per Placement before anything goes: a cache may be late, and an add-on that is gone loses its uid. */
export function deleteWrites(
  placements: readonly ObservedPlacement[],
  addOns: readonly ManagedClusterAddOn[],
  refusals: AddOnRefusals,
): WritePlan {
  if (addOns.length === 0) return { inOrder: [] };
  const clusters = addOns.map(({ metadata }) => metadata.namespace ?? "").toSorted();
  return {
    inOrder: [
      {
        question: `does no Placement select ${clusters.join(", ")}`,
        read: async (live) => ({ isOpen: await areUnselected(live, placements, clusters) }),
      },
      {
        sideBySide: addOns.map((addOn) => ({
          question: `delete the add-on of ${addOn.metadata.namespace}`,
          read: async () => ({
            isOpen: true,
            writes: deletesOf(managedClusterAddOnResource, [addOn]),
            onDone: () => void refusals.deleted.push(addOn.metadata.namespace ?? ""),
          }),
        })),
        pace: { firstBatch: 1 },
      },
    ],
  };
}

async function areUnselected(
  live: LiveReader,
  placements: readonly ObservedPlacement[],
  clusters: readonly string[],
): Promise<boolean> {
  const listed = new Set<string>();
  for (const { reference } of placements) {
    const { namespace, name } = reference;
    const selection = { namespace, labelSelector: decisionSelector(name) };
    const { items } = await live.list<PlacementDecision>(placementDecisionResource, selection);
    // Without any decision the Placement must be gone itself: one that selects nothing has an empty one.
    if (items.length === 0 && (await lookUp(live, placementResource, { namespace, name })))
      return false;
    for (const cluster of items.flatMap(listedClusters)) listed.add(cluster);
  }
  return clusters.every((cluster) => !listed.has(cluster));
}
