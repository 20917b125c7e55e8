import { expect, test } from "vitest";
import { MemoryServer } from "../../test/builders/memory-server.ts";
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { Cache } from "./cache.ts";
import type { Client } from "./client.ts";
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

const withoutSpec = ({ kind, metadata }: KubeObject): KubeObject => ({ kind, metadata });

async function cachedWidget(transform?: typeof withoutSpec) {
  const server = new MemoryServer();
  server.put(path, { kind: "Widget", metadata: { name: "a", namespace: "default" }, spec: {} });
  const client = restClient(server);
  const cache = new Cache({ client, clock: new VirtualClock(0), resource: widgets, transform });
  cache.start();
  await cache.whenSynced();
  cache.stop();
  const [widget = { metadata: {} }] = cache.list();
  return { server, client, widget };
}

const writes: Record<string, (client: Client, object: KubeObject) => Promise<unknown>> = {
  "update of the object": (client, object) => client.update(widgets, object),
  "update of a copy": (client, object) =>
    client.update(widgets, { ...object, metadata: { ...object.metadata, labels: {} } }),
  "create of a copy": (client, object) => client.create(widgets, { ...object }),
};

test.each(Object.entries(writes))("what a cache keeps in part: %s is refused", async (_, write) => {
  const { server, client, widget } = await cachedWidget(withoutSpec);
  const before = server.requests.length;
  await expect(write(client, widget)).rejects.toThrow(
    "Widget default/a is only a part of the object, kept by a cache: patch it instead",
  );
  expect(server.requests).toHaveLength(before);
});

test.each(Object.entries(writes))("what a cache keeps whole: %s is sent", async (_, write) => {
  const { server, client, widget } = await cachedWidget();
  const before = server.requests.length;
  await write(client, widget).catch(() => undefined);
  expect(server.requests).toHaveLength(before + 1);
});

test("the mark is no field", async () => {
  const { widget } = await cachedWidget(withoutSpec);
  expect(Object.keys(widget)).toEqual(["kind", "metadata"]);
  expect(JSON.parse(JSON.stringify(widget))).toEqual(withoutSpec(widget));
});
