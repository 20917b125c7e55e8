/** Requests made of hostile values: methods, paths, queries, media types and bodies that do not belong together. */
import { stringify } from "yaml";
import type { Random } from "../../src/sim/random.ts";
import { hostileDefinition, hostileValue, mangled, mutated, one } from "./hostile-values.ts";

export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly contentType: string;
  readonly body: string | undefined;
}

const pod = {
  containers: [
    { name: "c", image: "i", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "b" }] },
  ],
};
const labels = { a: "b" };
const template = { metadata: { labels }, spec: pod };

/** One valid object of every kind that is worth mutating. */
export const samples: readonly { path: string; apiVersion: string; kind: string; more: object }[] =
  [
    { path: "/api/v1/namespaces/hostile/pods", apiVersion: "v1", kind: "Pod", more: { spec: pod } },
    {
      path: "/api/v1/namespaces/hostile/configmaps",
      apiVersion: "v1",
      kind: "ConfigMap",
      more: { data: { a: "b" } },
    },
    {
      path: "/api/v1/namespaces/hostile/secrets",
      apiVersion: "v1",
      kind: "Secret",
      more: { data: { a: "YQ==" } },
    },
    {
      path: "/api/v1/namespaces/hostile/services",
      apiVersion: "v1",
      kind: "Service",
      more: { spec: { selector: labels, ports: [{ port: 80 }] } },
    },
    {
      path: "/api/v1/namespaces/hostile/events",
      apiVersion: "v1",
      kind: "Event",
      more: { involvedObject: { namespace: "hostile" } },
    },
    {
      path: "/apis/apps/v1/namespaces/hostile/statefulsets",
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      more: {
        spec: { serviceName: "s", replicas: 1, selector: { matchLabels: labels }, template },
      },
    },
    {
      path: "/apis/apps/v1/namespaces/hostile/deployments",
      apiVersion: "apps/v1",
      kind: "Deployment",
      more: { spec: { selector: { matchLabels: labels }, template } },
    },
    {
      path: "/apis/apps/v1/namespaces/hostile/controllerrevisions",
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      more: { revision: 1, data: { a: 1 } },
    },
    {
      path: "/apis/coordination.k8s.io/v1/namespaces/hostile/leases",
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      more: { spec: { holderIdentity: "a" } },
    },
    {
      path: "/apis/policy/v1/namespaces/hostile/poddisruptionbudgets",
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      more: { spec: { minAvailable: 1, selector: { matchLabels: labels } } },
    },
    {
      path: "/apis/hostile.dev/v1/namespaces/hostile/as",
      apiVersion: "hostile.dev/v1",
      kind: "Kas",
      more: { spec: { a: "x", b: ["y"] } },
    },
  ];

const mediaTypes = [
  "application/json",
  "application/json",
  "application/json",
  "application/yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/vnd.kubernetes.protobuf",
  "text/plain",
];
const patchTypes = mediaTypes.filter((type) => type.includes("patch"));
const parts = ["", "status", "scale", "binding", "finalize", "__proto__", "%00", "..", "a%2Fb"];
const queries = [
  "labelSelector=a in (((",
  "labelSelector=!!!,a=b,,",
  "fieldSelector=metadata.name=a,__proto__=1",
  "resourceVersion=-1",
  "resourceVersion=99999999999999999999",
  "resourceVersion=1&resourceVersionMatch=Exact&limit=-5",
  "continue=eyJhIjoxfQ",
  "limit=1",
  "dryRun=All",
  "dryRun=None",
  "fieldValidation=Strict",
  "watch=1&timeoutSeconds=1",
  "pretty=true",
  "propagationPolicy=Sideways",
  "gracePeriodSeconds=-99999999999",
];

/** An object under one of few names, so that many requests meet objects that are there. */
export function hostileObject(random: Random): { path: string; name: string; object: unknown } {
  const { path, apiVersion, kind, more } = one(random, samples);
  const name = `n${random.below(20)}`;
  const object = { apiVersion, kind, metadata: { name, labels }, ...more };
  return { path, name, object: random.happens(0.15) ? object : mutated(random, object) };
}

export function hostileRequest(random: Random): HostileRequest {
  if (random.happens(0.02)) return definitionRequest(random);
  const { path, name, object } = hostileObject(random);
  const method = one(random, [
    "POST",
    "POST",
    "POST",
    "PUT",
    "PATCH",
    "PATCH",
    "GET",
    "DELETE",
    "OPTIONS",
  ]);
  const isNamed = method === "PUT" || method === "PATCH" || random.happens(0.3);
  const part = random.happens(0.15) ? `/${one(random, parts)}` : "";
  const query = random.happens(0.2) ? `?${encodeURI(one(random, queries))}` : "";
  const contentType = method === "PATCH" ? one(random, patchTypes) : one(random, mediaTypes);
  const value = contentType.includes("json-patch") ? hostileOperations(random) : object;
  const hasBody = method !== "GET" && method !== "OPTIONS";
  return {
    method,
    target: `${path}${isNamed ? `/${name}` : ""}${part}${query}`,
    contentType,
    body: hasBody ? bodyText(random, contentType, value) : undefined,
  };
}

function definitionRequest(random: Random): HostileRequest {
  const definition = hostileDefinition(random, "as");
  const value = random.happens(0.3) ? mutated(random, definition, 0.05) : definition;
  const target = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const isDeletion = random.happens(0.3);
  return {
    method: isDeletion ? "DELETE" : "POST",
    target: isDeletion ? `${target}/as.hostile.dev` : target,
    contentType: "application/json",
    body: isDeletion ? undefined : JSON.stringify(value),
  };
}

const pointers = [
  "",
  "/",
  "/spec",
  "/data",
  "/metadata/labels",
  "/metadata/name",
  "/spec/a/-",
  "/__proto__/x",
  "/data/~1~0",
  "/spec/containers/0",
  "/items/99999999",
];

function hostileOperations(random: Random): unknown {
  if (random.happens(0.1)) return hostileValue(random);
  return Array.from({ length: random.below(40) }, () => ({
    op: one(random, ["add", "remove", "replace", "move", "copy", "copy", "test", "__proto__"]),
    path: one(random, pointers),
    from: one(random, pointers),
    value: hostileValue(random, 3),
  }));
}

function bodyText(random: Random, contentType: string, value: unknown): string {
  const text = contentType.includes("yaml") ? yamlText(value) : (JSON.stringify(value) ?? "");
  return random.happens(0.1) ? mangled(random, text) : text;
}

export const yamlText = (value: unknown): string =>
  stringify(value, { version: "1.1", lineWidth: 0 });
