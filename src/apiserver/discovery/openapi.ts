/** The OpenAPI documents that kubectl validates, explains and merges by. */
import { createHash } from "node:crypto";
import { sharedSchemas } from "../schema/open-api.ts";
import { kubernetesVersion } from "../version-answer.ts";
import type { ServedResource } from "../served-resource.ts";

type Served = readonly ServedResource[];

/** Documents are large and change only with the registry, so they are built once per state of it. */
const documents = new WeakMap<Served, Map<string, object | undefined>>();

export function openApiIndex(served: Served): unknown {
  const paths: Record<string, unknown> = {};
  for (const { group, version } of served) {
    const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
    if (paths[path] !== undefined) continue;
    const hash = fingerprint(openApiDocument(served, group, version));
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
  }
  return { paths };
}

const fingerprints = new WeakMap<object, string>();

/** The hash of the whole document: clients keep a document until its hash changes. */
function fingerprint(document: object | undefined): string {
  if (document === undefined) return "";
  const known = fingerprints.get(document);
  if (known !== undefined) return known;
  const digest = createHash("sha256").update(JSON.stringify(document)).digest("hex");
  const hash = digest.slice(0, 32).toUpperCase();
  fingerprints.set(document, hash);
  return hash;
}

export function openApiDocument(
  served: Served,
  group: string,
  version: string,
): object | undefined {
  const known = documents.get(served) ?? new Map<string, object | undefined>();
  documents.set(served, known);
  const key = `${group}/${version}`;
  if (!known.has(key)) known.set(key, buildDocument(served, group, version));
  return known.get(key);
}

function buildDocument(served: Served, group: string, version: string): object | undefined {
  const found = served.filter((one) => one.group === group && one.version === version);
  if (found.length === 0) return undefined;
  const schemas: Record<string, unknown> = { ...sharedSchemas() };
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

const patchTypes = ["application/json-patch+json", "application/merge-patch+json"];
const strategicType = "application/strategic-merge-patch+json";

/** kubectl sends strategic patches exactly where they are listed here. */
function bodyTypes(resource: ServedResource, action: string): readonly string[] {
  if (action !== "patch") return ["*/*"];
  return resource.strategicMerge === undefined ? patchTypes : [...patchTypes, strategicType];
}

function operation(resource: ServedResource, action: string): unknown {
  const { group, version, kind } = resource;
  const isWrite = action === "post" || action === "put" || action === "patch";
  const definition = resource.openApi?.().definition;
  const schema = definition === undefined ? {} : { $ref: `#/components/schemas/${definition}` };
  const types = bodyTypes(resource, action);
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
