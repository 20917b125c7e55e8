/** Reads what a preview needs from a cluster: the objects of its kinds, nodes, pods, quotas, budgets, autoscalers. */
import { deploymentResource, replicaSetResource } from "../api/apps.ts";
import { autoscalerResource } from "../api/autoscaler.ts";
import type { LabelSelector } from "../api/label-selector.ts";
import { selectorMatches } from "../api/label-selector.ts";
import { nodeResource } from "../api/node.ts";
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { podResource } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import { apiVersionOf, groupResource } from "../api/resource.ts";
import { isForbidden, isNotFound } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import type { KindDefinition } from "../controllers/engine/kind-definition.ts";
import type { Client } from "../runtime/client.ts";
import type { Copied } from "./fork.ts";
import type { Workload } from "./play.ts";
import { previewedKind } from "./previewed-kinds.ts";
import { quotaResource } from "./quota.ts";
import type { DisruptionBudget } from "./warnings.ts";

export interface Loaded {
  readonly copied: readonly Copied[];
  readonly disruptionBudgets: readonly DisruptionBudget[];
  /** What could not be read, and what is assumed instead. */
  readonly notes: readonly string[];
}

/** The kinds whose controllers play a workload. */
export const kindsAround = (
  kinds: readonly KindDefinition[],
  { resource }: Pick<Workload, "resource">,
): readonly KindDefinition[] =>
  previewedKind(resource).controllers.flatMap(
    (name) => kinds.find((kind) => kind.name === name) ?? [],
  );

const isSame = (a: Resource, b: Resource): boolean => a.group === b.group && a.plural === b.plural;

const priorityClassResource: Resource = {
  group: "scheduling.k8s.io",
  version: "v1",
  plural: "priorityclasses",
  kind: "PriorityClass",
  namespaced: false,
};

const budgetResource: Resource = {
  group: "policy",
  version: "v1",
  plural: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  namespaced: true,
};

/** What every workload of pods meets in a cluster, and what a plan does without it. */
const surroundings: readonly { readonly resource: Resource; readonly without: string }[] = [
  { resource: nodeResource, without: "the copy has simulated nodes" },
  { resource: quotaResource, without: "the plan knows of no quota" },
  { resource: autoscalerResource, without: "the plan assumes that nothing is scaled meanwhile" },
  { resource: budgetResource, without: "the plan cannot say which budgets stand in the way" },
  { resource: priorityClassResource, without: "pods that name a priority class are refused in it" },
];

export async function loadCluster(
  client: Client,
  kinds: readonly KindDefinition[],
  workload: Workload,
): Promise<Loaded> {
  const { namespace } = workload.key;
  const reading = new Reading(client, namespace);
  const own = ownResources(kinds).map((resource) =>
    reading.read(resource, effectOf(workload, resource)),
  );
  if (!previewedKind(workload.resource).hasPods) {
    const copied = (await Promise.all(own)).flat();
    return { copied, disruptionBudgets: [], notes: reading.notes };
  }
  const around = surroundings.map(({ resource, without }) => reading.read(resource, without));
  const [pods, ...lists] = await Promise.all([reading.readPods(), ...own, ...around]);
  const all = [...lists.flat(), ...pods];
  return {
    copied: all.filter(({ resource }) => resource !== budgetResource),
    disruptionBudgets: budgets(all, namespace),
    notes: reading.notes,
  };
}

/** What the controllers follow; pods and nodes are read for all kinds alike. */
const ownResources = (kinds: readonly KindDefinition[]): readonly Resource[] =>
  kinds
    .flatMap(({ watches, watchesOnDemand }) => [...watches, ...watchesOnDemand])
    // Pods of a Deployment belong to its ReplicaSets.
    .flatMap((resource) =>
      isSame(resource, deploymentResource) ? [resource, replicaSetResource] : [resource],
    )
    .filter((resource, index, all) => all.findIndex((other) => isSame(other, resource)) === index)
    .filter((resource) => !isSame(resource, podResource))
    .filter((resource) => !surroundings.some((other) => isSame(other.resource, resource)));

/** Undefined where the workload itself may not be read: there is nothing to plan then. */
const effectOf = ({ resource }: Workload, read: Resource): string | undefined =>
  isSame(resource, read) ? undefined : "the copy begins without them";

class Reading {
  readonly #client: Client;
  readonly #namespace: string | undefined;
  readonly notes: string[] = [];

  constructor(client: Client, namespace: string | undefined) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async read(resource: Resource, without: string | undefined): Promise<readonly Copied[]> {
    const namespace = resource.namespaced ? this.#namespace : undefined;
    const items = await this.#list(resource, namespace);
    if (items !== undefined) return items;
    if (without === undefined) throw mayNotRead(resource, namespace);
    this.notes.push(`you may not list ${groupResource(resource)}: ${without}`);
    return [];
  }

  /** Pods of other namespaces take room on nodes. */
  async readPods(): Promise<readonly Copied[]> {
    const everywhere = await this.#list(podResource, undefined);
    if (everywhere !== undefined) return everywhere;
    const own = await this.#list(podResource, this.#namespace);
    if (own === undefined) throw mayNotRead(podResource, this.#namespace);
    this.notes.push("you may not list pods of other namespaces: nodes look emptier than they are");
    return own;
  }

  /** Undefined where it may not be read; nothing where it is not served. */
  async #list(resource: Resource, namespace: string | undefined) {
    try {
      const { items } = await this.#client.list(
        resource,
        namespace === undefined ? {} : { namespace },
      );
      const apiVersion = apiVersionOf(resource);
      return items.map((object): Copied => ({
        resource,
        object: { ...object, apiVersion, kind: resource.kind },
      }));
    } catch (error) {
      if (isNotFound(error)) return [];
      if (isForbidden(error)) return undefined;
      throw error;
    }
  }
}

const inNamespace = (namespace: string | undefined): string =>
  namespace === undefined ? "" : ` in namespace ${namespace}`;

const mayNotRead = (resource: Resource, namespace: string | undefined): UserError =>
  new UserError({
    problem: `you may not list ${groupResource(resource)}${inNamespace(namespace)}`,
    fix: "ask for the verbs get and list on it: a plan reads, and writes nothing",
  });

interface Budget extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector };
  readonly status?: { readonly disruptionsAllowed?: number };
}

/** Those that select a pod of the namespace. */
function budgets(
  copied: readonly Copied[],
  namespace: string | undefined,
): readonly DisruptionBudget[] {
  const of = (wanted: Resource) =>
    copied
      .filter(
        ({ resource, object }) => resource === wanted && object.metadata.namespace === namespace,
      )
      .map(({ object }) => object);
  const pods = of(podResource) as unknown as readonly Pod[];
  return (of(budgetResource) as readonly Budget[]).map(({ metadata, spec, status }) => ({
    name: metadata.name ?? "",
    disruptionsAllowed: status?.disruptionsAllowed ?? 0,
    pods: new Set(
      pods
        .filter((pod) => selectorMatches(spec?.selector ?? {}, pod.metadata.labels ?? {}))
        .map((pod) => pod.metadata.name ?? ""),
    ),
  }));
}
