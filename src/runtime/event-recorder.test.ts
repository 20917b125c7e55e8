import { expect, test } from "vitest";
import { MemoryServer } from "../../test/builders/memory-server.ts";
import type { KubeObject } from "../api/object.ts";
import type { Client } from "./client.ts";
import { eventRecorder, eventResource, mostWaiting } from "./event-recorder.ts";
import { restClient } from "./rest-client.ts";
import { VirtualClock } from "./virtual-clock.ts";

const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-0", namespace: "default", uid: "u1" },
};

function recorderOn(server: MemoryServer) {
  const clock = new VirtualClock(0);
  const client = restClient(server);
  const recorder = eventRecorder({ client, clock, component: "kubelet", host: "node-0" });
  const events = async () =>
    (await client.list(eventResource, { namespace: "default" })).items.map(
      (event) => `${event.count as number}x ${event.reason as string}: ${event.message as string}`,
    );
  return { clock, recorder, events };
}

test("a repeated event is counted, another message is another event", async () => {
  const server = new MemoryServer();
  const { clock, recorder, events } = recorderOn(server);
  const backOff = { type: "Warning", reason: "BackOff", message: "restarting" } as const;
  recorder.record(pod, backOff);
  recorder.record(pod, backOff);
  recorder.record(pod, { ...backOff, message: "pulling" });
  await clock.settle();
  expect(await events()).toEqual(["2x BackOff: restarting", "1x BackOff: pulling"]);
});

test("an event that is recorded later has the times at which it happened", async () => {
  const server = new MemoryServer();
  const { clock, recorder } = recorderOn(server);
  await clock.runFor(60_000);
  const text = { type: "Normal", reason: "Created", message: "created pods" } as const;
  recorder.record(pod, text, { happened: { firstMs: 10_000, lastMs: 20_000 } });
  recorder.record(pod, text, { happened: { firstMs: 30_000, lastMs: 40_000 } });
  recorder.record(pod, { ...text, message: "now" });
  await clock.settle();
  const { items } = await restClient(server).list(eventResource, { namespace: "default" });
  const shown = ["firstTimestamp", "lastTimestamp", "count"] as const;
  expect(items.map((event) => shown.map((field) => event[field]))).toEqual([
    ["1970-01-01T00:00:10Z", "1970-01-01T00:00:40Z", 3],
    ["1970-01-01T00:01:00Z", "1970-01-01T00:01:00Z", 1],
  ]);
});

test("many different messages are combined into one event", async () => {
  const { clock, recorder, events } = recorderOn(new MemoryServer());
  for (let index = 0; index < 15; index++) {
    recorder.record(pod, { type: "Normal", reason: "Tick", message: `tick ${index}` });
  }
  await clock.settle();
  const recorded = await events();
  expect(recorded).toHaveLength(11);
  expect(recorded.at(-1)).toBe("5x Tick: (combined from similar events): tick 14");
});

test("a message as long as an object is cut, and of many only the first are kept", async () => {
  const { clock, recorder, events } = recorderOn(new MemoryServer());
  for (let index = 0; index < 30; index++) {
    const message = `${index} is ignored: ${"x".repeat(200_000)}`;
    recorder.record(pod, { type: "Warning", reason: "Ignored", message });
  }
  await clock.settle();
  const recorded = await events();
  expect(recorded).toHaveLength(11);
  const lengths = recorded.map((event) => event.length);
  expect(Math.max(...lengths)).toBeLessThan(1_100);
  expect(recorded[0]).toMatch(/^1x Ignored: 0 is ignored: x+\.\.\.$/);
});

test("while the server takes no events only so many wait, with what they are about and no more", async () => {
  const clock = new VirtualClock(0);
  const created: KubeObject[] = [];
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const problems: unknown[] = [];
  const recorder = eventRecorder({
    client: {
      create: (_resource: unknown, event: KubeObject) => opened.then(() => created.push(event)),
    } as unknown as Client,
    clock,
    component: "lockstep",
    onProblem: (problem) => problems.push(String(problem)),
  });
  const text = { type: "Normal", reason: "Created" } as const;
  for (let index = 0; index < 3 * mostWaiting; index++) {
    const metadata = { ...pod.metadata, uid: `u${index}` };
    recorder.record({ ...pod, metadata }, { ...text, message: "created" });
  }
  await clock.runFor(3_600_000);
  open();
  await recorder.flush();
  expect(created).toHaveLength(mostWaiting);
  expect(problems).toEqual([
    `Error: ${mostWaiting} events wait to be written: what happens meanwhile is not recorded`,
  ]);
  // It happened when it was recorded, not when it could be written.
  expect(created.at(-1)).toMatchObject({ lastTimestamp: "1970-01-01T00:00:00Z" });
  recorder.record(pod, { ...text, message: "later" });
  await recorder.flush();
  expect(created.at(-1)).toMatchObject({ message: "later" });
});

test("an event that the server has dropped is created again", async () => {
  const server = new MemoryServer();
  const { clock, recorder, events } = recorderOn(server);
  const killing = { type: "Normal", reason: "Killing", message: "stopping" } as const;
  recorder.record(pod, killing);
  await clock.settle();
  const path = "/api/v1/namespaces/default/events";
  server.remove(
    path,
    (await restClient(server).list(eventResource, { namespace: "default" })).items[0]!.metadata
      .name!,
  );
  recorder.record(pod, killing);
  await clock.settle();
  expect(await events()).toEqual(["1x Killing: stopping"]);
});
