/** Namespaces: their lifecycle, and what may still happen in a terminating one. */
import { expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import type { Json } from "../json.ts";
import { at, metadataOf } from "../json.ts";
import { configMap } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { verdict } from "../verdict.ts";
import { sketch } from "../watch-stream.ts";

export function namespaces(cluster: () => Cluster): void {
  test("a new namespace is active, carries its name as a label and a finalizer", async () => {
    const { api, path, ns } = await cluster().scene();
    const { body } = await api.get(path("namespaces", ns));
    expect(body).toMatchObject({
      kind: "Namespace",
      metadata: { name: ns, labels: { "kubernetes.io/metadata.name": ns } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  });

  test("the default namespaces are there", async () => {
    const { api, path } = await cluster().scene();
    for (const name of ["default", "kube-system", "kube-public", "kube-node-lease"]) {
      expect((await api.get(path("namespaces", name))).status).toBe(200);
    }
  });

  test("a deleted namespace deletes its objects", async () => {
    const { api, path, create, ns } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const { resourceVersion } = metadataOf((await api.get(path("namespaces", ns))).body);
    const fieldSelector = `metadata.name=${ns}`;
    const watch = await api.watch("/api/v1/namespaces", { resourceVersion, fieldSelector });
    const { status, body } = await api.delete(path("namespaces", ns));
    expect(status).toBe(200);
    expect(at(body, "status.phase")).toBe("Terminating");
    expect(metadataOf(body).deletionTimestamp).toMatch(/Z$/);
    const gone = await watch.until(({ type }) => type === "DELETED");
    watch.close();
    expect(sketch(gone)).toBe(`DELETED ${ns}`);
    expect((await api.get(path("configmaps", "a"))).status).toBe(404);
  });

  test("nothing is created in a terminating namespace", async () => {
    const { api, path, create, ns } = await cluster().scene();
    await create("configmaps", configMap("a", {}, { finalizers: ["lockstep.dev/test"] }));
    await api.delete(path("namespaces", ns));
    expect(verdict(await api.post(path("configmaps"), configMap("b")))).toBe(
      `403 Forbidden: configmaps "b" is forbidden: unable to create new content in namespace ${ns} ` +
        "because it is being terminated",
    );
    const label = { metadata: { labels: { x: "1" } } };
    expect((await api.patch("merge", path("configmaps", "a"), label)).status).toBe(200);
    await api.patch("merge", path("configmaps", "a"), { metadata: { finalizers: null } });
  });

  test("a namespace whose deletion hangs says what is left in it, and what holds that", async () => {
    const { api, path, create, ns } = await cluster().scene();
    const held = { finalizers: ["lockstep.dev/one", "lockstep.dev/two"] };
    await create("configmaps", configMap("a", {}, held));
    await create("configmaps", configMap("b", {}, { finalizers: ["lockstep.dev/one"] }));
    await create("secrets", { metadata: { name: "c", finalizers: ["lockstep.dev/one"] } });
    await create("configmaps", configMap("goes"));
    await api.delete(path("namespaces", ns));
    const saysOf = (body: Json): readonly string[] =>
      ((at(body, "status.conditions") ?? []) as Json[]).map(({ type, status, reason, message }) =>
        [type, status, reason, message].join(" "),
      );
    const { body } = await eventually(
      "its deletion is reported",
      () => api.get(path("namespaces", ns)),
      (answer) => saysOf(answer.body).some((text) => text.includes("configmaps. has 2 ")),
    );
    expect(saysOf(body)).toEqual([
      "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered All resources successfully discovered",
      "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions " +
        "All legacy kube types successfully parsed",
      "NamespaceDeletionContentFailure False ContentDeleted " +
        "All content successfully deleted, may be waiting on finalization",
      "NamespaceContentRemaining True SomeResourcesRemain Some resources are remaining: " +
        "configmaps. has 2 resource instances, secrets. has 1 resource instances",
      "NamespaceFinalizersRemaining True SomeFinalizersRemain " +
        "Some content in the namespace has finalizers remaining: " +
        "lockstep.dev/one in 3 resource instances, lockstep.dev/two in 1 resource instances",
    ]);
    const times = (at(body, "status.conditions") as Json[]).map((each) =>
      String(each["lastTransitionTime"]),
    );
    expect(times.every((time) => /^\d{4}-.*Z$/.test(time))).toBe(true);
    expect(at(body, "status.phase")).toBe("Terminating");
    const freed = { metadata: { finalizers: null } };
    for (const name of ["a", "b"]) await api.patch("merge", path("configmaps", name), freed);
    await api.patch("merge", path("secrets", "c"), freed);
    await eventually(
      "it is gone",
      () => api.get(path("namespaces", ns)),
      ({ status }) => status === 404,
    );
  });

  test("nothing is created in a namespace that does not exist", async () => {
    const { api } = await cluster().scene();
    const answer = await api.post("/api/v1/namespaces/no-such/configmaps", configMap("a"));
    expect(verdict(answer)).toBe('404 NotFound: namespaces "no-such" not found');
  });

  test("a list in a namespace that does not exist is empty", async () => {
    const { api } = await cluster().scene();
    const { status, body } = await api.get("/api/v1/namespaces/no-such/configmaps");
    expect([status, body.items]).toEqual([200, []]);
  });

  test("the namespace default may not be deleted", async () => {
    const { api, path } = await cluster().scene();
    expect(verdict(await api.delete(path("namespaces", "default")))).toBe(
      '403 Forbidden: namespaces "default" is forbidden: this namespace may not be deleted',
    );
  });

  test("namespaces are not deleted as a collection", async () => {
    const { api, path } = await cluster().scene();
    expect((await api.delete(path("namespaces"))).status).toBe(405);
  });
}
