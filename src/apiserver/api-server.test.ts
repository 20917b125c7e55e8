/** The verbs on resources without rules of their own, through the in-process client. */
import { expect, test } from "vitest";
import type { KubeObject } from "../api/object.ts";
import type { Client } from "../runtime/client.ts";
import type { WatchEvent } from "../runtime/transport.ts";
import { VirtualClock } from "../runtime/virtual-clock.ts";
import { laxConfigMaps, laxNamespaces, laxPods } from "../../test/builders/served-resource.ts";
import { createApiServer } from "./api-server.ts";
import type { ApiServer } from "./api-server.ts";
import { seededIds } from "./ids.ts";

async function started(): Promise<ApiServer> {
  const resources = [laxNamespaces, laxConfigMaps, laxPods];
  const server = createApiServer({ clock: new VirtualClock(), ids: seededIds(1), resources });
  await server.client.create(laxNamespaces, { metadata: { name: "one" } });
  await server.client.create(laxNamespaces, { metadata: { name: "two" } });
  return server;
}

const configMap = (name: string, more: Partial<KubeObject> = {}): KubeObject => ({
  ...more,
  metadata: { namespace: "one", name, ...more.metadata },
});

async function names(client: Client, selector: Parameters<Client["list"]>[1]): Promise<string[]> {
  const { items } = await client.list(laxConfigMaps, selector);
  return items.map((item) => `${item.metadata.namespace}/${item.metadata.name}`);
}

test("a created object can be read, with system fields set and frozen", async () => {
  const { client } = await started();
  const created = await client.create(laxConfigMaps, configMap("a", { data: { k: "v" } }));
  expect(created).toMatchObject({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "a", namespace: "one", creationTimestamp: expect.any(String) as string },
    data: { k: "v" },
  });
  expect(await client.get(laxConfigMaps, { namespace: "one", name: "a" })).toBe(created);
  expect(Object.isFrozen(created.metadata)).toBe(true);
});

test("lists are ordered, narrowed by namespace and selectors, and their items carry no type", async () => {
  const { client } = await started();
  for (const name of ["c", "a", "b"]) {
    await client.create(laxConfigMaps, configMap(name, { metadata: { labels: { name } } }));
  }
  await client.create(laxConfigMaps, configMap("x", { metadata: { namespace: "two" } }));
  expect(await names(client, {})).toEqual(["one/a", "one/b", "one/c", "two/x"]);
  expect(await names(client, { namespace: "two" })).toEqual(["two/x"]);
  expect(await names(client, { labelSelector: "name in (a,c)" })).toEqual(["one/a", "one/c"]);
  expect(await names(client, { fieldSelector: "metadata.name=x" })).toEqual(["two/x"]);
  const { items } = await client.list(laxConfigMaps);
  expect(items[0]).not.toHaveProperty("kind");
});

test("pages of one list show one state, whatever is written in between", async () => {
  const { client } = await started();
  for (const name of ["a", "b", "c", "d"]) await client.create(laxConfigMaps, configMap(name));
  const first = await client.list(laxConfigMaps, { limit: 2 });
  expect(first.metadata.remainingItemCount).toBe(2);
  await client.delete(laxConfigMaps, { namespace: "one", name: "c" });
  await client.create(laxConfigMaps, configMap("bb"));
  const second = await client.list(laxConfigMaps, { limit: 5, continue: first.metadata.continue });
  expect(second.items.map((item) => item.metadata.name)).toEqual(["c", "d"]);
  expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
});

test("an update with an old version is a conflict, an equal one writes nothing", async () => {
  const { client } = await started();
  const created = await client.create(laxConfigMaps, configMap("a"));
  const changed = await client.update(laxConfigMaps, { ...created, data: { k: "1" } });
  await expect(client.update(laxConfigMaps, { ...created, data: {} })).rejects.toMatchObject({
    code: 409,
    message:
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; ' +
      "please apply your changes to the latest version and try again",
  });
  const same = await client.update(laxConfigMaps, { ...changed });
  expect(same.metadata.resourceVersion).toBe(changed.metadata.resourceVersion);
});

async function watched(
  server: ApiServer,
  options: Parameters<Client["watch"]>[1],
  act: () => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = [];
  const stop = new AbortController();
  const done = server.client.watch(
    laxConfigMaps,
    { ...options, signal: stop.signal },
    (event: WatchEvent) => {
      const { name } = event.object.metadata;
      seen.push(`${event.type} ${String(name)}`);
    },
  );
  await act();
  await new VirtualClock().settle();
  stop.abort();
  await done;
  return seen;
}

test("a watch sends the state, then changes, and DELETED for what leaves its selector", async () => {
  const server = await started();
  const { client } = server;
  const labels = { app: "web" };
  const first = await client.create(laxConfigMaps, configMap("a", { metadata: { labels } }));
  const seen = await watched(server, { labelSelector: "app=web" }, async () => {
    await client.create(laxConfigMaps, configMap("other"));
    await client.create(laxConfigMaps, configMap("b", { metadata: { labels } }));
    await client.update(laxConfigMaps, { ...first, data: { k: "v" } });
    const metadata = { namespace: "one", name: "b" };
    await client.update(laxConfigMaps, { metadata });
    await client.delete(laxConfigMaps, metadata);
  });
  expect(seen).toEqual(["ADDED a", "ADDED b", "MODIFIED a", "DELETED b"]);
});

test("a watch from a version replays what came after it", async () => {
  const server = await started();
  const first = await server.client.create(laxConfigMaps, configMap("a"));
  await server.client.create(laxConfigMaps, configMap("b"));
  const { resourceVersion } = first.metadata;
  const seen = await watched(server, { resourceVersion }, () => Promise.resolve());
  expect(seen).toEqual(["ADDED b"]);
});

test("a watch from before the kept changes gets an error", async () => {
  const server = await started();
  const seen = await watched(server, { resourceVersion: "1" }, () => Promise.resolve());
  expect(seen).toEqual(["ERROR undefined"]);
});

test("a scheduled pod is deleted gracefully, an unscheduled one at once", async () => {
  const { client } = await started();
  const metadata = { namespace: "one", name: "p" };
  await client.create(laxPods, { metadata, spec: { nodeName: "node-1" } });
  await client.delete(laxPods, metadata);
  const terminating = await client.get(laxPods, metadata);
  expect(terminating.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 });
  await client.delete(laxPods, metadata, { gracePeriodSeconds: 0 });
  await expect(client.get(laxPods, metadata)).rejects.toMatchObject({ code: 404 });
  await client.create(laxPods, { metadata, spec: {} });
  await client.delete(laxPods, metadata);
  await expect(client.get(laxPods, metadata)).rejects.toMatchObject({ code: 404 });
});
