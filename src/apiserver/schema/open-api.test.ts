import { expect, test } from "vitest";
import type { JsonObject } from "../served-resource.ts";
import { openApiPartOf, sharedSchemas } from "./open-api.ts";
import { typeNames, typeRow } from "./type-table.ts";

const kinds = typeNames.flatMap((name) =>
  (typeRow(name).gvk ?? []).slice(0, 1).map((text) => {
    const [group = "", version = "", kind = ""] = text.split("/");
    return { group, version, kind };
  }),
);

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string"
      ? [inner.replace("#/components/schemas/", "")]
      : references(inner),
  );
}

test.each(kinds)("the schemas of $kind in $group/$version are complete", (gvk) => {
  const { definition, schemas } = openApiPartOf(gvk);
  expect(Object.keys(schemas)).toContain(definition);
  const missing = references(schemas).filter((name) => !Object.hasOwn(schemas, name));
  expect([...new Set(missing)]).toEqual([]);
});

const pod = openApiPartOf({ group: "", version: "v1", kind: "Pod" }).schemas;
const property = (type: string, name: string): unknown =>
  (pod[type]!["properties"] as Record<string, JsonObject>)[name];

test("a kind says which kind it is, and so does its list", () => {
  const gvk = "x-kubernetes-group-version-kind";
  const want = { group: "", version: "v1" };
  expect(pod["io.k8s.api.core.v1.Pod"]![gvk]).toEqual([{ ...want, kind: "Pod" }]);
  expect(pod["io.k8s.api.core.v1.PodList"]![gvk]).toEqual([{ ...want, kind: "PodList" }]);
});

test("fields carry what client-side patches are computed by", () => {
  expect(property("io.k8s.api.core.v1.PodSpec", "containers")).toMatchObject({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "x-kubernetes-patch-strategy": "merge",
    "x-kubernetes-patch-merge-key": "name",
  });
  expect(property("io.k8s.api.core.v1.Container", "imagePullPolicy")).toMatchObject({
    type: "string",
    enum: ["Always", "IfNotPresent", "Never"],
  });
  expect(property("io.k8s.api.core.v1.Container", "resources")).toMatchObject({
    default: {},
    allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.ResourceRequirements" }],
  });
});

test("what all kinds share is complete without them", () => {
  const shared = sharedSchemas();
  const missing = references(shared).filter((name) => !Object.hasOwn(shared, name));
  expect(missing).toEqual([]);
  expect(Object.keys(shared)).toContain("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
});
