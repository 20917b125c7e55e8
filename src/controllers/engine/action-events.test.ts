import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import type { EventRecorder, EventText } from "../../runtime/event-recorder.ts";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import { DeedReporter } from "./action-events.ts";

const set: KubeObject = { metadata: { name: "chat", uid: "1" } };

function recorded() {
  const clock = new VirtualClock(0);
  const told: string[] = [];
  const events: EventRecorder = {
    record: (about, { message }: EventText) => told.push(`${about.metadata.name}: ${message}`),
    takeNumber: () => 0,
    flush: () => Promise.resolve(),
  };
  const deeds = new DeedReporter(clock, events);
  const note = (created: readonly string[], deleted: readonly string[] = []) =>
    deeds.note(set, { created, deleted });
  return { clock, told, deeds, note };
}

test("what happens together is told together", async () => {
  const { clock, told, note } = recorded();
  note(["a"]);
  note(["b"], ["z"]);
  note(["c", "d", "e", "f", "g"]);
  expect(told).toEqual([]);
  await clock.runFor(1_000);
  expect(told).toEqual(["chat: deleted pod z", "chat: created pods a, b, c, d, e and 2 more"]);
});

test("what happens later is told once in a while", async () => {
  const { clock, told, note } = recorded();
  note(["a"]);
  await clock.runFor(2_000);
  note(["b"]);
  note(["c"]);
  await clock.runFor(28_000);
  expect(told).toEqual(["chat: created pod a"]);
  await clock.runFor(1_000);
  expect(told).toEqual(["chat: created pod a", "chat: created pods b, c"]);
});

test("what goes on and on is told ever more rarely, but never later than after two minutes", async () => {
  const { clock, told, note } = recorded();
  const tellings: number[] = [];
  for (let second = 0; second < 600; second += 1) {
    note([`pod-${second}`]);
    await clock.runFor(1_000);
    if (told.length > tellings.length) tellings.push(second + 1);
  }
  expect(tellings).toEqual([1, 31, 91, 211, 331, 451, 571]);
});

test("after a quiet time the next deed is told soon again", async () => {
  const { clock, told, note } = recorded();
  note(["a"]);
  await clock.runFor(60_000);
  note(["b"]);
  await clock.runFor(1_000);
  expect(told).toEqual(["chat: created pod a", "chat: created pod b"]);
});

test("nothing stays untold at the end", async () => {
  const { clock, told, deeds, note } = recorded();
  note(["a"]);
  await deeds.flush();
  await clock.runFor(60_000);
  expect(told).toEqual(["chat: created pod a"]);
});

test("who waits for what comes next has it told at once, and nothing twice", async () => {
  const { clock, told, deeds, note } = recorded();
  note(["a"]);
  await clock.runFor(2_000);
  deeds.note(set, { updating: ["chat-0", "chat-1"] });
  deeds.tellNow(set);
  expect(told).toEqual(["chat: created pod a", "chat: updating replicas chat-0, chat-1"]);
  await clock.runFor(60_000);
  expect(told).toHaveLength(2);
});
