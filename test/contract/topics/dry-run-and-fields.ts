/** Dry runs, and what the server says of fields that it does not know. */
import { expect, test } from "vitest";
import { at, metadataOf } from "../json.ts";
import { configMap, container, pod } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { verdict } from "../verdict.ts";

const dry = { dryRun: "All" };
const unknownFields = {
  metadata: { name: "a" },
  spec: { containers: [{ ...container(), colour: "red" }], shape: "round" },
};

export function dryRunAndFields(cluster: () => Cluster): void {
  test("a dry create answers with the whole object and stores nothing", async () => {
    const { api, path } = await cluster().scene();
    const { status, body } = await api.post(path("pods"), pod("a"), dry);
    expect(status).toBe(201);
    expect(at(body, "spec.restartPolicy")).toBe("Always");
    expect(metadataOf(body).uid).toMatch(/-/);
    expect(metadataOf(body)).not.toHaveProperty("resourceVersion");
    expect((await api.get(path("pods", "a"))).status).toBe(404);
  });

  test("a dry update answers with the change and stores nothing", async () => {
    const { api, path, create } = await cluster().scene();
    const created = await create("configmaps", configMap("a"));
    const { status, body } = await api.put(
      path("configmaps", "a"),
      configMap("a", { k: "v" }),
      dry,
    );
    expect(status).toBe(200);
    expect(body.data).toEqual({ k: "v" });
    expect(metadataOf(body).resourceVersion).toBe(metadataOf(created).resourceVersion);
    expect((await api.get(path("configmaps", "a"))).body).toEqual(created);
  });

  test("a dry patch stores nothing", async () => {
    const { api, path, create } = await cluster().scene();
    const created = await create("configmaps", configMap("a"));
    await api.patch("merge", path("configmaps", "a"), { data: { k: "v" } }, dry);
    expect((await api.get(path("configmaps", "a"))).body).toEqual(created);
  });

  test("a dry run refuses what a real one would", async () => {
    const { api, path } = await cluster().scene();
    expect((await api.post(path("configmaps"), configMap("A"), dry)).status).toBe(422);
  });

  test("another value of dryRun is refused", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.post(path("configmaps"), configMap("a"), { dryRun: "Some" });
    expect(verdict(answer)).toBe(
      '422 Invalid: CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ' +
        '["Some"]: supported values: "All"',
    );
  });

  test("Strict refuses unknown fields, all of them by name", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.post(path("pods"), unknownFields, { fieldValidation: "Strict" });
    expect(verdict(answer)).toBe(
      '400 BadRequest: Pod in version "v1" cannot be handled as a Pod: strict decoding error: ' +
        'unknown field "spec.containers[0].colour", unknown field "spec.shape"',
    );
  });

  test("Warn accepts unknown fields, drops them and warns", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.post(path("pods"), unknownFields, { fieldValidation: "Warn" });
    expect(answer.status).toBe(201);
    expect(answer.warnings).toEqual([
      'unknown field "spec.containers[0].colour"',
      'unknown field "spec.shape"',
    ]);
    expect(at(answer.body, "spec")).not.toHaveProperty("shape");
  });

  test("without fieldValidation the server warns", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.post(path("configmaps"), { ...configMap("a"), colour: "red" });
    expect(answer.warnings).toEqual(['unknown field "colour"']);
  });

  test("Ignore accepts unknown fields in silence", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.post(path("pods"), unknownFields, { fieldValidation: "Ignore" });
    expect(answer.status).toBe(201);
    expect(answer.warnings).toEqual([]);
    expect(at(answer.body, "spec")).not.toHaveProperty("shape");
  });

  test("another value of fieldValidation is refused", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.post(path("configmaps"), configMap("a"), { fieldValidation: "Loud" });
    expect(verdict(answer)).toBe(
      '422 Invalid: CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported ' +
        'value: "Loud": supported values: "", "Ignore", "Strict", "Warn"',
    );
  });

  test("Strict refuses a key that comes twice", async () => {
    const { api, path } = await cluster().scene();
    const text = '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"}}';
    const answer = await api.post(path("configmaps"), text, { fieldValidation: "Strict" });
    expect(verdict(answer)).toBe(
      '400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict ' +
        'decoding error: duplicate field "data.k"',
    );
  });

  test("a key that comes twice is a warning otherwise, and the last one counts", async () => {
    const { api, path } = await cluster().scene();
    const text = '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"}}';
    const answer = await api.post(path("configmaps"), text);
    expect(answer.warnings).toEqual(['duplicate field "data.k"']);
    expect(answer.body.data).toEqual({ k: "2" });
  });

  test("Strict holds for updates", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const changed = { ...configMap("a"), colour: "red" };
    const strict = { fieldValidation: "Strict" };
    expect(verdict(await api.put(path("configmaps", "a"), changed, strict))).toBe(
      '400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict ' +
        'decoding error: unknown field "colour"',
    );
  });

  test.each(["merge", "strategic"] as const)("Strict holds for %s patches", async (type) => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const strict = { fieldValidation: "Strict" };
    const answer = await api.patch(type, path("configmaps", "a"), { colour: "red" }, strict);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('unknown field "colour"');
  });

  test("names differ by their case: a field in capitals is unknown", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.post(path("configmaps"), { ...configMap("a"), Data: { k: "v" } });
    expect(answer.warnings).toEqual(['unknown field "Data"']);
    expect(answer.body).not.toHaveProperty("data.k");
  });

  test("null counts as absent", async () => {
    const { api, path } = await cluster().scene();
    const body = { metadata: { name: "a", labels: null }, data: null };
    const answer = await api.post(path("configmaps"), body, { fieldValidation: "Strict" });
    expect(answer.status).toBe(201);
    expect(answer.body).not.toHaveProperty("data");
  });
}
