/** Limits that protect the server: large, deep or malicious bodies. */
import { expect, test } from "vitest";
import { defineKind, widgetSchema, widgetVersion } from "../custom-kind.ts";
import { at, metadataOf, namesOf } from "../json.ts";
import { configMap } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { verdict } from "../verdict.ts";

const mebibyte = 1024 * 1024;

export function limits(cluster: () => Cluster): void {
  test("a body above three mebibytes is refused", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.post(
      path("configmaps"),
      configMap("a", { k: "x".repeat(3 * mebibyte) }),
    );
    expect(verdict(answer)).toBe(
      "413 RequestEntityTooLarge: Request entity too large: limit is 3145728",
    );
  });

  test("an object above one and a half mebibytes is not stored", async () => {
    const scene = await cluster().scene();
    const { api, path, create } = scene;
    const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const kind = await defineKind(scene, [widgetVersion(widgetSchema(anything))]);
    const widget = (name: string, size: number) => kind.widget(name, { text: "x".repeat(size) });
    const tooLarge = "500 no reason: etcdserver: request is too large";
    const verdicts = [
      await api.post(kind.path(), widget("small", 1.5 * mebibyte - 2000)),
      await api.post(kind.path(), widget("large", 1.5 * mebibyte)),
      await api.post(kind.path(), widget("dry", 1.5 * mebibyte), { dryRun: "All" }),
      await api.patch("merge", kind.path("small"), { spec: { more: "x".repeat(10_000) } }),
    ];
    expect(verdicts.map(verdict)).toEqual(["201", tooLarge, "201", tooLarge]);
    // Built-in kinds are kept more tightly: fields have numbers instead of names.
    const args = (size: number) => ({
      containers: [{ name: "c", image: "i", args: ["x".repeat(size)] }],
    });
    await create("pods", { metadata: { name: "small" }, spec: args(1.5 * mebibyte - 3000) });
    const pod = { metadata: { name: "large" }, spec: args(1.5 * mebibyte) };
    expect(verdict(await api.post(path("pods"), pod))).toBe(tooLarge);
  });

  test("a config map above one mebibyte is refused", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.post(
      path("configmaps"),
      configMap("a", { k: "x".repeat(mebibyte + 1) }),
    );
    expect(verdict(answer)).toBe(
      '422 Invalid: ConfigMap "a" is invalid: []: Too long: may not be more than 1048576 bytes',
    );
  });

  test("a body nested too deeply is refused", async () => {
    const { api, path } = await cluster().scene();
    const deep = `${'{"a":'.repeat(12_000)}1${"}".repeat(12_000)}`;
    const body = `{"metadata":{"name":"a"},"data":${deep}}`;
    const { status } = await api.post(path("configmaps"), body);
    expect(status).toBe(400);
  });

  test("a JSON patch of too many operations is refused", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const operations = Array.from({ length: 10_001 }, () => ({
      op: "test",
      path: "/kind",
      value: "ConfigMap",
    }));
    const answer = await api.patch("json", path("configmaps", "a"), operations);
    expect(verdict(answer)).toBe(
      "413 RequestEntityTooLarge: Request entity too large: The allowed maximum operations in " +
        "a JSON patch is 10000, got 10001",
    );
  });

  test.each(["constructor", "toString", "hasOwnProperty"])(
    "%j is a label like any",
    async (key) => {
      const { api, path } = await cluster().scene();
      const labels = { [key]: "1" };
      const { status, body } = await api.post(path("configmaps"), configMap("a", {}, { labels }));
      expect([status, metadataOf(body).labels]).toEqual([201, labels]);
      const selected = await api.get(path("configmaps"), { labelSelector: `!${key}` });
      expect(namesOf(selected.body)).toEqual([]);
    },
  );

  test("a prototype in a body does not reach other objects", async () => {
    const { api, path } = await cluster().scene();
    const body = '{"metadata":{"name":"a"},"__proto__":{"data":{"k":"v"}}}';
    const answer = await api.post(path("configmaps"), body);
    expect([answer.status, answer.warnings]).toEqual([201, ['unknown field "__proto__"']]);
    expect(answer.body.data).toBeUndefined();
    expect((await api.post(path("configmaps"), configMap("b"))).body.data).toEqual(undefined);
  });

  test("a prototype in a merge patch is a key like any other", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const patch = '{"data":{"__proto__":"x","constructor":"y"}}';
    const answer = await api.patch("merge", path("configmaps", "a"), patch);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"__proto__":"x"');
    expect(at(answer.body, "data.constructor")).toBe("y");
  });

  test("a JSON patch may address such a key", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", { k: "v" }));
    const operations = [{ op: "add", path: "/data/constructor", value: "y" }];
    const answer = await api.patch("json", path("configmaps", "a"), operations);
    expect(answer.body.data).toEqual({ k: "v", constructor: "y" });
  });

  test("numbers keep their value up to the largest safe integer", async () => {
    const { api, path } = await cluster().scene();
    const body = '{"metadata":{"name":"a"},"revision":9007199254740991,"data":{"n":1.50}}';
    const answer = await api.post(path("controllerrevisions"), body);
    expect(answer.status).toBe(201);
    expect(answer.body.revision).toBe(9_007_199_254_740_991);
  });

  test("text beyond ASCII comes back as it was", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", { k: "Grüße, 世界 🚀 \u2028 <&>" }));
    const { body } = await api.get(path("configmaps", "a"));
    expect(body.data).toEqual({ k: "Grüße, 世界 🚀 \u2028 <&>" });
  });
}
