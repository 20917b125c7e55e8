import { expect, test } from "vitest";
import { MemoryServer, refused } from "../../test/builders/memory-server.ts";
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { Cache } from "./cache.ts";
import type { Change } from "./cache.ts";
import { labelValue, namespaceOf } from "./object-store.ts";
import { restClient } from "./rest-client.ts";
import { VirtualClock } from "./virtual-clock.ts";

const widgets: Resource = {
  group: "",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  namespaced: true,
};
const path = "/api/v1/widgets";

function widget(name: string, extra: object = {}): KubeObject {
  return { metadata: { name, namespace: "default", ...extra } };
}

async function startedCache(names: readonly string[] = []) {
  const server = new MemoryServer();
  const clock = new VirtualClock(0);
  for (const name of names) server.put(path, widget(name));
  const changes: string[] = [];
  const problems: unknown[] = [];
  const cache = new Cache({
    client: restClient(server),
    clock,
    resource: widgets,
    indexes: { color: labelValue("color"), namespace: namespaceOf },
    pageSize: 2,
    onProblem: (problem) => problems.push(problem),
  });
  cache.onChange((change: Change<KubeObject>) => {
    const old = change.type === "updated" ? `${change.old.metadata.resourceVersion}->` : "";
    const { name, resourceVersion } = change.object.metadata;
    changes.push(`${change.type} ${name} ${old}${resourceVersion}`);
  });
  cache.start();
  await clock.settle();
  return { server, clock, cache, changes, problems };
}

test("the first list is read page by page, and listeners get each object once", async () => {
  const { server, cache, changes } = await startedCache(["a", "b", "c", "d", "e"]);
  expect(server.requests.filter((line) => line.startsWith("GET"))).toHaveLength(3);
  expect(cache.hasSynced).toBe(true);
  expect(changes.map((line) => line.split(" ")[1])).toEqual(["a", "b", "c", "d", "e"]);
});

test("listeners get every change with the state before", async () => {
  const { server, changes } = await startedCache(["a"]);
  server.put(path, widget("a"));
  server.put(path, widget("b"));
  server.remove(path, "a");
  expect(changes).toEqual(["added a 101", "updated a 101->102", "added b 103", "deleted a 104"]);
});

test("an index answers with the very same list until something in it changes", async () => {
  const { server, cache } = await startedCache();
  const put = (name: string, color: string) =>
    server.put(path, widget(name, { labels: { color } }));
  put("a", "red");
  const before = cache.byIndex("color", "red");
  put("b", "blue");
  expect(cache.byIndex("color", "red")).toBe(before);
  put("a", "red");
  const updated = cache.byIndex("color", "red");
  expect(updated).not.toBe(before);
  put("a", "blue");
  expect(updated).toHaveLength(1);
  expect(cache.byIndex("color", "red")).toEqual([]);
  expect(cache.byIndex("color", "red")).toBe(cache.byIndex("color", "green"));
});

test("indexes follow the objects", async () => {
  const { server, cache } = await startedCache();
  server.put(path, widget("a", { labels: { color: "red" } }));
  server.put(path, widget("b", { labels: { color: "red" } }));
  server.put(path, widget("a", { labels: { color: "blue" } }));
  const named = (color: string) => cache.byIndex("color", color).map((each) => each.metadata.name);
  expect([named("red"), named("blue"), named("green")]).toEqual([["b"], ["a"], []]);
  expect(() => cache.byIndex("size", "1")).toThrow("no index named size");
});

test("who set which field is not kept, listed or watched", async () => {
  const { server, cache } = await startedCache();
  const seen: KubeObject[] = [];
  cache.onChange(({ object }) => seen.push(object));
  const fields = { managedFields: [{ manager: "kubectl" }], labels: { color: "red" } };
  server.put(path, widget("a", fields));
  server.remove(path, "a");
  server.put(path, widget("b", fields));
  const listed = new Cache({
    client: restClient(server),
    clock: new VirtualClock(0),
    resource: widgets,
  });
  listed.start();
  await listed.whenSynced();
  listed.stop();
  for (const { metadata } of [...seen, ...listed.list()]) {
    expect(Object.keys(metadata)).not.toContain("managedFields");
    expect(metadata.labels).toEqual({ color: "red" });
  }
  expect(seen).toHaveLength(3);
  expect(listed.size).toBe(1);
});

test("a transform is applied once to what is listed and watched, and only its result is seen", async () => {
  const server = new MemoryServer();
  const clock = new VirtualClock(0);
  const spec = { size: 1 };
  server.put(path, { ...widget("a"), spec });
  const transformed: string[] = [];
  const cache = new Cache({
    client: restClient(server),
    clock,
    resource: widgets,
    transform: ({ kind, metadata }) => {
      transformed.push(`${metadata.name} ${metadata.resourceVersion}`);
      return { kind, metadata };
    },
  });
  const seen: KubeObject[] = [];
  cache.onChange((change) => {
    seen.push(change.object, ...(change.type === "updated" ? [change.old] : []));
  });
  cache.start();
  await clock.settle();
  server.put(path, { ...widget("a"), spec });
  const listed = cache.list();
  server.refuseStreams(refused(410, "Expired"));
  await clock.runFor(60_000);
  expect(cache.list()).toBe(listed);
  server.remove(path, "a");
  expect(seen).toHaveLength(4);
  expect([...seen, ...listed].every((object) => !("spec" in object))).toBe(true);
  // The third is the list after the watch was lost, which brings nothing new.
  expect(transformed).toEqual(["a 101", "a 102", "a 102", "a 103"]);
});

test("objects are kept as they came, not copied", async () => {
  const { server, cache } = await startedCache();
  const stored = server.put(path, widget("a"));
  expect(cache.get("default/a")).toBe(stored);
});

const interruptions: Record<string, (server: MemoryServer) => void> = {
  "the server ends the stream": (server) => server.endStreams(),
  "the connection is reset": (server) => server.endStreams(new Error("socket hang up")),
  "the connection is reset and the server answers 500 and 429 for a while": (server) => {
    server.refusals.push(refused(500, "InternalError"), refused(429, "TooManyRequests"));
    server.endStreams(new Error("socket hang up"));
  },
  "the connection goes silent": (server) => server.silenceStreams(),
  "the stream says that its version is gone": (server) =>
    server.refuseStreams(refused(410, "Expired")),
  "the history is compacted": (server) => server.compact(),
  "the history is compacted and the list fails": (server) => {
    server.compact();
    server.refusals.push(refused(410, "Expired"), refused(503, "ServiceUnavailable"));
  },
};

test.each(Object.entries(interruptions))(
  "listeners get every change exactly once when %s",
  async (_name, interrupt) => {
    const { server, clock, cache, changes } = await startedCache(["a", "b", "c"]);
    changes.length = 0;
    interrupt(server);
    server.put(path, widget("a"));
    server.remove(path, "b");
    server.put(path, widget("d"));
    await clock.runFor(400_000);
    server.put(path, widget("e"));
    expect(changes.map((line) => line.split(" ").slice(0, 2).join(" ")).toSorted()).toEqual([
      "added d",
      "added e",
      "deleted b",
      "updated a",
    ]);
    expect(cache.list().map((each) => each.metadata.name)).toEqual(["a", "c", "d", "e"]);
  },
);

test("a stream that ends is resumed from the last version, bookmarks included", async () => {
  const { server, clock } = await startedCache(["a"]);
  server.put("/api/v1/others", widget("x"));
  server.bookmark();
  server.endStreams();
  await clock.runFor(1000);
  expect(server.requests.at(-1)).toBe(`WATCH ${path} 102`);
  expect(server.requests.filter((line) => line.startsWith("GET"))).toHaveLength(1);
});

test("a version that is gone is listed anew at once, but not again and again", async () => {
  const { server, clock, problems } = await startedCache(["a"]);
  server.refuseStreams(refused(410, "Expired"));
  await clock.settle();
  expect(server.requests.filter((line) => line.startsWith("GET"))).toHaveLength(2);
  expect(problems).toEqual([]);
  server.isForgetful = true;
  server.refuseStreams(refused(410, "Expired"));
  await clock.runFor(60_000);
  expect(server.requests.length).toBeLessThan(30);
});

test("an object replaced by another of its name counts as deleted and added", async () => {
  const { server, clock, changes } = await startedCache(["a"]);
  changes.length = 0;
  server.silenceStreams();
  server.remove(path, "a");
  server.put(path, widget("a"));
  server.compact();
  await clock.runFor(60_000);
  expect(changes).toEqual(["deleted a 101", "added a 103"]);
});

test("a server that starts over is listed again and nobody waits for lost versions", async () => {
  const { server, clock, cache } = await startedCache(["a"]);
  const version = server.put(path, widget("b")).metadata.resourceVersion ?? "";
  let isReleased = false;
  void cache.whenSeen(`${version}0`).then(() => (isReleased = true));
  const lost = refused(504, "Timeout");
  server.restartFromScratch();
  server.refusals.push({
    ...lost,
    details: { causes: [{ reason: "ResourceVersionTooLarge" }] },
  });
  await clock.runFor(60_000);
  expect(isReleased).toBe(true);
  expect(cache.seenVersion).toBe("3");
});

test("failures are retried ever more slowly", async () => {
  const { server, clock, problems } = await startedCache();
  for (let index = 0; index < 20; index++) server.refusals.push(refused(500, "InternalError"));
  server.endStreams(new Error("gone"));
  await clock.runFor(60_000);
  expect(problems.length).toBeLessThan(10);
});

test("a cache that two have started runs until both have stopped it", async () => {
  const { server, clock, cache } = await startedCache(["a"]);
  cache.start();
  cache.stop();
  server.put(path, widget("b"));
  expect(cache.size).toBe(2);
  cache.stop();
  const before = server.requests.length;
  server.endStreams();
  await clock.runFor(60_000);
  expect(server.requests).toHaveLength(before);
});

test("a stopped cache sends no more requests", async () => {
  const { server, clock, cache } = await startedCache(["a"]);
  cache.stop();
  const before = server.requests.length;
  server.endStreams();
  await clock.runFor(60_000);
  expect(server.requests).toHaveLength(before);
});

/** One object in three ways of being poisonous, between two that are not. */
async function poisonedCache() {
  const server = new MemoryServer();
  const clock = new VirtualClock(0);
  for (const name of ["a", "poison", "z"]) server.put(path, widget(name));
  const problems: string[] = [];
  const throwOnPoison = (what: string, { metadata }: KubeObject): void => {
    if (metadata.name === "poison") throw new TypeError(`no ${what} of this`);
  };
  const cache = new Cache({
    client: restClient(server),
    clock,
    resource: widgets,
    indexes: {
      poisoned: (object) => (throwOnPoison("index", object), ["all"]),
      namespace: namespaceOf,
      texts: ({ metadata: { name = "" } }) => [name === "poison" ? (undefined as never) : name],
    },
    transform: (object) => (throwOnPoison("transform", object), { ...object }),
    onProblem: (problem) => problems.push(String(problem)),
  });
  const seen: string[] = [];
  cache.onChange(({ object }) => {
    throwOnPoison("listener", object);
    seen.push(object.metadata.name ?? "");
  });
  const others: string[] = [];
  cache.onChange(({ object }) => others.push(object.metadata.name ?? ""));
  cache.start();
  await clock.settle();
  return { server, clock, cache, problems, seen, others };
}

test("OP2 what one object makes an index, a transform or a listener throw concerns no other", async () => {
  const { cache, problems, seen, others } = await poisonedCache();
  expect(cache.hasSynced).toBe(true);
  expect(seen).toEqual(["a", "z"]);
  expect(others).toEqual(["a", "poison", "z"]);
  expect(cache.byIndex("poisoned", "all").map(({ metadata }) => metadata.name)).toEqual(["a", "z"]);
  expect(cache.byIndex("namespace", "default")).toHaveLength(3);
  expect(cache.byIndex("texts", "z")).toHaveLength(1);
  expect(problems).toEqual(
    [
      "no transform of this",
      "no index of this",
      "index texts: undefined is no text",
      "no listener of this",
    ].map((why) => `ObjectProblem: widgets default/poison cannot be processed: ${why}`),
  );
});

test("OP2 a poisonous object is followed as any other: no list again, no stall, gone when it is gone", async () => {
  const { server, clock, cache, seen } = await poisonedCache();
  const requests = server.requests.length;
  server.put(path, widget("poison"));
  server.put(path, widget("b"));
  server.remove(path, "poison");
  server.put(path, widget("c"));
  await clock.runFor(10_000);
  expect(seen).toEqual(["a", "z", "b", "c"]);
  expect(cache.get("default/poison")).toBeUndefined();
  expect(server.requests).toHaveLength(requests);
});

test.each([-3_600_000, 3_600_000])(
  "OP4 a wall clock that moves by %i ms neither ends a live watch nor keeps a dead one",
  async (byMs) => {
    const { server, clock, cache } = await startedCache(["a"]);
    clock.stepWallClock(byMs);
    await clock.runFor(100_000);
    expect(server.requests.filter((line) => line.startsWith("WATCH"))).toHaveLength(1);
    server.silenceStreams();
    server.put(path, widget("b"));
    await clock.runFor(200_000);
    expect(cache.get("default/b")).toBeDefined();
  },
);

test("OP6 a cache knows whether its resource is served, and for how long it has heard nothing", async () => {
  const { server, clock, cache } = await startedCache(["a"]);
  expect([cache.isServed, cache.stillForMs]).toEqual([true, 0]);
  await clock.runFor(30_000);
  expect(cache.stillForMs).toBe(30_000);
  server.bookmark();
  expect(cache.stillForMs).toBe(0);
  server.refusals.push(...Array.from({ length: 9 }, () => refused(404, "NotFound")));
  server.endStreams(new Error("connection reset"));
  await clock.runFor(10_000);
  expect(cache.isServed).toBe(false);
  await clock.runFor(600_000);
  expect(cache.isServed).toBe(true);
  cache.stop();
  await clock.runFor(600_000);
  expect(cache.stillForMs).toBe(0);
});
