/** What the server says it serves, in the plain and the aggregated form, and its OpenAPI. */
import { atLeastOne } from "../../builders/must.ts";
import { expect, test } from "vitest";
import type { Json } from "../json.ts";
import { at, itemsOf } from "../json.ts";
import type { Cluster } from "../scene.ts";
import { rootOf } from "../scene.ts";
import { servedResources } from "./served-resources.ts";

const aggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** `pods Pod ns po all | create,delete,...`: one resource as a line. */
export function sketchResource(resource: Json): string {
  const list = (field: string): string => ((resource[field] as string[]) ?? []).join(",") || "-";
  const scope = resource.namespaced === true ? "ns" : "cluster";
  const singular = String(resource.singularName) || "-";
  const verbs = (resource.verbs as string[]).toSorted().join(",");
  return `${String(resource.kind)} ${scope} ${singular} ${list("shortNames")} ${list("categories")} | ${verbs}`;
}

export function discovery(cluster: () => Cluster): void {
  test.each(Object.entries(servedResources))(
    "%s serves its resources",
    async (apiVersion, want) => {
      const { status, body } = await cluster().api.get(rootOf(apiVersion));
      expect(status).toBe(200);
      expect(body).toMatchObject({ kind: "APIResourceList", groupVersion: apiVersion });
      const resources = body.resources as Json[];
      for (const [name, line] of Object.entries(want)) {
        const found = resources.find((resource) => resource.name === name);
        const sketch = found === undefined ? "missing" : sketchResource(found);
        expect(`${name}: ${sketch}`).toBe(`${name}: ${line}`);
      }
    },
  );

  test("/api names the core versions", async () => {
    const { body } = await cluster().api.get("/api");
    expect(body).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
  });

  test("/apis names every group with its versions", async () => {
    const { body } = await cluster().api.get("/apis");
    expect(body).toMatchObject({ kind: "APIGroupList", apiVersion: "v1" });
    const groups = body.groups as Json[];
    const apps = groups.find((group) => group.name === "apps");
    expect(apps).toEqual({
      name: "apps",
      versions: [{ groupVersion: "apps/v1", version: "v1" }],
      preferredVersion: { groupVersion: "apps/v1", version: "v1" },
    });
    const wanted = Object.keys(servedResources).filter((apiVersion) => apiVersion.includes("/"));
    const versions = groups.flatMap((group) => group.versions as Json[]);
    expect(versions.map((version) => version.groupVersion)).toEqual(expect.arrayContaining(wanted));
  });

  test("a group answers for itself", async () => {
    const { body } = await cluster().api.get("/apis/apps");
    expect(body).toMatchObject({ kind: "APIGroup", apiVersion: "v1", name: "apps" });
  });

  test.each(["/api", "/apis"])("%s has an aggregated form", async (path) => {
    const { status, headers, body } = await cluster().api.get(path, {}, { accept: aggregated });
    expect(status).toBe(200);
    expect(headers["content-type"]).toContain("as=APIGroupDiscoveryList");
    expect(body).toMatchObject({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
    });
    const name = path === "/api" ? "pods" : "statefulsets";
    const groups = itemsOf(body);
    const group = groups.find(
      (item) => (at(item, "metadata.name") ?? "") === (name === "pods" ? "" : "apps"),
    );
    const resources = at(group, "versions.0.resources") as Json[];
    const found = resources.find((resource) => resource.resource === name);
    expect(found).toMatchObject({
      scope: "Namespaced",
      singularResource: name.slice(0, -1),
      responseKind: { group: "", version: "", kind: name === "pods" ? "Pod" : "StatefulSet" },
    });
    const subresources = (found!.subresources as Json[]).map((part) => part.subresource);
    expect(subresources).toContain("status");
  });

  test("/openapi/v3 names a document for every group", async () => {
    const { status, body } = await cluster().api.get("/openapi/v3");
    expect(status).toBe(200);
    const paths = body.paths as Record<string, { serverRelativeURL: string }>;
    for (const apiVersion of atLeastOne(Object.keys(servedResources))) {
      const key = rootOf(apiVersion).slice(1);
      expect(paths[key]?.serverRelativeURL).toContain(`/openapi/v3/${key}?hash=`);
    }
  });

  test("an OpenAPI document describes kinds and says what PATCH takes", async () => {
    const { status, body } = await cluster().api.get("/openapi/v3/apis/apps/v1");
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\./);
    const path = "/apis/apps/v1/namespaces/{namespace}/statefulsets/{name}";
    const patch = (body.paths as Record<string, Json>)[path]?.patch as Json;
    const parameters = patch.parameters as Json[];
    expect(parameters.map((parameter) => parameter.name)).toContain("fieldValidation");
    expect(patch["x-kubernetes-group-version-kind"]).toEqual({
      group: "apps",
      version: "v1",
      kind: "StatefulSet",
    });
    const schemas = at(body, "components.schemas") as Record<string, Json>;
    const schema = schemas["io.k8s.api.apps.v1.StatefulSet"];
    expect(Object.keys(schema?.properties as Json).toSorted()).toEqual([
      "apiVersion",
      "kind",
      "metadata",
      "spec",
      "status",
    ]);
    const spec = schemas["io.k8s.api.core.v1.PodSpec"]?.properties as Record<string, Json>;
    expect(spec.containers).toMatchObject({
      type: "array",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-patch-merge-key": "name",
      "x-kubernetes-patch-strategy": "merge",
    });
  });
}
