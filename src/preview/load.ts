/** Reads what a preview needs from a cluster: the objects of its kinds, nodes, pods and disruption budgets. */
import type { LabelSelector } from "../api/label-selector.ts";
import { selectorMatches } from "../api/label-selector.ts";
import { nodeResource } from "../api/node.ts";
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { podResource } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import { isForbidden, isNotFound } from "../api/status.ts";
import type { KindDefinition } from "../controllers/engine/kind-definition.ts";
import type { Client } from "../runtime/client.ts";
import type { Copied } from "./fork.ts";
import type { Workload } from "./play.ts";
import type { DisruptionBudget } from "./warnings.ts";

export interface Loaded {
  readonly copied: readonly Copied[];
  readonly disruptionBudgets: readonly DisruptionBudget[];
  /** What could not be read, and what is assumed instead. */
  readonly notes: readonly string[];
}

/** The kinds whose controllers have a part in what happens to a workload. */
export const kindsAround = (
  kinds: readonly KindDefinition[],
  { resource }: Pick<Workload, "resource">,
): readonly KindDefinition[] =>
  kinds.filter(({ watches }) => watches.some((watched) => isSame(watched, resource)));

const isSame = (a: Resource, b: Resource): boolean => a.group === b.group && a.plural === b.plural;

export async function loadCluster(
  client: Client,
  kinds: readonly KindDefinition[],
  { key: { namespace } }: Workload,
): Promise<Loaded> {
  const resources = kinds
    .flatMap(({ watches, watchesOnDemand }) => [...watches, ...watchesOnDemand])
    .filter((resource, index, all) => all.findIndex((other) => isSame(other, resource)) === index)
    .filter((resource) => !isSame(resource, podResource) && !isSame(resource, nodeResource));
  const copied: Copied[] = [];
  for (const resource of resources) {
    const within = resource.namespaced ? { namespace } : {};
    const items = await listed(client, resource, within);
    copied.push(...(items ?? []).map((object) => ({ resource, object })));
  }
  const nodes = await listed(client, nodeResource, {});
  const everywhere = await listed(client, podResource, {});
  const pods = everywhere ?? (await listed(client, podResource, { namespace })) ?? [];
  const notes = [
    ...(nodes === undefined ? ["nodes cannot be read: the copy has simulated ones"] : []),
    ...(everywhere === undefined
      ? ["pods of other namespaces cannot be read: nodes look emptier than they are"]
      : []),
  ];
  copied.push(...(nodes ?? []).map((object) => ({ resource: nodeResource, object })));
  copied.push(...pods.map((object) => ({ resource: podResource, object })));
  return { copied, notes, disruptionBudgets: await budgets(client, namespace, pods) };
}

/** Undefined where it may not be read; nothing where it is not served. */
async function listed(
  client: Client,
  resource: Resource,
  options: { readonly namespace?: string | undefined },
): Promise<readonly KubeObject[] | undefined> {
  try {
    const { items } = await client.list(resource, options);
    const apiVersion =
      resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
    return items.map((object) => ({ ...object, apiVersion, kind: resource.kind }));
  } catch (error) {
    if (isNotFound(error)) return [];
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

const budgetResource: Resource = {
  group: "policy",
  version: "v1",
  plural: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  namespaced: true,
};

interface Budget extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector };
  readonly status?: { readonly disruptionsAllowed?: number };
}

async function budgets(
  client: Client,
  namespace: string | undefined,
  pods: readonly KubeObject[],
): Promise<readonly DisruptionBudget[]> {
  const found = (await listed(client, budgetResource, { namespace })) ?? [];
  const near = (pods as readonly Pod[]).filter(({ metadata }) => metadata.namespace === namespace);
  return (found as readonly Budget[])
    .filter(({ spec }) =>
      near.some(({ metadata }) => selectorMatches(spec?.selector ?? {}, metadata.labels ?? {})),
    )
    .map(({ metadata, status }) => ({
      name: metadata.name ?? "",
      disruptionsAllowed: status?.disruptionsAllowed ?? 0,
    }));
}
