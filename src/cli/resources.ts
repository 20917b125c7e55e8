/** Finds a resource by any name people use for it: plural, singular, short name, kind, with or without group. */
import type { Resource } from "../api/resource.ts";
import { UserError } from "../api/user-error.ts";
import type { Transport } from "../runtime/transport.ts";

export interface DiscoveredResource extends Resource {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
}

interface DiscoveryList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope?: string;
        readonly singularResource?: string;
        readonly shortNames?: readonly string[];
        readonly categories?: readonly string[];
        readonly verbs?: readonly string[];
      }[];
    }[];
  }[];
}

const aggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** Everything the cluster serves, preferred versions first. */
export async function discover(transport: Transport): Promise<DiscoveredResource[]> {
  const answers = await Promise.all(
    ["/api", "/apis"].map((path) => transport.request({ method: "GET", path, accept: aggregated })),
  );
  const refused = answers.find((answer) => answer.status !== 200);
  if (refused !== undefined) {
    const message = (refused.body as { message?: string }).message ?? `HTTP ${refused.status}`;
    throw new UserError({
      problem: `the cluster does not say what it serves: ${message}`,
      fix: "check the credentials in the kubeconfig",
    });
  }
  return answers.flatMap((answer) => flatten(answer.body as DiscoveryList));
}

function flatten(list: DiscoveryList): DiscoveredResource[] {
  return (list.items ?? []).flatMap((group) =>
    (group.versions ?? []).flatMap((version) =>
      (version.resources ?? []).map((resource) => ({
        group: group.metadata?.name ?? "",
        version: version.version,
        plural: resource.resource,
        kind: resource.responseKind?.kind ?? "",
        namespaced: resource.scope === "Namespaced",
        singular: resource.singularResource ?? "",
        shortNames: resource.shortNames ?? [],
        categories: resource.categories ?? [],
        verbs: resource.verbs ?? [],
      })),
    ),
  );
}

/** `pods`, `po`, `Pod`, `statefulsets.apps`, `deployments.v1.apps`: the first match, as kubectl picks it. */
export function findResource(
  known: readonly DiscoveredResource[],
  name: string,
): DiscoveredResource {
  const [first = "", ...rest] = name.toLowerCase().split(".");
  const qualifier = rest.join(".");
  const found = known.find(
    (resource) => isNamed(resource, first) && isQualified(resource, qualifier),
  );
  if (found !== undefined) return found;
  const problem = `the server doesn't have a resource type "${name}"`;
  throw new UserError({ problem, ...suggestion(known, first) });
}

/** The resources of a category such as `all`, one version of each. */
export function resourcesInCategory(
  known: readonly DiscoveredResource[],
  category: string,
): DiscoveredResource[] {
  const seen = new Set<string>();
  return known.filter((resource) => {
    const id = `${resource.plural}.${resource.group}`;
    if (!resource.categories.includes(category) || seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** The resource that serves objects with this apiVersion and kind. */
export function resourceOfKind(
  known: readonly DiscoveredResource[],
  apiVersion: string,
  kind: string,
): DiscoveredResource | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  return known.find(
    (resource) =>
      resource.kind === kind && resource.group === group && resource.version === version,
  );
}

function isNamed(resource: DiscoveredResource, name: string): boolean {
  return (
    resource.plural === name ||
    resource.singular === name ||
    resource.kind.toLowerCase() === name ||
    resource.shortNames.includes(name)
  );
}

function isQualified(resource: DiscoveredResource, qualifier: string): boolean {
  return (
    qualifier === "" ||
    resource.group === qualifier ||
    `${resource.version}.${resource.group}` === qualifier
  );
}

function suggestion(known: readonly DiscoveredResource[], name: string): { fix?: string } {
  const close = known.filter((resource) => resource.plural.startsWith(name.slice(0, 4)));
  const names = [...new Set(close.map((resource) => resource.plural))].toSorted().slice(0, 5);
  return names.length > 0 ? { fix: `did you mean ${names.join(", ")}?` } : {};
}
