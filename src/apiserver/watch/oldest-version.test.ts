/** The oldest version that a watch or a page may start from: exactly the newest one whose change was dropped. */
import { afterEach, expect, test } from "vitest";
import { laxConfigMaps, laxNamespaces } from "../../../test/builders/served-resource.ts";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import type { WatchEvent } from "../../runtime/transport.ts";
import type { ApiServer } from "../api-server.ts";
import { createApiServer } from "../api-server.ts";
import { memoryStore } from "../store/memory-store.ts";
import type { Store } from "../store/store.ts";

const path = "/api/v1/namespaces/default/configmaps";

let server: ApiServer | undefined;
afterEach(() => server?.stop());

/** Ten config maps on a server that remembers three changes of them. */
async function forgetful(): Promise<{ store: Store; server: ApiServer }> {
  const store = memoryStore({ history: 3 });
  server = createApiServer({
    clock: new VirtualClock(),
    resources: [laxNamespaces, laxConfigMaps],
    store,
  });
  for (let index = 0; index < 10; index++) {
    const body = { metadata: { name: `c${index}` } };
    await server.transport.request({ method: "POST", path, body });
  }
  return { store, server };
}

async function watched(from: number): Promise<string[]> {
  const stop = new AbortController();
  const events: WatchEvent[] = [];
  const query = { watch: "true", resourceVersion: String(from) };
  const ended = server!.transport.stream(
    { method: "GET", path, query, signal: stop.signal },
    (event) => events.push(event),
  );
  await new Promise<void>((resolve) => setImmediate(resolve));
  stop.abort();
  await ended;
  return events.map((event) =>
    event.type === "ERROR"
      ? `ERROR ${event.object.code}`
      : `${event.type} ${event.object.metadata.name}`,
  );
}

test("a watch from the oldest version misses nothing, one from before it is too old", async () => {
  const { store } = await forgetful();
  const { oldestVersion } = store.collection("configmaps");
  expect(store.version - oldestVersion).toBe(3);
  expect(await watched(oldestVersion)).toEqual(["ADDED c7", "ADDED c8", "ADDED c9"]);
  expect(await watched(oldestVersion + 1)).toEqual(["ADDED c8", "ADDED c9"]);
  expect(await watched(oldestVersion - 1)).toEqual(["ERROR 410"]);
});

test("a list of the oldest version is complete, one from before it is too old", async () => {
  const { store, server: asked } = await forgetful();
  const { oldestVersion } = store.collection("configmaps");
  const listed = (version: number): ReturnType<typeof asked.transport.request> => {
    const query = { resourceVersion: String(version), resourceVersionMatch: "Exact" };
    return asked.transport.request({ method: "GET", path, query });
  };
  const { body } = await listed(oldestVersion);
  const names = (body as { items: { metadata: { name: string } }[] }).items;
  expect(names.map(({ metadata }) => metadata.name)).toEqual([
    "c0",
    "c1",
    "c2",
    "c3",
    "c4",
    "c5",
    "c6",
  ]);
  expect((await listed(oldestVersion - 1)).status).toBe(410);
});
