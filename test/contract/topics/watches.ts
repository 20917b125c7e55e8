/** Watches: where they start, what they send, how they end. */
import { expect, test } from "vitest";
import { defineKind, widgetSchema, widgetVersion } from "../custom-kind.ts";
import { at, metadataOf } from "../json.ts";
import { configMap } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { verdict } from "../verdict.ts";
import { sketch } from "../watch-stream.ts";

const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

export function watches(cluster: () => Cluster): void {
  test("a watch from a version sends everything after it, in order", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    await api.put(path("configmaps", "a"), configMap("a", { k: "v" }));
    await create("configmaps", configMap("b"));
    await api.delete(path("configmaps", "a"));

    const watch = await api.watch(path("configmaps"), { resourceVersion });
    const lines = [await watch.next(), await watch.next(), await watch.next()];
    watch.close();
    expect(watch.status).toBe(200);
    expect(watch.headers["content-type"]).toBe("application/json");
    expect(lines.map(sketch)).toEqual(["MODIFIED a", "ADDED b", "DELETED a"]);
    expect(lines[0]!.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
    const versions = lines.map((line) => Number(metadataOf(line!.object).resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  });

  test("the last state comes with DELETED, under the version of the deletion", async () => {
    const { api, path, create } = await cluster().scene();
    const created = metadataOf(await create("configmaps", configMap("a", { k: "v" })));
    const { resourceVersion } = created;
    const watch = await api.watch(path("configmaps"), { resourceVersion });
    await api.delete(path("configmaps", "a"));
    const gone = await watch.next();
    watch.close();
    expect(gone!.object.data).toEqual({ k: "v" });
    expect(Number(metadataOf(gone!.object).resourceVersion)).toBeGreaterThan(
      Number(resourceVersion),
    );
  });

  test.each(["", "0"])("a watch from version %j begins with what is there", async (from) => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const watch = await api.watch(path("configmaps"), { resourceVersion: from });
    const first = await watch.next();
    await create("configmaps", configMap("b"));
    const second = await watch.until((line) => metadataOf(line.object).name === "b");
    watch.close();
    expect(sketch(first)).toBe("ADDED a");
    expect(sketch(second)).toBe("ADDED b");
  });

  test("a watch sends changes of its own namespace only", async () => {
    const [here, there] = [await cluster().scene(), await cluster().scene()];
    const { resourceVersion } = metadataOf(await here.create("configmaps", configMap("a")));
    await there.create("configmaps", configMap("other"));
    await here.create("configmaps", configMap("b"));
    const watch = await here.api.watch(here.path("configmaps"), { resourceVersion });
    const first = await watch.next();
    watch.close();
    expect(sketch(first)).toBe("ADDED b");
  });

  test("one object is watched by its name", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    await create("configmaps", configMap("b"));
    await api.put(path("configmaps", "a"), configMap("a", { k: "v" }));
    const query = { resourceVersion, fieldSelector: "metadata.name=a" };
    const watch = await api.watch(path("configmaps"), query);
    const first = await watch.next();
    watch.close();
    expect(sketch(first)).toBe("MODIFIED a");
  });

  test("what leaves the selector is DELETED with its former state, what enters is ADDED", async () => {
    const { api, path, create } = await cluster().scene();
    const picked = { labels: { pick: "me" } };
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a", {}, picked)));
    await api.put(path("configmaps", "a"), configMap("a", { state: "left" }));
    await api.put(path("configmaps", "a"), configMap("a", { state: "back" }, picked));
    const query = { resourceVersion, labelSelector: "pick=me" };
    const watch = await api.watch(path("configmaps"), query);
    const [left, back] = [await watch.next(), await watch.next()];
    watch.close();
    expect([sketch(left), sketch(back)]).toEqual(["DELETED a", "ADDED a"]);
    expect(metadataOf(left!.object).labels).toEqual({ pick: "me" });
    expect(left!.object).not.toHaveProperty("data.state");
    expect(back!.object.data).toEqual({ state: "back" });
  });

  test("what never matched the selector is not sent", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    await api.put(path("configmaps", "a"), configMap("a", { k: "v" }));
    await create("configmaps", configMap("b", {}, { labels: { pick: "me" } }));
    const query = { resourceVersion, labelSelector: "pick=me" };
    const watch = await api.watch(path("configmaps"), query);
    const first = await watch.next();
    watch.close();
    expect(sketch(first)).toBe("ADDED b");
  });

  test("removing the last finalizer sends DELETED, with the finalizers it had", async () => {
    const { api, path, create } = await cluster().scene();
    const finalizers = ["lockstep.dev/test"];
    const { resourceVersion } = metadataOf(
      await create("configmaps", configMap("a", {}, { finalizers })),
    );
    await api.delete(path("configmaps", "a"));
    await api.patch("merge", path("configmaps", "a"), { metadata: { finalizers: null } });
    const watch = await api.watch(path("configmaps"), { resourceVersion });
    const [marked, gone] = [await watch.next(), await watch.next()];
    watch.close();
    expect([sketch(marked), sketch(gone)]).toEqual(["MODIFIED a", "DELETED a"]);
    expect(metadataOf(gone!.object).finalizers).toEqual(finalizers);
  });

  test("timeoutSeconds ends a watch", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    const watch = await api.watch(path("configmaps"), { resourceVersion, timeoutSeconds: 1 });
    expect(await watch.rest()).toEqual([]);
  });

  test("a version that is too old gives an error event", async () => {
    // No changes of a kind are kept from before it was defined.
    const scene = await cluster().scene();
    const { path } = await defineKind(scene, [widgetVersion(widgetSchema({}))]);
    const watch = await scene.api.watch(path(), { resourceVersion: "1" });
    const [line] = await watch.rest();
    expect(watch.status).toBe(200);
    expect(line!.type).toBe("ERROR");
    expect(line!.object).toMatchObject({
      kind: "Status",
      status: "Failure",
      reason: "Expired",
      code: 410,
    });
    expect(line!.object.message).toMatch(/^too old resource version: 1 \(\d+\)$/);
  });

  test("initial events end with a bookmark that says so", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    await create("configmaps", configMap("b"));
    const watch = await api.watch(path("configmaps"), {
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
    });
    const lines = [await watch.next(), await watch.next(), await watch.next()];
    watch.close();
    expect(lines.slice(0, 2).map(sketch)).toEqual(["ADDED a", "ADDED b"]);
    expect(lines[2]!.type).toBe("BOOKMARK");
    expect(metadataOf(lines[2]!.object).annotations).toEqual({
      "k8s.io/initial-events-end": "true",
    });
    expect(lines[2]!.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
    expect(metadataOf(lines[2]!.object).resourceVersion).toMatch(/^\d+$/);
  });

  const brokenQueries: Readonly<
    Record<string, readonly [query: Record<string, string>, want: string]>
  > = {
    "initial events without a match": [
      { sendInitialEvents: "true" },
      '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ' +
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    ],
    "initial events at an exact version": [
      { sendInitialEvents: "true", resourceVersionMatch: "Exact", resourceVersion: "1" },
      '422 Invalid: ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: ' +
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, " +
        'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
    ],
    "a match without initial events": [
      { resourceVersionMatch: "NotOlderThan", resourceVersion: "1" },
      '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ' +
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    ],
    "a version in words": [
      { resourceVersion: "new" },
      '500 no reason: resourceVersion: Invalid value: "new": strconv.ParseUint: parsing "new": ' +
        "invalid syntax",
    ],
    "a broken selector": [
      { labelSelector: "a in (b" },
      "400 BadRequest: unable to parse requirement: found '', expected: ',' or ')'",
    ],
  };
  test.each(Object.entries(brokenQueries))("a watch with %s is refused", async (_name, given) => {
    const { api, path } = await cluster().scene();
    const [query, want] = given;
    expect(verdict(await api.get(path("configmaps"), { watch: true, ...query }))).toBe(want);
  });

  test("a bookmark comes before the timeout when the version has moved", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    const query = { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 4 };
    const watch = await api.watch(path("configmaps"), query);
    await create("configmaps", configMap("b"));
    const lines = await watch.rest();
    expect(sketch(lines[0])).toBe("ADDED b");
    const bookmark = lines.find((line) => line.type === "BOOKMARK");
    expect(bookmark?.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
    expect(Number(metadataOf(bookmark!.object).resourceVersion)).toBeGreaterThanOrEqual(
      Number(metadataOf(lines[0]!.object).resourceVersion),
    );
  });

  test("a watch may ask for tables; only the first names its columns", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    await create("configmaps", configMap("b", { k: "v" }));
    await create("configmaps", configMap("c"));
    const watch = await api.watch(path("configmaps"), { resourceVersion }, asTable);
    const [first, second] = [await watch.next(), await watch.next()];
    watch.close();
    expect(first!.object).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    expect(at(first!.object, "columnDefinitions.0.name")).toBe("Name");
    expect(at(first!.object, "rows.0.cells.0")).toBe("b");
    expect(second!.object.columnDefinitions).toBeNull();
    expect(at(second!.object, "rows.0.cells.0")).toBe("c");
  });

  test("the old watch path still works", async () => {
    const { api, ns, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    await create("configmaps", configMap("b"));
    const old = `/api/v1/watch/namespaces/${ns}/configmaps`;
    const watch = await api.watch(old, { resourceVersion });
    const first = await watch.next();
    watch.close();
    expect(sketch(first)).toBe("ADDED b");
  });
}
