import { expect, test } from "vitest";
import { MemoryServer, refused } from "../../test/builders/memory-server.ts";
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { ApiError } from "../api/status.ts";
import { Cache } from "./cache.ts";
import type { Reconcile } from "./controller.ts";
import { Controller, watch } from "./controller.ts";
import { restClient } from "./rest-client.ts";
import { systemClock } from "./system-clock.ts";
import { VirtualClock } from "./virtual-clock.ts";

const widgets: Resource = {
  group: "",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  namespaced: false,
};
const path = "/api/v1/widgets";
const widget = (name: string): KubeObject => ({ metadata: { name } });

async function started(reconcileWith: (cache: Cache) => Reconcile) {
  const server = new MemoryServer();
  const clock = new VirtualClock(0);
  const client = restClient(server);
  const cache = new Cache({ client, clock, resource: widgets });
  cache.start();
  const controller = new Controller({
    name: "widgets",
    client,
    clock,
    watches: [watch(cache)],
    reconcile: reconcileWith(cache),
    workers: 4,
  });
  await controller.start();
  return { server, clock, cache, controller };
}

test("every changed key is reconciled", async () => {
  const seen: string[] = [];
  const { server, clock } = await started(() => async (key) => {
    seen.push(key.name);
  });
  server.put(path, widget("a"));
  server.put(path, widget("b"));
  await clock.settle();
  expect(seen).toEqual(["a", "b"]);
});

test("one key is never at work twice, different keys are at work together", async () => {
  const running = new Map<string, number>();
  const most = { ofOne: 0, together: 0 };
  const { server, clock, controller } = await started(() => async (key) => {
    running.set(key.name, (running.get(key.name) ?? 0) + 1);
    most.ofOne = Math.max(most.ofOne, running.get(key.name) ?? 0);
    most.together = Math.max(
      most.together,
      [...running.values()].filter((count) => count > 0).length,
    );
    await new Promise<void>((resolve) => clockRef.after(100, resolve));
    running.set(key.name, (running.get(key.name) ?? 0) - 1);
  });
  const clockRef = clock;
  for (let turn = 0; turn < 20; turn++) {
    for (const name of ["a", "b", "c"]) server.put(path, widget(name));
    controller.queue.add("a");
    await clock.runFor(30);
  }
  await clock.runFor(1_000);
  expect(most).toEqual({ ofOne: 1, together: 3 });
});

test("a failure is retried with growing delays, a recheck comes when asked for", async () => {
  const at: number[] = [];
  const { server, clock } = await started(() => async () => {
    at.push(clockRef.now());
    if (at.length < 3) throw new ApiError(refused(500, "InternalError"));
    return at.length === 3 ? { recheckAfterMs: 1000 } : {};
  });
  const clockRef = clock;
  server.put(path, widget("a"));
  await clock.runFor(10_000);
  expect(at).toEqual([0, 50, 150, 1150]);
});

test("a key is not reconciled before the cache shows its own last write", async () => {
  const versions: (string | undefined)[] = [];
  const { server, clock, controller } = await started((cache) => async (key, client) => {
    const object = cache.get(key);
    versions.push(object?.metadata.resourceVersion);
    if (versions.length === 1) await client.update(widgets, { ...widget("a"), spec: 1 });
  });
  server.put(path, widget("a"));
  server.silenceStreams();
  controller.queue.add("a");
  await clock.settle();
  controller.queue.add("a");
  await clock.runFor(10_000);
  expect(versions).toEqual(["101"]);
  server.endStreams();
  await clock.runFor(1000);
  expect(versions).toEqual(["101", "102"]);
});

test("a key is not reconciled before the cache shows its own delete", async () => {
  const seen: boolean[] = [];
  const { server, clock, controller } = await started((cache) => async (key, client) => {
    const object = cache.get(key);
    seen.push(object !== undefined);
    if (object !== undefined) await client.delete(widgets, key, { uid: object.metadata.uid });
  });
  server.put(path, widget("a"));
  server.silenceStreams();
  await clock.settle();
  controller.queue.add("a");
  await clock.runFor(10_000);
  expect(seen).toEqual([true]);
  server.endStreams();
  await clock.runFor(1000);
  expect(seen).toEqual([true, false]);
});

test("a key is not reconciled before the cache shows that its object went with the last finalizer", async () => {
  const seen: boolean[] = [];
  const { server, clock, controller } = await started((cache) => async (key, client) => {
    const object = cache.get(key);
    seen.push(object !== undefined);
    if (object?.metadata.finalizers?.length !== 1) return;
    await client.update(widgets, { ...object, metadata: { ...object.metadata, finalizers: [] } });
  });
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  server.put(path, { metadata: { name: "a", deletionTimestamp, finalizers: ["example.com/x"] } });
  await clock.settle();
  controller.queue.add("a");
  await clock.runFor(10_000);
  expect(seen).toEqual([true]);
  server.remove(path, "a");
  await clock.runFor(1000);
  expect(seen).toEqual([true, false]);
});

test("a stop waits for the reconcile at work", async () => {
  const log: string[] = [];
  const { server, clock, controller } = await started(() => async () => {
    await new Promise<void>((resolve) => clockRef.after(100, resolve));
    log.push("reconciled");
  });
  const clockRef = clock;
  server.put(path, widget("a"));
  await clock.settle();
  void controller.stop().then(() => log.push("stopped"));
  await clock.runFor(1000);
  expect(log).toEqual(["reconciled", "stopped"]);
});

test("a reconcile replaces every delayed one that was requested before it", async () => {
  const at: number[] = [];
  const { server, clock, controller } = await started(() => async () => {
    at.push(clockRef.now());
  });
  const clockRef = clock;
  controller.queue.addAfter("a", 500);
  await clock.runFor(100);
  server.put(path, widget("a"));
  await clock.runFor(2_000);
  expect(at).toEqual([100]);
});

test("a delayed reconcile stays due when an earlier one fails, and so does one requested meanwhile", async () => {
  const at: number[] = [];
  const { server, clock, controller } = await started(() => async () => {
    at.push(clockRef.now());
    if (at.length === 1) throw new ApiError(refused(500, "InternalError"));
    if (at.length === 2) controller.queue.addAfter("a", 300);
  });
  const clockRef = clock;
  controller.queue.addAfter("a", 20);
  server.put(path, widget("a"));
  await clock.runFor(2_000);
  expect(at).toEqual([0, 20, 320]);
});

test("changes that may wait are reconciled together, those that matter at once, others never", async () => {
  const server = new MemoryServer();
  const clock = new VirtualClock(0);
  const client = restClient(server);
  const cache = new Cache({ client, clock, resource: widgets });
  cache.start();
  const seen: string[] = [];
  const dues: Readonly<Record<string, number | undefined>> = { calm: 100, urgent: 0 };
  const controller = new Controller({
    name: "widgets",
    client,
    clock,
    watches: [
      watch(
        cache,
        () => ["all"],
        ({ object }) => dues[object.metadata.name ?? ""],
      ),
    ],
    reconcile: async () => void seen.push(`${clock.now()}`),
  });
  await controller.start();
  for (const name of ["calm", "none"]) server.put(path, widget(name));
  await clock.runFor(50);
  server.put(path, widget("calm"));
  await clock.runFor(100);
  server.put(path, widget("calm"));
  server.put(path, widget("urgent"));
  await clock.runFor(500);
  expect(seen).toEqual(["100", "150"]);
});

test("OP5 a controller whose caches never synced stops at once, and its start ends", async () => {
  const server = new MemoryServer();
  const clock = new VirtualClock(0);
  server.refusals.push(...Array.from({ length: 50 }, () => refused(500, "InternalError")));
  const client = restClient(server);
  const cache = new Cache({ client, clock, resource: widgets });
  cache.start();
  const seen: string[] = [];
  const reconcile: Reconcile = async ({ name }) => void seen.push(name);
  const controller = new Controller({
    name: "w",
    client,
    clock,
    watches: [watch(cache)],
    reconcile,
  });
  let isOver = false;
  void controller.start().then(() => (isOver = true));
  controller.queue.add("a");
  await clock.runFor(1_000);
  expect([isOver, controller.isReady]).toEqual([false, false]);
  await controller.stop();
  await clock.settle();
  expect(isOver).toBe(true);
  expect(seen).toEqual([]);
});

test("OP5 halting drops what nobody has begun", async () => {
  const seen: string[] = [];
  let finish: () => void = () => undefined;
  const { server, clock, controller } = await started(() => async ({ name }) => {
    seen.push(name);
    await new Promise<void>((resolve) => (finish = resolve));
  });
  for (const name of ["a", "b", "c", "d", "e", "f"]) server.put(path, widget(name));
  await clock.settle();
  controller.halt();
  finish();
  server.put(path, widget("g"));
  await clock.runFor(1_000);
  expect(seen).toEqual(["a", "b", "c", "d"]);
});

test("OP1 however many keys take long, timers get their turn in between", async () => {
  const clock = systemClock();
  const seen: string[] = [];
  const controller = new Controller({
    name: "busy",
    client: restClient(new MemoryServer()),
    clock,
    watches: [],
    async reconcile({ name }) {
      const endMs = performance.now() + 5;
      while (performance.now() < endMs) seen.at(-1);
      seen.push(name);
    },
  });
  for (let index = 0; index < 100; index++) controller.queue.add(`default/${index}`);
  clock.after(1, () => seen.push("timer"));
  await controller.start();
  await controller.stop();
  expect(seen).toHaveLength(101);
  expect(seen.at(-1)).not.toBe("timer");
});

test("OP1 a reconcile that throws whatever hurts its own key only", async () => {
  const seen: string[] = [];
  const { server, clock } = await started(() => ({ name }) => {
    seen.push(name);
    // Not even an Error, and not even a promise.
    if (name === "bad") throw null;
    return Promise.resolve();
  });
  for (const name of ["bad", "a", "b"]) server.put(path, widget(name));
  await clock.runFor(1_000);
  server.put(path, widget("c"));
  await clock.runFor(1_000);
  expect(seen.filter((name) => name !== "bad")).toEqual(["a", "b", "c"]);
  expect(seen.filter((name) => name === "bad").length).toBeGreaterThan(2);
});
