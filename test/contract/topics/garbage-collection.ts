/** What happens to dependents when their owner is deleted: background, foreground and orphan deletion. */
import { expect, test } from "vitest";
import { at, metadataOf } from "../json.ts";
import { configMap } from "../objects.ts";
import type { Cluster, Scene } from "../scene.ts";

const finalizers = ["lockstep.dev/test"];

async function ownerAndDependent(scene: Scene, metadata: object = {}): Promise<string> {
  const { uid } = metadataOf(await scene.create("configmaps", configMap("owner")));
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid };
  const ownerReferences = [{ ...reference, blockOwnerDeletion: true }];
  const dependent = configMap("dependent", {}, { ownerReferences, ...metadata });
  const { resourceVersion } = metadataOf(await scene.create("configmaps", dependent));
  return resourceVersion;
}

export function garbageCollection(cluster: () => Cluster): void {
  test.each([undefined, "Background"])(
    "a deletion %s takes the dependents after",
    async (policy) => {
      const scene = await cluster().scene();
      const { api, path } = scene;
      const resourceVersion = await ownerAndDependent(scene);
      const watch = await api.watch(path("configmaps"), { resourceVersion });
      await api.delete(path("configmaps", "owner"), policy && { propagationPolicy: policy });
      expect((await api.get(path("configmaps", "owner"))).status).toBe(404);
      const gone = (name: string) => (line: { type: string; object: Record<string, unknown> }) =>
        line.type === "DELETED" && metadataOf(line.object).name === name;
      await watch.until(gone("owner"));
      await watch.until(gone("dependent"));
      watch.close();
      expect((await api.get(path("configmaps", "dependent"))).status).toBe(404);
    },
  );

  test("a foreground deletion takes the dependents first", async () => {
    const scene = await cluster().scene();
    const { api, path } = scene;
    const resourceVersion = await ownerAndDependent(scene, { finalizers });
    const watch = await api.watch(path("configmaps"), { resourceVersion });
    await api.delete(path("configmaps", "owner"), { propagationPolicy: "Foreground" });
    const marked = await watch.until(
      ({ type, object }) => type === "MODIFIED" && metadataOf(object).name === "dependent",
    );
    expect(metadataOf(marked.object).deletionTimestamp).toMatch(/Z$/);
    expect((await api.get(path("configmaps", "owner"))).status).toBe(200);
    await api.patch("merge", path("configmaps", "dependent"), { metadata: { finalizers: null } });
    await watch.until(
      ({ type, object }) => type === "DELETED" && metadataOf(object).name === "owner",
    );
    watch.close();
    expect((await api.get(path("configmaps", "owner"))).status).toBe(404);
  });

  test("owners that own each other in a circle go, whatever each of them waits for", async () => {
    const { api, path, create } = await cluster().scene();
    const reference = (name: string, uid: string) => [
      { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true },
    ];
    let ownerReferences: ReturnType<typeof reference> | undefined;
    for (const name of ["a", "b", "c"]) {
      const metadata = ownerReferences && { ownerReferences };
      const made = await create("configmaps", configMap(name, {}, metadata));
      ownerReferences = reference(name, metadataOf(made).uid);
    }
    const closed = await api.patch("merge", path("configmaps", "a"), {
      metadata: { ownerReferences },
    });
    const { resourceVersion } = metadataOf(closed.body);
    const watch = await api.watch(path("configmaps"), { resourceVersion });
    await api.delete(path("configmaps", "a"), { propagationPolicy: "Foreground" });
    for (let gone = 0; gone < 3; gone++) await watch.until(({ type }) => type === "DELETED");
    watch.close();
    expect(at((await api.get(path("configmaps"))).body, "items")).toEqual([]);
  });

  test("an orphan deletion leaves the dependents without an owner", async () => {
    const scene = await cluster().scene();
    const { api, path } = scene;
    const resourceVersion = await ownerAndDependent(scene);
    const watch = await api.watch(path("configmaps"), { resourceVersion });
    await api.delete(path("configmaps", "owner"), { propagationPolicy: "Orphan" });
    await watch.until(
      ({ type, object }) => type === "DELETED" && metadataOf(object).name === "owner",
    );
    watch.close();
    const { status, body } = await api.get(path("configmaps", "dependent"));
    expect(status).toBe(200);
    expect(at(body, "metadata.ownerReferences")).toBeUndefined();
  });

  test("a dependent of an owner that never existed is deleted", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("first")));
    const watch = await api.watch(path("configmaps"), { resourceVersion });
    const uid = "00000000-0000-4000-8000-000000000000";
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "ghost", uid }];
    await create("configmaps", configMap("dependent", {}, { ownerReferences }));
    await watch.until(({ type }) => type === "DELETED");
    watch.close();
    expect((await api.get(path("configmaps", "dependent"))).status).toBe(404);
  });

  test("a dependent of two owners stays while one of them stays", async () => {
    const { api, path, create } = await cluster().scene();
    const uids = [];
    for (const name of ["one", "two"]) {
      uids.push({ name, uid: metadataOf(await create("configmaps", configMap(name))).uid });
    }
    const ownerReferences = uids.map((owner) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      ...owner,
    }));
    const made = await create("configmaps", configMap("dependent", {}, { ownerReferences }));
    const { resourceVersion } = metadataOf(made);
    const watch = await api.watch(path("configmaps"), { resourceVersion });
    await api.delete(path("configmaps", "one"));
    const changed = await watch.until(({ object }) => metadataOf(object).name === "dependent");
    watch.close();
    expect(changed.type).toBe("MODIFIED");
    expect(at(changed.object, "metadata.ownerReferences")).toMatchObject([{ name: "two" }]);
  });
}
