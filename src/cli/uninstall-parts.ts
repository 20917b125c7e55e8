/** What objects of Lockstep's kinds own in kinds of Kubernetes: pods, services, revisions, autoscalers, workloads. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { groupResource } from "../api/resource.ts";
import { isNotFound } from "../api/status.ts";
import { controllerOf } from "../controllers/engine/ownership.ts";
import { kinds } from "../controllers/kinds.ts";
import type { Client } from "../runtime/client.ts";

export interface Found {
  readonly resource: Resource;
  readonly object: KubeObject;
}

const groupOf = (apiVersion: string): string => apiVersion.split("/")[0] ?? "";

/** Everything that the controllers create, besides objects of `ownGroups`. */
function partResources(ownGroups: ReadonlySet<string>): readonly Resource[] {
  const created = kinds
    .flatMap((kind) => kind.access())
    .filter(({ verbs, subresource }) => verbs.includes("create") && subresource === undefined)
    .map(({ resource }) => resource as Resource)
    .filter(({ group }) => !ownGroups.has(group));
  return [...new Map(created.map((resource) => [groupResource(resource), resource])).values()];
}

/**
 * Parts whose owner is gone or not served any more, in one namespace or in all. A garbage collector that does not know
 * the kind of an owner leaves them behind, so nobody else deletes them.
 */
export async function partsLeftBehind(
  client: Client,
  namespace: string | undefined,
  { ownGroups, owners }: { ownGroups: ReadonlySet<string>; owners: readonly Found[] },
): Promise<Found[]> {
  const uids = new Set(owners.map(({ object }) => object.metadata.uid));
  const isLeft = (object: KubeObject): boolean => {
    const owner = controllerOf(object);
    return owner !== undefined && ownGroups.has(groupOf(owner.apiVersion)) && !uids.has(owner.uid);
  };
  const found: Found[] = [];
  for (const resource of partResources(ownGroups)) {
    const selection = namespace === undefined ? {} : { namespace };
    const items = await listed(client, resource, selection);
    found.push(...items.filter(isLeft).map((object) => ({ resource, object })));
  }
  return found;
}

/** Kinds that are not served have none. */
async function listed(
  client: Client,
  resource: Resource,
  selection: { readonly namespace?: string },
): Promise<readonly KubeObject[]> {
  try {
    return (await client.list(resource, selection)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** `18 podcliques in team`, one for each kind and namespace. */
export function countedByPlace(found: readonly Found[]): readonly string[] {
  const counts = new Map<string, { one: string; count: number; where: string }>();
  for (const { resource, object } of found) {
    const { namespace } = object.metadata;
    const one = resource.kind.toLowerCase();
    const where = namespace === undefined ? "" : ` in ${namespace}`;
    const { count = 0 } = counts.get(one + where) ?? {};
    counts.set(one + where, { one, count: count + 1, where });
  }
  return [...counts.values()].map(
    ({ one, count, where }) => `${count} ${one}${count === 1 ? "" : "s"}${where}`,
  );
}
