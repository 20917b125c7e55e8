/** The OpenAPI documents that kubectl validates, explains and merges by. */
import { createHash } from "node:crypto";
import { kubernetesVersion } from "../version-answer.ts";
import type { ServedResource } from "../served-resource.ts";

type Served = readonly ServedResource[];

/** Documents are large and change only when what is served does: made once per state of the registry. */
const documents = new WeakMap<Served, Map<string, unknown>>();

export function openApiIndex(served: Served): unknown {
  const paths: Record<string, unknown> = {};
  for (const { group, version } of served) {
    const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
    paths[path] ??= { serverRelativeURL: `/openapi/v3/${path}?hash=${fingerprint(served, path)}` };
  }
  return { paths };
}

/** Changes whenever the resources of the group version do. */
function fingerprint(served: Served, path: string): string {
  const hash = createHash("sha256").update(path);
  for (const one of served) hash.update(`${one.group}/${one.version}/${one.plural};`);
  return hash.digest("hex").slice(0, 32).toUpperCase();
}

export function openApiDocument(served: Served, group: string, version: string): unknown {
  const known = documents.get(served) ?? new Map<string, unknown>();
  documents.set(served, known);
  const key = `${group}/${version}`;
  if (!known.has(key)) known.set(key, buildDocument(served, group, version));
  return known.get(key);
}

function buildDocument(served: Served, group: string, version: string): unknown {
  const found = served.filter((one) => one.group === group && one.version === version);
  if (found.length === 0) return undefined;
  const schemas: Record<string, unknown> = {};
  for (const one of found) Object.assign(schemas, one.openApi?.().schemas);
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: kubernetesVersion.gitVersion },
    paths: Object.fromEntries(found.flatMap(pathsOf)),
    components: { schemas },
  };
}

const queryParameter = (name: string, type = "string"): unknown => ({
  name,
  in: "query",
  schema: { type, uniqueItems: true },
});
const writeParameters = ["dryRun", "fieldManager", "fieldValidation"].map((name) =>
  queryParameter(name),
);

function pathsOf(resource: ServedResource): readonly [string, unknown][] {
  const { group, version, plural, namespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  return [
    [collection, { get: operation(resource, "list"), post: operation(resource, "post") }],
    [
      `${collection}/{name}`,
      {
        get: operation(resource, "get"),
        put: operation(resource, "put"),
        patch: operation(resource, "patch"),
        delete: operation(resource, "delete"),
      },
    ],
  ];
}

const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];

function operation(resource: ServedResource, action: string): unknown {
  const { group, version, kind } = resource;
  const isWrite = action === "post" || action === "put" || action === "patch";
  const definition = resource.openApi?.().definition;
  const schema = definition === undefined ? {} : { $ref: `#/components/schemas/${definition}` };
  const types = action === "patch" ? patchTypes : ["*/*"];
  const body = {
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
    required: true,
  };
  return {
    operationId: `${action}${kind}`,
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
    ...(isWrite ? { parameters: writeParameters, requestBody: body } : {}),
    responses: { "200": { description: "OK", content: { "application/json": { schema } } } },
  };
}
