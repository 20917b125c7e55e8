/** Creating, reading and changing objects, and the metadata that the server keeps of them. */
import { expect, test } from "vitest";
import { at, itemsOf, metadataOf, namesOf } from "../json.ts";
import { configMap, pod, workload } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { verdict } from "../verdict.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function objectsAndMetadata(cluster: () => Cluster): void {
  test("a created object comes back with its kind and the server's metadata", async () => {
    const { api, path, ns } = await cluster().scene();
    const { status, body, headers } = await api.post(
      path("configmaps"),
      configMap("a", { k: "v" }),
    );
    expect(status).toBe(201);
    expect(headers["content-type"]).toBe("application/json");
    expect(body).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { k: "v" } });
    const metadata = metadataOf(body);
    expect(metadata).toMatchObject({ name: "a", namespace: ns });
    expect(metadata.uid).toMatch(uuid);
    expect(metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
    expect(metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(metadata).not.toHaveProperty("selfLink");
  });

  test("reading gives what was created", async () => {
    const { api, path, create } = await cluster().scene();
    const created = await create("configmaps", configMap("a", { k: "v" }));
    const { status, body } = await api.get(path("configmaps", "a"));
    expect(status).toBe(200);
    expect(body).toEqual(created);
  });

  test("the client's uid, creation time and deletion time are not taken over", async () => {
    const { create } = await cluster().scene();
    const mine = { uid: "mine", creationTimestamp: "2000-01-01T00:00:00Z" };
    const deletion = { deletionTimestamp: "2000-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 };
    const metadata = metadataOf(
      await create("configmaps", configMap("a", {}, { ...mine, ...deletion })),
    );
    expect(metadata.uid).toMatch(uuid);
    expect(metadata.creationTimestamp).not.toContain("2000");
    expect(metadata).not.toHaveProperty("deletionTimestamp");
    expect(metadata).not.toHaveProperty("deletionGracePeriodSeconds");
  });

  test("generateName adds five characters", async () => {
    const { api, path } = await cluster().scene();
    const body = { metadata: { generateName: "web-" } };
    const [first, second] = [
      await api.post(path("configmaps"), body),
      await api.post(path("configmaps"), body),
    ];
    expect(first.status).toBe(201);
    expect(metadataOf(first.body).name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(metadataOf(first.body).name).not.toBe(metadataOf(second.body).name);
    expect(at(first.body, "metadata.generateName")).toBe("web-");
  });

  test("a long generateName is cut so that the name fits", async () => {
    const { api, path } = await cluster().scene();
    const long = await api.post(path("configmaps"), {
      metadata: { generateName: `${"a".repeat(100)}-` },
    });
    expect(long.status).toBe(201);
    expect(metadataOf(long.body).name).toHaveLength(63);
  });

  test("a name wins over generateName", async () => {
    const { create } = await cluster().scene();
    const made = await create("configmaps", configMap("a", {}, { generateName: "web-" }));
    expect(metadataOf(made).name).toBe("a");
  });

  test("a list has its own kind and version, and its items have none", async () => {
    const { api, path, create } = await cluster().scene();
    const made = await create("configmaps", configMap("a"));
    const { body } = await api.get(path("configmaps"));
    expect(body).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
    expect(Number(metadataOf(body).resourceVersion)).toBeGreaterThanOrEqual(
      Number(metadataOf(made).resourceVersion),
    );
    const item = itemsOf(body)[0]!;
    expect(metadataOf(item).uid).toBe(metadataOf(made).uid);
    expect(item).not.toHaveProperty("kind");
    expect(item).not.toHaveProperty("apiVersion");
  });

  test("a list is sorted by name", async () => {
    const { api, path, create } = await cluster().scene();
    for (const name of ["c", "a", "b"]) await create("configmaps", configMap(name));
    expect(namesOf((await api.get(path("configmaps"))).body)).toEqual(["a", "b", "c"]);
  });

  test("an empty list has an empty list of items", async () => {
    const { api, path } = await cluster().scene();
    expect((await api.get(path("configmaps"))).body.items).toEqual([]);
  });

  test("a list over all namespaces holds the objects of each", async () => {
    const { api, create, ns } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const { body } = await api.get("/api/v1/configmaps", {
      fieldSelector: `metadata.namespace=${ns}`,
    });
    expect(namesOf(body)).toEqual(["a"]);
  });

  test("an update raises the version and keeps uid and creation time", async () => {
    const { api, path, create } = await cluster().scene();
    const before = metadataOf(await create("configmaps", configMap("a")));
    const { status, body } = await api.put(path("configmaps", "a"), configMap("a", { k: "v" }));
    const after = metadataOf(body);
    expect(status).toBe(200);
    expect(Number(after.resourceVersion)).toBeGreaterThan(Number(before.resourceVersion));
    expect(after).toMatchObject({ uid: before.uid, creationTimestamp: before.creationTimestamp });
  });

  test("an update that changes nothing keeps the version", async () => {
    const { api, path, create } = await cluster().scene();
    const created = await create("configmaps", configMap("a", { k: "v" }));
    const { body } = await api.put(path("configmaps", "a"), created);
    expect(metadataOf(body).resourceVersion).toBe(metadataOf(created).resourceVersion);
  });

  test("an update replaces labels and data as a whole", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", { k: "v" }, { labels: { x: "1" } }));
    const { body } = await api.put(path("configmaps", "a"), configMap("a", { m: "n" }));
    expect(body.data).toEqual({ m: "n" });
    expect(metadataOf(body)).not.toHaveProperty("labels");
  });

  test("an update with the current version succeeds and then is stale", async () => {
    const { api, path, create } = await cluster().scene();
    const created = await create("configmaps", configMap("a"));
    const changed = { ...created, data: { k: "v" } };
    expect((await api.put(path("configmaps", "a"), changed)).status).toBe(200);
    expect(verdict(await api.put(path("configmaps", "a"), { ...changed, data: {} }))).toBe(
      '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; ' +
        "please apply your changes to the latest version and try again",
    );
  });

  test("a new set has generation 1 and only its spec raises it", async () => {
    const { api, path, create } = await cluster().scene();
    const created = await create("statefulsets", workload("a"));
    expect(metadataOf(created).generation).toBe(1);
    const labelled = { metadata: { labels: { x: "1" } } };
    const after = await api.patch("merge", path("statefulsets", "a"), labelled);
    expect(metadataOf(after.body).generation).toBe(1);
    const scaled = { spec: { replicas: 3 } };
    const changed = await api.patch("merge", path("statefulsets", "a"), scaled);
    expect(metadataOf(changed.body).generation).toBe(2);
  });

  test("a pod has a generation that an image change raises", async () => {
    const { api, path, create } = await cluster().scene();
    expect(metadataOf(await create("pods", pod("a"))).generation).toBe(1);
    const image = { spec: { containers: [{ name: "main", image: "nginx:2" }] } };
    const { body } = await api.patch("strategic", path("pods", "a"), image);
    expect(metadataOf(body).generation).toBe(2);
  });

  test("a config map keeps the generation that the client sent", async () => {
    const { create } = await cluster().scene();
    expect(metadataOf(await create("configmaps", configMap("a")))).not.toHaveProperty("generation");
    const sent = await create("configmaps", configMap("b", {}, { generation: 7 }));
    expect(metadataOf(sent).generation).toBe(7);
  });

  test("the status that a client sends on create is not stored for a set", async () => {
    const { create } = await cluster().scene();
    const made = await create("statefulsets", { ...workload("a"), status: { replicas: 9 } });
    expect(at(made, "status.replicas")).toBe(0);
  });

  test("a secret's stringData moves into data", async () => {
    const { create } = await cluster().scene();
    const made = await create("secrets", { metadata: { name: "a" }, stringData: { k: "v" } });
    expect(made).toMatchObject({ type: "Opaque", data: { k: "dg==" } });
    expect(made).not.toHaveProperty("stringData");
  });

  test("JSON with indentation is given when asked for", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    expect((await api.get(path("configmaps", "a"), { pretty: true })).text).toContain('\n  "kind"');
    expect((await api.get(path("configmaps", "a"))).text).toContain('{"kind":"ConfigMap"');
  });

  test("YAML bodies are accepted", async () => {
    const { api, path } = await cluster().scene();
    const { status, body } = await api.send("POST", path("configmaps"), {
      body: "metadata:\n  name: a\ndata:\n  k: v\n",
      headers: { "content-type": "application/yaml" },
    });
    expect(status).toBe(201);
    expect(body.data).toEqual({ k: "v" });
  });
}
