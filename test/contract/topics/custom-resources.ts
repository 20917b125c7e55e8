/** Custom resources: the lifecycle of their definitions, and how their objects are pruned and validated. */
import { expect, test } from "vitest";
import { defineKind, widgetSchema, widgetVersion } from "../custom-kind.ts";
import { eventually } from "../eventually.ts";
import type { Json } from "../json.ts";
import { at, itemsOf, metadataOf, namesOf } from "../json.ts";
import type { Cluster } from "../scene.ts";
import { verdict } from "../verdict.ts";
import { sketch } from "../watch-stream.ts";

const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

const sized = widgetSchema({
  properties: {
    size: { type: "integer", minimum: 1, maximum: 9, default: 3 },
    colour: { type: "string", enum: ["red", "blue"] },
    name: { type: "string", pattern: "^[a-z]+$", maxLength: 5 },
    parts: { type: "array", maxItems: 2, items: { type: "string" } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    either: { "x-kubernetes-int-or-string": true },
    nested: { type: "object", required: ["must"], properties: { must: { type: "string" } } },
    gone: { type: "string", nullable: true },
    when: { type: "string", format: "date-time" },
    labels: { type: "object", additionalProperties: { type: "string" } },
  },
});

const ofWidget = '422 Invalid: Widget.$ns.lockstep.dev "a" is invalid: ';

/** The refusals of specs that violate the schema. */
const misfits: Readonly<Record<string, readonly [spec: unknown, want: string]>> = {
  "a number below the minimum": [
    { size: 0 },
    ofWidget +
      "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
  ],
  "a number above the maximum": [
    { size: 10 },
    ofWidget + "spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9",
  ],
  "a string for a number": [
    { size: "big" },
    ofWidget +
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
  ],
  "a fraction for an integer": [
    { size: 1.5 },
    ofWidget +
      '[spec.size: Invalid value: "number": spec.size in body must be of type integer: ' +
      '"number", <nil>: Invalid value: "": Checked value must be of type integer (default ' +
      "format) in spec.size]",
  ],
  "a value that is not in the enum": [
    { colour: "green" },
    ofWidget + 'spec.colour: Unsupported value: "green": supported values: "red", "blue"',
  ],
  "a string against the pattern": [
    { name: "A" },
    ofWidget + `spec.name: Invalid value: "A": spec.name in body should match '^[a-z]+$'`,
  ],
  "a string that is too long": [
    { name: "abcdef" },
    ofWidget + "spec.name: Too long: may not be more than 5 bytes",
  ],
  "a list that is too long": [
    { parts: ["a", "b", "c"] },
    ofWidget + "spec.parts: Too many: 3: must have at most 2 items",
  ],
  "a list element of another type": [
    { parts: ["a", 1] },
    ofWidget +
      'spec.parts[1]: Invalid value: "integer": spec.parts[1] in body must be of type string: ' +
      '"integer"',
  ],
  "a required field that is missing": [
    { nested: {} },
    ofWidget + "spec.nested.must: Required value",
  ],
  "a null that is not allowed": [
    { colour: null, parts: null, nested: { must: null } },
    ofWidget + "spec.nested.must: Required value",
  ],
  "a time that is none": [
    { when: "yesterday" },
    ofWidget +
      'spec.when: Invalid value: "yesterday": spec.when in body must be of type date-time: ' +
      '"yesterday"',
  ],
  "a map value of another type": [
    { labels: { a: 1 } },
    ofWidget +
      'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: ' +
      '"integer"',
  ],
  "an object for int-or-string": [
    { either: {} },
    ofWidget +
      'spec.either: Invalid value: "object": spec.either in body must be of type ' +
      'integer,string: "object"',
  ],
  "a spec that is a list": [
    [],
    ofWidget + 'spec: Invalid value: "array": spec in body must be of type object: "array"',
  ],
};

export function customResources(cluster: () => Cluster): void {
  test("a definition is accepted, its names too, and then established", async () => {
    const scene = await cluster().scene();
    const kind = await defineKind(scene, [widgetVersion(sized)]);
    const { body } = await scene.api.get(scene.path("customresourcedefinitions", kind.definition));
    const conditions = at(body, "status.conditions") as Json[];
    const sketches = conditions.map(({ type, status, reason, message }) =>
      [type, status, reason, message].join(" | "),
    );
    expect(sketches.toSorted()).toEqual([
      "Established | True | InitialNamesAccepted | the initial names have been accepted",
      "NamesAccepted | True | NoConflicts | no conflicts found",
    ]);
    expect(at(body, "status.acceptedNames")).toEqual({
      plural: "widgets",
      singular: "widget",
      shortNames: ["wd"],
      kind: "Widget",
      listKind: "WidgetList",
      categories: ["all"],
    });
    expect(at(body, "status.storedVersions")).toEqual(["v1"]);
    expect(at(body, "spec.conversion")).toEqual({ strategy: "None" });
    expect(at(body, "spec.names.listKind")).toBe("WidgetList");
    expect(metadataOf(body).generation).toBe(1);
  });

  test("a new kind appears in discovery, and disappears with its definition", async () => {
    const scene = await cluster().scene();
    const { api, path } = scene;
    const kind = await defineKind(scene, [widgetVersion(sized, { subresources: { status: {} } })]);
    const { body } = await eventually(
      "discovery",
      () => api.get(`/apis/${kind.group}/v1`),
      ({ status }) => status === 200,
    );
    const resources = body.resources as Json[];
    expect(resources.map(({ name }) => name)).toEqual(["widgets", "widgets/status"]);
    expect(resources[0]).toMatchObject({
      singularName: "widget",
      namespaced: true,
      kind: "Widget",
      shortNames: ["wd"],
      categories: ["all"],
      verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
    });
    await api.post(kind.path(), kind.widget("a"));
    expect((await api.delete(path("customresourcedefinitions", kind.definition))).status).toBe(200);
    const gone = await eventually(
      "the kind goes",
      () => api.get(kind.path()),
      ({ status }) => status === 404,
    );
    expect(gone.text.trim()).toBe("404 page not found");
    const group = await eventually(
      "the group goes",
      () => api.get(`/apis/${kind.group}`),
      ({ status }) => status === 404,
    );
    expect(group.status).toBe(404);
  });

  test("unknown fields are pruned, except where they are preserved", async () => {
    const scene = await cluster().scene();
    const { path, widget } = await defineKind(scene, [widgetVersion(sized)]);
    const spec = { size: 2, shape: "round", free: { any: { thing: 1 } } };
    const { status, body, warnings } = await scene.api.post(
      path(),
      widget("a", spec, { extra: 1 }),
    );
    expect(status).toBe(201);
    expect(body.spec).toEqual({ size: 2, free: { any: { thing: 1 } } });
    expect(body).not.toHaveProperty("extra");
    expect([...warnings].toSorted()).toEqual([
      'unknown field "extra"',
      'unknown field "spec.shape"',
    ]);
  });

  test("Strict refuses unknown fields of a custom resource", async () => {
    const scene = await cluster().scene();
    const { path, widget } = await defineKind(scene, [widgetVersion(sized)]);
    const strict = { fieldValidation: "Strict" };
    const spec = { shape: "round", b10: 1, b9: 1 };
    const answer = await scene.api.post(path(), widget("a", spec, { zoo: 1, B: 1 }), strict);
    expect(verdict(answer)).toBe(
      '400 BadRequest: Widget in version "v1" cannot be handled as a Widget: strict decoding ' +
        'error: unknown field "B", unknown field "spec.b10", unknown field "spec.b9", ' +
        'unknown field "spec.shape", unknown field "zoo"',
    );
  });

  test("defaults fill what is missing, also for null where null is not allowed", async () => {
    const scene = await cluster().scene();
    const { path, widget } = await defineKind(scene, [widgetVersion(sized)]);
    const created = await scene.api.post(path(), widget("a"));
    expect(created.body.spec).toEqual({ size: 3 });
    const nulled = await scene.api.post(path(), widget("b", { size: null, gone: null }));
    expect(nulled.body.spec).toEqual({ size: 3, gone: null });
  });

  test.each(Object.entries(misfits))("%s is refused", async (_name, [spec, want]) => {
    const scene = await cluster().scene();
    const { path, widget } = await defineKind(scene, [widgetVersion(sized)]);
    const answer = await scene.api.post(path(), widget("a", spec));
    expect(verdict(answer).replaceAll(scene.ns, "$ns")).toBe(want);
  });

  test("objects of a custom kind carry kind and apiVersion, in lists too", async () => {
    const scene = await cluster().scene();
    const { path, widget, apiVersion } = await defineKind(scene, [widgetVersion(sized)]);
    await scene.api.post(path(), widget("a"));
    const { body } = await scene.api.get(path());
    expect(body).toMatchObject({ kind: "WidgetList", apiVersion });
    expect(itemsOf(body)[0]).toMatchObject({ kind: "Widget", apiVersion });
  });

  test("every change but metadata raises the generation", async () => {
    const scene = await cluster().scene();
    const { api } = scene;
    const { path, widget } = await defineKind(scene, [widgetVersion(sized)]);
    const created = await api.post(path(), widget("a"));
    expect(metadataOf(created.body).generation).toBe(1);
    const labelled = await api.patch("merge", path("a"), { metadata: { labels: { x: "1" } } });
    expect(metadataOf(labelled.body).generation).toBe(1);
    const changed = await api.patch("merge", path("a"), { spec: { size: 4 } });
    expect(metadataOf(changed.body).generation).toBe(2);
    const reported = await api.patch("merge", path("a"), { status: { phase: "Good" } });
    expect(metadataOf(reported.body).generation).toBe(3);
  });

  test("an update needs the version that it is based on", async () => {
    const scene = await cluster().scene();
    const { path, widget } = await defineKind(scene, [widgetVersion(sized)]);
    await scene.api.post(path(), widget("a"));
    const answer = await scene.api.put(path("a"), widget("a", { size: 4 }));
    expect(verdict(answer).replaceAll(scene.ns, "$ns")).toBe(
      '422 Invalid: widgets.$ns.lockstep.dev "a" is invalid: metadata.resourceVersion: Invalid ' +
        "value: 0: must be specified for an update",
    );
  });

  test("strategic merge is not for custom resources", async () => {
    const scene = await cluster().scene();
    const { path, widget } = await defineKind(scene, [widgetVersion(sized)]);
    await scene.api.post(path(), widget("a"));
    const answer = await scene.api.patch("strategic", path("a"), { spec: { size: 4 } });
    expect(answer.status).toBe(415);
    expect(answer.body.message).toBe(
      "the body of the request was in an unknown format - accepted media types include: " +
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    );
  });

  test("with a status subresource, each side leaves the other alone", async () => {
    const scene = await cluster().scene();
    const { api } = scene;
    const version = widgetVersion(sized, { subresources: { status: {} } });
    const { path, widget } = await defineKind(scene, [version]);
    const created = await api.post(path(), widget("a", {}, { status: { phase: "Mine" } }));
    expect(created.body).not.toHaveProperty("status");
    const patch = {
      spec: { size: 9 },
      status: { phase: "Good" },
      metadata: { labels: { x: "1" } },
    };
    const reported = await api.patch("merge", path("a", "status"), patch);
    expect(reported.body).toMatchObject({ spec: { size: 3 }, status: { phase: "Good" } });
    expect(metadataOf(reported.body)).not.toHaveProperty("labels");
    expect(metadataOf(reported.body).generation).toBe(1);
    const changed = await api.patch("merge", path("a"), {
      spec: { size: 4 },
      status: { phase: "Bad" },
    });
    expect(changed.body).toMatchObject({ spec: { size: 4 }, status: { phase: "Good" } });
  });

  test("a scale subresource reads and writes by its paths", async () => {
    const scene = await cluster().scene();
    const { api } = scene;
    const schema = widgetSchema({ properties: { count: { type: "integer" } } });
    const scale = {
      specReplicasPath: ".spec.count",
      statusReplicasPath: ".status.count",
      labelSelectorPath: ".status.selector",
    };
    const version = widgetVersion(schema, { subresources: { status: {}, scale } });
    const { path, widget } = await defineKind(scene, [version]);
    await api.post(path(), widget("a", { count: 2 }));
    await api.patch("merge", path("a", "status"), { status: { count: 1, selector: "app=web" } });
    const read = await api.get(path("a", "scale"));
    expect(read.body).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "app=web" },
    });
    const written = await api.patch("merge", path("a", "scale"), { spec: { replicas: 5 } });
    expect(at(written.body, "spec.replicas")).toBe(5);
    expect(at((await api.get(path("a"))).body, "spec.count")).toBe(5);
  });

  test("printer columns make its table, with an age where there is none", async () => {
    const scene = await cluster().scene();
    const { api } = scene;
    const additionalPrinterColumns = [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Colour", type: "string", jsonPath: ".spec.colour", priority: 1 },
      { name: "Made", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ];
    const { path, widget } = await defineKind(scene, [
      widgetVersion(sized, { additionalPrinterColumns }),
    ]);
    await api.post(path(), widget("a", { size: 2 }));
    const { body } = await api.get(path(), {}, asTable);
    const columns = body.columnDefinitions as Json[];
    expect(columns.map(({ name, type, priority }) => [name, type, priority].join(" "))).toEqual([
      "Name string 0",
      "Size integer 0",
      "Colour string 1",
      "Made date 0",
    ]);
    const cells = at(body, "rows.0.cells") as unknown[];
    expect(cells.slice(0, 3)).toEqual(["a", 2, null]);
    expect(cells[3]).toMatch(/^\d+s$/);
  });

  test("a printer column may look for its field at any depth", async () => {
    const scene = await cluster().scene();
    const column = (name: string, jsonPath: string) => ({ name, type: "string", jsonPath });
    const additionalPrinterColumns = [
      column("Free", ".spec..thing"),
      column("Deep", "..any..thing"),
      column("Name", "..name"),
    ];
    const { path, widget } = await defineKind(scene, [
      widgetVersion(sized, { additionalPrinterColumns }),
    ]);
    await scene.api.post(path(), widget("a", { free: { any: { more: { thing: "x" } } } }));
    const { body } = await scene.api.get(path(), {}, asTable);
    expect(at(body, "rows.0.cells")).toEqual(["a", "x", "x", "a"]);
  });

  test("without printer columns its table shows name and age", async () => {
    const scene = await cluster().scene();
    const { path, widget } = await defineKind(scene, [widgetVersion(sized)]);
    await scene.api.post(path(), widget("a"));
    const { body } = await scene.api.get(path(), {}, asTable);
    expect((body.columnDefinitions as Json[]).map(({ name }) => name)).toEqual(["Name", "Age"]);
  });

  test("a custom kind is watched like any other", async () => {
    const scene = await cluster().scene();
    const { api } = scene;
    const { path, widget } = await defineKind(scene, [widgetVersion(sized)]);
    const first = await api.post(path(), widget("a"));
    const { resourceVersion } = metadataOf(first.body);
    await api.patch("merge", path("a"), { spec: { size: 4 } });
    await api.delete(path("a"));
    const watch = await api.watch(path(), { resourceVersion });
    const lines = [await watch.next(), await watch.next()];
    watch.close();
    expect(lines.map(sketch)).toEqual(["MODIFIED a", "DELETED a"]);
  });

  test("field selectors of a custom kind know name, namespace and what it declares", async () => {
    const scene = await cluster().scene();
    const { api } = scene;
    const selectableFields = [{ jsonPath: ".spec.colour" }];
    const { path, widget } = await defineKind(scene, [widgetVersion(sized, { selectableFields })]);
    await api.post(path(), widget("a", { colour: "red" }));
    await api.post(path(), widget("b", { colour: "blue" }));
    const found = async (fieldSelector: string): Promise<string[]> =>
      namesOf((await api.get(path(), { fieldSelector })).body);
    expect(await found("metadata.name=a")).toEqual(["a"]);
    expect(await found("spec.colour=blue")).toEqual(["b"]);
    expect((await api.get(path(), { fieldSelector: "spec.size=3" })).status).toBe(400);
  });

  test("several versions show the same object, each under its own apiVersion", async () => {
    const scene = await cluster().scene();
    const { api } = scene;
    const kind = await defineKind(scene, [
      widgetVersion(sized),
      widgetVersion(widgetSchema({ properties: { size: { type: "integer" } } }), {
        name: "v2",
        storage: false,
      }),
    ]);
    await api.post(kind.path(), kind.widget("a", { size: 2, colour: "red" }));
    const second = await eventually(
      "the second version",
      () => api.get(kind.path("a", undefined, "v2")),
      ({ status }) => status === 200,
    );
    expect(second.body).toMatchObject({ apiVersion: `${kind.group}/v2`, spec: { size: 2 } });
    expect(second.body.spec).not.toHaveProperty("colour");
    const { body } = await api.get(kind.path("a"));
    expect(body).toMatchObject({ apiVersion: kind.apiVersion, spec: { size: 2, colour: "red" } });
  });

  test("a changed schema holds from then on", async () => {
    const scene = await cluster().scene();
    const { api, path } = scene;
    const kind = await defineKind(scene, [widgetVersion(sized)]);
    expect((await api.post(kind.path(), kind.widget("a", { colour: "green" }))).status).toBe(422);
    const patch = [
      {
        op: "add",
        path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/colour/enum/-",
        value: "green",
      },
    ];
    const changed = await api.patch(
      "json",
      path("customresourcedefinitions", kind.definition),
      patch,
    );
    expect(metadataOf(changed.body).generation).toBe(2);
    const accepted = await eventually(
      "the new schema",
      () => api.post(kind.path(), kind.widget("a", { colour: "green" })),
      ({ status }) => status === 201,
    );
    expect(accepted.body.spec).toMatchObject({ colour: "green" });
  });

  test("a cluster-wide kind has no namespaces", async () => {
    const scene = await cluster().scene();
    const { api, ns } = scene;
    const group = `${ns}.lockstep.dev`;
    await scene.create("customresourcedefinitions", {
      metadata: { name: `gadgets.${group}` },
      spec: {
        group,
        scope: "Cluster",
        names: { plural: "gadgets", kind: "Gadget" },
        versions: [widgetVersion(sized)],
      },
    });
    const path = `/apis/${group}/v1/gadgets`;
    await eventually(
      "the kind",
      () => api.get(path),
      ({ status }) => status === 200,
    );
    const gadget = { apiVersion: `${group}/v1`, kind: "Gadget", metadata: { name: "a" } };
    const { status, body } = await api.post(path, gadget);
    expect(status).toBe(201);
    expect(metadataOf(body)).not.toHaveProperty("namespace");
  });
}
