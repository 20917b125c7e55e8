import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import { laxNamespaces } from "../../../test/builders/served-resource.ts";
import type { ApiServer } from "../api-server.ts";
import { createApiServer } from "../api-server.ts";
import { seededIds } from "../ids.ts";
import type { CustomResourceDefinition, DefinitionVersion } from "./definition.ts";
import { conditionOf } from "./definition.ts";
import { definitionResource } from "./definition-resource.ts";

const widgets = {
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  namespaced: true,
};

const specSchema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { size: { type: "integer", default: 1 } } },
    status: { type: "object", properties: { ready: { type: "boolean" } } },
  },
};

const v1: DefinitionVersion = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: specSchema },
  subresources: { status: {} },
};

function definition(
  more: Partial<CustomResourceDefinition["spec"]> = {},
): CustomResourceDefinition {
  const names = { plural: "widgets", kind: "Widget", ...more.names };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.example.com` },
    spec: { group: "example.com", scope: "Namespaced", versions: [v1], ...more, names },
  };
}

async function started(): Promise<ApiServer> {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, ids: seededIds(1), resources: [laxNamespaces] });
  await server.client.create(laxNamespaces, { metadata: { name: "one" } });
  return server;
}

const widget = (name: string, more: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: "one", ...(more["metadata"] as object) },
  spec: more["spec"] ?? {},
});

const read = (server: ApiServer, name: string): Promise<CustomResourceDefinition> =>
  server.client.get(definitionResource, { name });

test("a definition is established and its objects served as soon as it is created", async () => {
  const server = await started();
  await server.client.create(definitionResource, definition());
  const stored = await read(server, "widgets.example.com");
  expect(stored.status).toMatchObject({
    conditions: [
      { type: "NamesAccepted", status: "True", reason: "NoConflicts" },
      { type: "Established", status: "True", reason: "InitialNamesAccepted" },
    ],
    acceptedNames: {
      plural: "widgets",
      singular: "widget",
      kind: "Widget",
      listKind: "WidgetList",
    },
    storedVersions: ["v1"],
  });
  const created = await server.client.create(widgets, widget("a", { spec: { other: 1 } }));
  expect(created).toMatchObject({
    apiVersion: "example.com/v1",
    kind: "Widget",
    spec: { size: 1 },
  });
  expect(created["spec"]).not.toHaveProperty("other");
});

test("status goes through its subresource only, and raises no generation", async () => {
  const server = await started();
  await server.client.create(definitionResource, definition());
  const created = await server.client.create(widgets, { ...widget("a"), status: { ready: true } });
  expect(created).not.toHaveProperty("status");
  const labelled = { ...created.metadata, labels: { a: "b" } };
  const update = { ...created, metadata: labelled, spec: { size: 9 }, status: { ready: true } };
  const reported = await server.client.update(widgets, update, { subresource: "status" });
  expect(reported).toMatchObject({ spec: { size: 1 }, status: { ready: true } });
  expect(reported.metadata.labels).toBeUndefined();
  expect(reported.metadata.generation).toBe(1);
  const resized = await server.client.update(widgets, {
    ...reported,
    spec: { size: 2 },
    status: {},
  });
  expect(resized).toMatchObject({ metadata: { generation: 2 }, status: { ready: true } });
});

test("versions share their objects and differ in apiVersion and defaults", async () => {
  const server = await started();
  const v2Schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: { size: { type: "integer" }, colour: { type: "string", default: "red" } },
      },
    },
  };
  const v2 = { ...v1, name: "v2", storage: false, schema: { openAPIV3Schema: v2Schema } };
  await server.client.create(definitionResource, definition({ versions: [v1, v2] }));
  await server.client.create(widgets, widget("a"));
  const other = await server.client.get(
    { ...widgets, version: "v2" },
    { namespace: "one", name: "a" },
  );
  expect(other).toMatchObject({ apiVersion: "example.com/v2", spec: { size: 1, colour: "red" } });
});

test("a changed schema applies to the next request", async () => {
  const server = await started();
  await server.client.create(definitionResource, definition());
  const stored = await read(server, "widgets.example.com");
  const strict = {
    ...specSchema,
    properties: { spec: { type: "object", properties: { size: { type: "integer", maximum: 5 } } } },
  };
  const versions = [{ ...v1, schema: { openAPIV3Schema: strict } }];
  await server.client.update(definitionResource, { ...stored, spec: { ...stored.spec, versions } });
  await expect(server.client.create(widgets, widget("a", { spec: { size: 9 } }))).rejects.toThrow(
    "spec.size: Invalid value: 9: spec.size in body should be less than or equal to 5",
  );
});

test("a taken kind is not accepted until it is free", async () => {
  const server = await started();
  await server.client.create(definitionResource, definition());
  const claimant = definition({ names: { plural: "gadgets", kind: "Widget" } });
  await server.client.create(definitionResource, claimant);
  const refused = await read(server, "gadgets.example.com");
  expect(conditionOf(refused, "NamesAccepted")).toMatchObject({
    status: "False",
    reason: "ListKindConflict",
    message: '"WidgetList" is already in use',
  });
  expect(conditionOf(refused, "Established")).toMatchObject({
    status: "False",
    reason: "NotAccepted",
  });
  expect(refused.status?.acceptedNames).toEqual({ plural: "gadgets", kind: "" });
  await server.client.delete(definitionResource, { name: "widgets.example.com" });
  const freed = await read(server, "gadgets.example.com");
  expect(conditionOf(freed, "Established")).toMatchObject({ status: "True" });
});

test("a definition is removed when its last object is gone", async () => {
  const server = await started();
  await server.client.create(definitionResource, definition());
  await server.client.create(widgets, widget("free"));
  await server.client.create(
    widgets,
    widget("held", { metadata: { finalizers: ["example.com/hold"] } }),
  );
  await server.client.delete(definitionResource, { name: "widgets.example.com" });
  const terminating = await read(server, "widgets.example.com");
  expect(conditionOf(terminating, "Terminating")).toMatchObject({
    reason: "InstanceDeletionInProgress",
  });
  await expect(server.client.create(widgets, widget("late"))).rejects.toThrow(
    'widgets.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
  );
  const { items } = await server.client.list(widgets);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["held"]);
  await server.client.update(widgets, {
    ...items[0]!,
    metadata: { ...items[0]!.metadata, finalizers: [] },
  });
  await expect(read(server, "widgets.example.com")).rejects.toThrow("not found");
  await expect(server.client.list(widgets)).rejects.toMatchObject({ code: 404 });
});
