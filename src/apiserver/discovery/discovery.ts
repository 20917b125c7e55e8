/** Discovery: lists the served resources, group by group or all in one answer. */
import { apiVersionOf } from "../../api/resource.ts";
import type { ServedResource } from "../served-resource.ts";

const versionPattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stageRank: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

const objectVerbs = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
const customVerbs = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];

function verbsOf({
  deletesCollections = true,
  listItemsAreTyped,
}: ServedResource): readonly string[] {
  if (listItemsAreTyped === true) return customVerbs;
  return deletesCollections
    ? objectVerbs
    : objectVerbs.filter((verb) => verb !== "deletecollection");
}

const createOnly = ["binding", "eviction", "token"];

function subresourceVerbs(subresource: string): readonly string[] {
  if (createOnly.includes(subresource)) return ["create"];
  return subresource === "finalize" ? ["update"] : ["get", "patch", "update"];
}

/** The kind that a subresource answers with, if that is not the object itself. */
const subresourceKinds: Readonly<Record<string, { group: string; version: string; kind: string }>> =
  {
    scale: { group: "autoscaling", version: "v1", kind: "Scale" },
    binding: { group: "", version: "v1", kind: "Binding" },
    eviction: { group: "policy", version: "v1", kind: "Eviction" },
  };

type Served = readonly ServedResource[];

interface GroupVersions {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Named groups in the order in which they were first served; the core group is not among them. */
export function groupsOf(served: Served): readonly GroupVersions[] {
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of served) {
    if (group === "") continue;
    versions.set(group, (versions.get(group) ?? new Set()).add(version));
  }
  return [...versions].map(([name, found]) => ({
    name,
    versions: [...found].toSorted(newestFirst),
  }));
}

export function coreVersions(address: string): unknown {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress: address }];
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
}

export function groupList(served: Served): unknown {
  const groups = groupsOf(served).map((group) => groupBody(group));
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

export function groupAnswer(served: Served, name: string): unknown {
  const group = groupsOf(served).find((one) => one.name === name);
  return group && { kind: "APIGroup", apiVersion: "v1", ...groupBody(group) };
}

function groupBody({ name, versions }: GroupVersions): Record<string, unknown> {
  const listed = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: listed, preferredVersion: listed[0] };
}

export function resourceList(served: Served, group: string, version: string): unknown {
  const found = served.filter((one) => one.group === group && one.version === version);
  if (found.length === 0) return undefined;
  const resources = found.flatMap(resourceBodies);
  const groupVersion = apiVersionOf({ group, version });
  const head = { kind: "APIResourceList", ...(group === "" ? {} : { apiVersion: "v1" }) };
  return { ...head, groupVersion, resources };
}

function resourceBodies(resource: ServedResource): readonly unknown[] {
  const { plural, singular, namespaced, kind } = resource;
  const whole = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(resource),
    ...names(resource),
  };
  const parts = resource.subresources.map((subresource) => ({
    name: `${plural}/${subresource}`,
    singularName: "",
    namespaced,
    ...(subresourceKinds[subresource] ?? { kind }),
    verbs: subresourceVerbs(subresource),
  }));
  return [whole, ...parts];
}

function names({ shortNames, categories }: ServedResource): Record<string, readonly string[]> {
  return {
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
  };
}

/** Everything below `/api` or `/apis` at once. */
export function aggregated(served: Served, isCore: boolean): unknown {
  const groups = isCore ? [{ name: "", versions: ["v1"] }] : groupsOf(served);
  const items = groups.map(({ name, versions }) => ({
    metadata: { ...(name === "" ? {} : { name }), creationTimestamp: null },
    versions: versions.map((version) => ({
      version,
      resources: served
        .filter((one) => one.group === name && one.version === version)
        .map(aggregatedResource),
      freshness: "Current",
    })),
  }));
  const head = { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" };
  return { ...head, metadata: {}, items };
}

function aggregatedResource(resource: ServedResource): unknown {
  // The group and version of the object itself are omitted.
  const own = { group: "", version: "", kind: resource.kind };
  const subresources = resource.subresources.map((subresource) => ({
    subresource,
    responseKind: subresourceKinds[subresource] ?? own,
    verbs: subresourceVerbs(subresource),
  }));
  return {
    resource: resource.plural,
    responseKind: own,
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: verbsOf(resource),
    ...names(resource),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

/** The order of API versions: stable before beta before alpha, higher numbers first. */
export function newestFirst(a: string, b: string): number {
  const left = weightsOf(a);
  const right = weightsOf(b);
  for (const [index, weight] of left.entries()) {
    const difference = (right[index] ?? 0) - weight;
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Versions that follow no pattern come last, by their name. */
function weightsOf(version: string): readonly number[] {
  const match = versionPattern.exec(version);
  if (match === null) return [-1, 0, 0];
  const [, major, stage, minor = "0"] = match;
  return [stage === undefined ? 2 : (stageRank[stage] ?? 0), Number(major), Number(minor)];
}
