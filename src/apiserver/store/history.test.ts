/** What the store remembers: bounded by count and by bytes, exact at its oldest version. */
import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { memoryStore } from "./memory-store.ts";
import type { Collection } from "./store.ts";

const object = (name: string, data = ""): KubeObject => ({ metadata: { name }, data: { data } });

function write(collection: Collection, times: number, data = ""): void {
  for (let time = 0; time < times; time++) collection.put("a", object("a", data));
}

test("the oldest version is the newest that was dropped: a watch from it misses nothing", () => {
  const store = memoryStore({ history: 3 });
  const things = store.collection("things");
  expect(things.oldestVersion).toBe(0);
  write(things, 3);
  expect([things.oldestVersion, things.changesSince(0).length]).toEqual([0, 3]);
  write(things, 1);
  expect(things.oldestVersion).toBe(1);
  expect(things.changesSince(1).map(({ version }) => version)).toEqual([2, 3, 4]);
  write(things, 20);
  expect(things.oldestVersion).toBe(21);
  expect(things.changesSince(21).map(({ version }) => version)).toEqual([22, 23, 24]);
});

test("compacting leaves what came after the version", () => {
  const store = memoryStore();
  const things = store.collection("things");
  write(things, 5);
  things.compact(3);
  expect(things.oldestVersion).toBe(3);
  expect(things.changesSince(3).map(({ version }) => version)).toEqual([4, 5]);
});

test("many versions of a large object hold no more memory than allowed", () => {
  const megabyte = 1024 * 1024;
  const store = memoryStore({ historyBytes: 10 * megabyte });
  const things = store.collection("things");
  write(things, 300, "x".repeat(megabyte));
  const kept = things.changesSince(things.oldestVersion);
  expect(kept.length).toBeLessThan(10);
  expect(kept.at(-1)?.version).toBe(store.version);
});

test("the collection that holds most gives up its changes first", () => {
  const store = memoryStore({ historyBytes: 100_000 });
  const [large, small] = [store.collection("large"), store.collection("small")];
  write(small, 10);
  write(large, 100, "x".repeat(10_000));
  expect(small.oldestVersion).toBe(0);
  expect(large.oldestVersion).toBeGreaterThan(0);
});

test("a deleted object counts with all that it holds", () => {
  const store = memoryStore({ historyBytes: 100_000 });
  const things = store.collection("things");
  for (let index = 0; index < 100; index++) {
    things.put("a", object("a", "x".repeat(10_000)));
    things.delete("a");
  }
  expect(things.changesSince(things.oldestVersion).length).toBeLessThan(12);
});
