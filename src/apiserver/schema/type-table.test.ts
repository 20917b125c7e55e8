import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseType, withoutPointer } from "./type-expression.ts";
import { kubernetesVersion, typeNameOf, typeNames, typeRow } from "./type-table.ts";
import { atLeastOne } from "../../../test/builders/must.ts";

const text = readFileSync(new URL("builtin-types.generated.json", import.meta.url), "utf8");

test("the table is as the generator wrote it", () => {
  const start = text.indexOf("\n") + 1;
  const body = text.slice(start, text.lastIndexOf("\n}}"));
  const digest = createHash("sha256").update(body).digest("hex");
  expect(text.slice(0, start)).toBe(
    `{"kubernetes": "${kubernetesVersion}", "digest": "${digest}", "types": {\n`,
  );
});

test("types are sorted, one a line, and carry no prose", () => {
  expect(typeNames).toEqual(typeNames.toSorted());
  expect(text.trimEnd().split("\n")).toHaveLength(typeNames.length + 2);
  expect(text).not.toContain('"description":"');
});

const kinds = [
  "/v1/Binding /v1/ConfigMap /v1/Endpoints /v1/Event /v1/Namespace /v1/Node /v1/PersistentVolume",
  "/v1/PersistentVolumeClaim /v1/Pod /v1/Secret /v1/Service /v1/ServiceAccount /v1/Status",
  "/v1/DeleteOptions apps/v1/ControllerRevision apps/v1/Deployment apps/v1/ReplicaSet",
  "apps/v1/StatefulSet autoscaling/v1/HorizontalPodAutoscaler",
  "autoscaling/v1/Scale autoscaling/v2/HorizontalPodAutoscaler coordination.k8s.io/v1/Lease",
  "events.k8s.io/v1/Event policy/v1/Eviction policy/v1/PodDisruptionBudget",
  "rbac.authorization.k8s.io/v1/ClusterRole rbac.authorization.k8s.io/v1/ClusterRoleBinding",
  "rbac.authorization.k8s.io/v1/Role rbac.authorization.k8s.io/v1/RoleBinding",
  "resource.k8s.io/v1/ResourceClaim resource.k8s.io/v1/ResourceClaimTemplate",
  "scheduling.k8s.io/v1/PriorityClass apiextensions.k8s.io/v1/CustomResourceDefinition",
].flatMap((line) => line.split(" "));

test.each(kinds)("%s is in the table", (text) => {
  const [group = "", version = "", kind = ""] = text.split("/");
  expect(typeNameOf({ group, version, kind })).toBeDefined();
});

test("lists that merge by key have elements with that key", () => {
  const rows = typeNames.flatMap((name) => Object.values(typeRow(name).fields));
  const keyed = rows.filter((row) => row.mergeKey !== undefined);
  expect(keyed.length).toBeGreaterThan(30);
  for (const { type, mergeKey = "" } of atLeastOne(keyed)) {
    const list = withoutPointer(parseType(type));
    const element = list.kind === "list" && list.of.kind === "struct" ? list.of.name : "";
    expect(Object.keys(typeRow(element).fields), `elements of ${type}`).toContain(mergeKey);
  }
});
