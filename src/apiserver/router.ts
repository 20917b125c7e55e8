/** Turns paths into routes. */
import { noContainers, resourceNotFound } from "./errors.ts";
import type { Registry } from "./registry.ts";
import type { Route } from "./request.ts";

export type Routed =
  | { readonly type: "resource"; readonly route: Route; readonly isWatch: boolean }
  /** No API group claims the path: discovery, health or a plain 404. */
  | { readonly type: "other"; readonly segments: readonly string[] };

/** Throws the 404 Status for an unknown resource inside a known built-in group. */
export function routeOf(registry: Registry, path: string): Routed {
  const segments = path.split("/").slice(1).map(decoded);
  if (segments.at(-1) === "") segments.pop();
  const [root] = segments;
  const depth = root === "api" ? 2 : root === "apis" ? 3 : Infinity;
  if (segments.length <= depth) return { type: "other", segments };
  const group = root === "api" ? "" : (segments[1] ?? "");
  const version = segments[depth - 1] ?? "";
  const rest = segments.slice(depth);
  const isWatch = rest[0] === "watch";
  const route = routeInside(registry, { group, version }, isWatch ? rest.slice(1) : rest);
  if (route !== undefined) return { type: "resource", route, isWatch };
  if (isBuiltInGroup(registry, group, version)) throw resourceNotFound();
  return { type: "other", segments };
}

function routeInside(
  registry: Registry,
  { group, version }: { readonly group: string; readonly version: string },
  path: readonly string[],
): Route | undefined {
  const find = (plural = ""): Route["resource"] | undefined =>
    registry.find(group, version, plural);
  const [first, namespace, plural, ...more] = path;
  if (first === "namespaces" && plural !== undefined) {
    const resource = find(plural);
    if (resource?.namespaced === true) return routeTo(resource, namespace, more);
  }
  const resource = find(first);
  return resource === undefined ? undefined : routeTo(resource, undefined, path.slice(1));
}

const ofContainers = ["log", "exec", "attach", "portforward"];

function routeTo(
  resource: Route["resource"],
  namespace: string | undefined,
  path: readonly string[],
): Route | undefined {
  const [name, subresource, ...more] = path;
  if (more.length > 0 || (resource.namespaced && namespace === undefined && name !== undefined)) {
    return undefined;
  }
  if (subresource !== undefined && !resource.subresources.includes(subresource)) {
    const isOfPod = resource.group === "" && resource.plural === "pods" && name !== undefined;
    if (isOfPod && ofContainers.includes(subresource)) throw noContainers(name, subresource);
    return undefined;
  }
  return { resource, namespace, name, subresource };
}

/** Custom groups answer unknown resources with plain text, as no handler is installed for them. */
function isBuiltInGroup(registry: Registry, group: string, version: string): boolean {
  return registry.served.some(
    (one) => one.group === group && one.version === version && one.listItemsAreTyped !== true,
  );
}

function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
