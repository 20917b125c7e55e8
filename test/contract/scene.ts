/** One test's own place on the server: a fresh namespace, a client, and the paths of every kind. */
import { randomBytes } from "node:crypto";
import type { ContractClient } from "./contract-client.ts";
import { contractClient } from "./contract-client.ts";
import type { ApiEndpoint } from "./endpoint.ts";
import type { Json } from "./json.ts";

/** Where each built-in resource lives, and whether it has namespaces. */
const resources: Readonly<Record<string, readonly [apiVersion: string, scope: "ns" | "cluster"]>> =
  {
    namespaces: ["v1", "cluster"],
    nodes: ["v1", "cluster"],
    pods: ["v1", "ns"],
    services: ["v1", "ns"],
    configmaps: ["v1", "ns"],
    secrets: ["v1", "ns"],
    serviceaccounts: ["v1", "ns"],
    persistentvolumeclaims: ["v1", "ns"],
    events: ["v1", "ns"],
    statefulsets: ["apps/v1", "ns"],
    controllerrevisions: ["apps/v1", "ns"],
    deployments: ["apps/v1", "ns"],
    replicasets: ["apps/v1", "ns"],
    poddisruptionbudgets: ["policy/v1", "ns"],
    horizontalpodautoscalers: ["autoscaling/v2", "ns"],
    leases: ["coordination.k8s.io/v1", "ns"],
    roles: ["rbac.authorization.k8s.io/v1", "ns"],
    rolebindings: ["rbac.authorization.k8s.io/v1", "ns"],
    clusterroles: ["rbac.authorization.k8s.io/v1", "cluster"],
    clusterrolebindings: ["rbac.authorization.k8s.io/v1", "cluster"],
    priorityclasses: ["scheduling.k8s.io/v1", "cluster"],
    resourceclaims: ["resource.k8s.io/v1", "ns"],
    resourceclaimtemplates: ["resource.k8s.io/v1", "ns"],
    customresourcedefinitions: ["apiextensions.k8s.io/v1", "cluster"],
  };

export const rootOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

export interface Scene {
  readonly api: ContractClient;
  readonly ns: string;
  /** `path("pods", "web-0", "status")`. */
  readonly path: (resource: string, name?: string, subresource?: string) => string;
  /** Creates an object that must be accepted, and returns it. */
  readonly create: (resource: string, object: Json) => Promise<Json>;
  /** Replaces `$ns` in a table by this scene's namespace. */
  readonly fill: <T>(value: T) => T;
  /** The reverse of `fill`, so that tables can be compared. */
  readonly unfill: <T>(value: T) => T;
}

export interface Cluster {
  readonly endpoint: ApiEndpoint;
  readonly api: ContractClient;
  scene(): Promise<Scene>;
  close(): void;
}

export function openCluster(endpoint: ApiEndpoint): Cluster {
  const api = contractClient(endpoint);
  // A server that outlives the run (while writing tests) must not see a name twice.
  const run = randomBytes(3).toString("hex");
  let count = 0;
  return {
    endpoint,
    api,
    async scene() {
      const ns = `c${run}-${++count}`;
      const created = await api.post("/api/v1/namespaces", { metadata: { name: ns } });
      if (created.status !== 201) throw new Error(`no namespace: ${created.text}`);
      return scene(api, ns);
    },
    close: () => api.close(),
  };
}

function scene(api: ContractClient, ns: string): Scene {
  const replaced = <T>(value: T, from: string, to: string): T =>
    value === undefined ? value : (JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T);
  const path: Scene["path"] = (resource, name, subresource) => {
    const [apiVersion, scope] = resources[resource] ?? ["v1", "ns"];
    const collection = scope === "ns" ? `/namespaces/${ns}/${resource}` : `/${resource}`;
    const parts = [rootOf(apiVersion) + collection, name, subresource];
    return parts.filter((part) => part !== undefined).join("/");
  };
  return {
    api,
    ns,
    path,
    create: async (resource, object) => {
      const made = await api.post(path(resource), object);
      if (made.status !== 201) throw new Error(`cannot create in ${resource}: ${made.text}`);
      return made.body;
    },
    fill: (value) => replaced(value, "$ns", ns),
    unfill: (value) => replaced(value, ns, "$ns"),
  };
}
