/** Kinds that follow the same objects share one cache; a kind that sees them differently has one of its own. */
import { expect, test } from "vitest";
import { MemoryServer } from "../../../test/builders/memory-server.ts";
import type { KubeObject } from "../../api/object.ts";
import { podResource } from "../../api/pod.ts";
import type { Cache } from "../../runtime/cache.ts";
import { restClient } from "../../runtime/rest-client.ts";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import { cachedMetadata } from "./cached-objects.ts";
import type { CacheDefinition } from "./shared-caches.ts";
import { SharedCaches } from "./shared-caches.ts";

const byZone = ({ metadata }: KubeObject): string[] => [metadata.labels?.["zone"] ?? ""];

function start() {
  const server = new MemoryServer();
  const clock = new VirtualClock();
  const shared = new SharedCaches({ client: restClient(server), clock });
  const cacheOf = (definition: Partial<CacheDefinition>): Cache =>
    shared.all<{ pods: Cache }>({ pods: { resource: podResource, ...definition } }).pods;
  return { server, clock, cacheOf };
}

test("the same view is the same cache, and an index that comes later finds what is there", async () => {
  const { server, clock, cacheOf } = start();
  const metadata = { name: "a", namespace: "default", labels: { zone: "west" } };
  server.put("/api/v1/pods", { metadata });
  const first = cacheOf({});
  first.start();
  await clock.runFor(100);
  const second = cacheOf({ selection: {}, indexes: { zone: byZone } });
  expect(second).toBe(first);
  expect(second.byIndex("zone", "west")).toHaveLength(1);
  first.stop();
});

test("another selection or another form is another cache", () => {
  const { cacheOf } = start();
  const made = [
    cacheOf({}),
    cacheOf({ selection: { labelSelector: "a=b" } }),
    cacheOf({ transform: cachedMetadata }),
  ];
  expect(new Set(made).size).toBe(3);
});

test("a kind that ignores what is beyond its selection shares a wider cache, where there is one", () => {
  const { cacheOf } = start();
  const selection = { labelSelector: "a=b" };
  const narrow = cacheOf({ selection, mayBeWider: true });
  expect(cacheOf({})).not.toBe(narrow);
  expect(cacheOf({ selection: { labelSelector: "c=d" }, mayBeWider: true })).toBe(cacheOf({}));
  expect(cacheOf({ selection: { labelSelector: "e=f" } })).not.toBe(cacheOf({}));
});

test("one name for two indexes of the same cache is noticed at once", () => {
  const { cacheOf } = start();
  cacheOf({ indexes: { zone: byZone } });
  expect(() => cacheOf({ indexes: { zone: () => [] } })).toThrow("another index named zone");
});
