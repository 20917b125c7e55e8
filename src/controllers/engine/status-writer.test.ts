import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { Client } from "../../runtime/client.ts";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import { OwnerMemory } from "./per-owner.ts";
import { isStatusEcho, mergePatchTo, StatusWriter } from "./status-writer.ts";

interface Status {
  readonly ready: number;
  readonly at?: string;
}

interface Widget extends KubeObject {
  readonly status?: Status;
}

const widgets: Resource = {
  group: "",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  namespaced: true,
};

/** Ten ready widgets are what somebody waits for. */
function reported(before: { readonly status?: Status } = { status: { ready: 0 } }) {
  const clock = new VirtualClock(0);
  const written: unknown[] = [];
  const client = {
    patch: (_resource: unknown, _key: unknown, patch: { body: { status: unknown } }) =>
      Promise.resolve({ metadata: { resourceVersion: `${written.push(patch.body.status)}` } }),
  } as unknown as Client;
  const memory = new OwnerMemory();
  const writer = new StatusWriter<Status, Widget>({
    clock,
    memory,
    resource: widgets,
    isUrgent: (_object, { ready }) => ready === 10,
  });
  const object = { metadata: { name: "a" }, ...before };
  const write = (status: Status) => writer.write(client, object, status);
  const isEcho = (resourceVersion: string) =>
    writer.isEcho({ metadata: { name: "a", resourceVersion } });
  return { clock, written, write, isEcho, forget: () => memory.forget("a") };
}

test("what somebody waits for is written at once", async () => {
  const { written, write } = reported();
  expect(await write({ ready: 10 })).toBeUndefined();
  expect(written).toEqual([{ ready: 10 }]);
});

test("counters are written when they have rested, with the last word", async () => {
  const { clock, written, write } = reported();
  expect(await write({ ready: 1 })).toBe(2_000);
  await clock.runFor(1_500);
  expect(await write({ ready: 2 })).toBe(2_000);
  await clock.runFor(1_999);
  expect(await write({ ready: 2 })).toBe(1);
  await clock.runFor(1);
  expect(await write({ ready: 2 })).toBeUndefined();
  expect(written).toEqual([{ ready: 2 }]);
});

test("counters that never rest are written all the same", async () => {
  const { clock, written, write } = reported();
  for (let ready = 1; ready <= 4; ready++) {
    await write({ ready });
    await clock.runFor(1_000);
  }
  await write({ ready: 5 });
  expect(written).toEqual([{ ready: 5 }]);
});

test("a time that moves with every reconcile does not count as a move", async () => {
  const { clock, written, write } = reported();
  await write({ ready: 1, at: "2026-01-01T00:00:00Z" });
  await clock.runFor(1_000);
  expect(await write({ ready: 1, at: "2026-01-01T00:00:01Z" })).toBe(1_000);
  await clock.runFor(1_000);
  await write({ ready: 1, at: "2026-01-01T00:00:02Z" });
  expect(written).toHaveLength(1);
});

test("counters that are back where they were are not written", async () => {
  const { clock, written, write } = reported();
  await write({ ready: 1 });
  await clock.runFor(1_000);
  expect(await write({ ready: 0 })).toBeUndefined();
  await clock.runFor(1_000);
  expect(await write({ ready: 1 })).toBe(2_000);
  expect(written).toEqual([]);
});

test("the first status may take its time, unless it comes to a stop", async () => {
  const { clock, written, write } = reported({});
  expect(await write({ ready: 1 })).toBe(12_000);
  await clock.runFor(6_000);
  expect(await write({ ready: 2 })).toBe(12_000);
  await clock.runFor(12_000);
  await write({ ready: 2 });
  expect(written).toEqual([{ ready: 2 }]);
});

test("a first status that never comes to rest is written after half a minute", async () => {
  const { clock, written, write } = reported({});
  for (let ready = 1; ready <= 6; ready++) {
    await write({ ready });
    await clock.runFor(5_000);
  }
  await write({ ready: 7 });
  expect(written).toEqual([{ ready: 7 }]);
});

test("what could not be written is known all the same, of the same object only", async () => {
  const refusing = { patch: () => Promise.reject(new Error("no")) } as unknown as Client;
  const clock = new VirtualClock(0);
  const memory = new OwnerMemory();
  const writer = new StatusWriter<Status, Widget>({
    clock,
    memory,
    resource: widgets,
    isUrgent: () => true,
  });
  const object = { metadata: { name: "a", uid: "1" }, status: { ready: 0 } };
  await expect(writer.write(refusing, object, { ready: 10 })).rejects.toThrow("no");
  expect(writer.known(object)).toEqual({ ready: 10 });
  const successor = { metadata: { name: "a", uid: "2" } };
  expect(writer.known(successor)).toBeUndefined();
});

test("an object is known by its version to come back from the last write, until it is forgotten", async () => {
  const { write, isEcho, forget } = reported();
  expect(isEcho("1")).toBe(false);
  await write({ ready: 10 });
  expect([isEcho("1"), isEcho("2")]).toEqual([true, false]);
  forget();
  expect(isEcho("1")).toBe(false);
});

const patches: Record<string, { before: unknown; after: unknown; want: unknown }> = {
  "equal values need no patch": {
    before: { a: { b: 1 } },
    after: { a: { b: 1 } },
    want: undefined,
  },
  "only what differs is written": {
    before: { a: 1, b: { c: 1, d: 2 } },
    after: { a: 1, b: { c: 1, d: 3 } },
    want: { b: { d: 3 } },
  },
  "what goes becomes null": {
    before: { a: { b: 1, c: 2 } },
    after: { a: { b: 1 } },
    want: { a: { c: null } },
  },
  "lists are replaced as a whole": { before: { a: [1, 2] }, after: { a: [2] }, want: { a: [2] } },
  "undefined is absent": { before: {}, after: { a: undefined }, want: undefined },
  "what was never there comes whole": { before: undefined, after: { a: 1 }, want: { a: 1 } },
};

test.each(Object.entries(patches))("%s", (_name, { before, after, want }) => {
  expect(mergePatchTo(before, after)).toEqual(want);
});

const clique: KubeObject = {
  metadata: { name: "web", generation: 1, labels: { a: "1" }, resourceVersion: "1" },
  spec: { replicas: 2 },
};
const plain: KubeObject = { metadata: { name: "web" }, spec: { replicas: 2 } };
const later = (metadata: KubeObject["metadata"]): KubeObject => ({
  ...clique,
  metadata: { ...clique.metadata, ...metadata },
});

const cases: Record<string, { old: KubeObject; object: KubeObject; want: boolean }> = {
  "a status was written": {
    old: clique,
    object: { ...later({ resourceVersion: "2" }), status: { replicas: 2 } },
    want: true,
  },
  "the spec changed": { old: clique, object: later({ generation: 2 }), want: false },
  "a label changed": { old: clique, object: later({ labels: { a: "2" } }), want: false },
  "an annotation came": { old: clique, object: later({ annotations: { b: "1" } }), want: false },
  "a finalizer came": { old: clique, object: later({ finalizers: ["x"] }), want: false },
  "it is to go": {
    old: clique,
    object: later({ deletionTimestamp: "2026-01-01T00:00:00Z" }),
    want: false,
  },
  "without a generation the spec itself shows it": {
    old: plain,
    object: { ...plain, spec: { replicas: 3 } },
    want: false,
  },
};

test.each(Object.entries(cases))("an echo of a status, or more: %s", (_name, each) => {
  const { old, object, want } = each;
  expect(isStatusEcho({ type: "updated", old, object })).toBe(want);
});
