import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import type { EventRecorder, EventText } from "../../runtime/event-recorder.ts";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import { ActionEvents } from "./action-events.ts";

const reasons = { deleted: "Deleted", created: "Created", updating: "Updating" };
const set: KubeObject = { metadata: { name: "chat", uid: "1" } };

function recorded() {
  const clock = new VirtualClock(0);
  const reported: string[] = [];
  const happened: (readonly [firstMs: number | undefined, lastMs: number | undefined])[] = [];
  const events: EventRecorder = {
    record: (about, { message }: EventText, details) => {
      reported.push(`${about.metadata.name}: ${message}`);
      happened.push([details?.happened?.firstMs, details?.happened?.lastMs]);
    },
    takeNumber: () => 0,
    flush: () => Promise.resolve(),
  };
  const actions = new ActionEvents(clock, events, reasons);
  const add = (created: readonly string[], deleted: readonly string[] = []) =>
    actions.add(set, { created, deleted });
  return { clock, reported, happened, actions, add };
}

test("what happens together is reported together", async () => {
  const { clock, reported, add } = recorded();
  add(["a"]);
  add(["b"], ["z"]);
  add(["c", "d", "e", "f", "g"]);
  expect(reported).toEqual([]);
  await clock.runFor(1_000);
  expect(reported).toEqual(["chat: deleted pod z", "chat: created pods a, b, c, d, e and 2 more"]);
});

test("a name that comes back is listed once, with how often", async () => {
  const { clock, reported, actions, add } = recorded();
  add(["a"], ["a"]);
  add(["b", "a"], ["a"]);
  actions.add(set, { updating: ["chat-0", "chat-0", "chat-0"] });
  await clock.runFor(1_000);
  expect(reported).toEqual([
    "chat: deleted pod a (2 times)",
    "chat: created pods a (2 times), b",
    "chat: updating replica chat-0 (3 times)",
  ]);
});

test("what happens later is reported once in a while", async () => {
  const { clock, reported, add } = recorded();
  add(["a"]);
  await clock.runFor(2_000);
  add(["b"]);
  add(["c"]);
  await clock.runFor(28_000);
  expect(reported).toEqual(["chat: created pod a"]);
  await clock.runFor(1_000);
  expect(reported).toEqual(["chat: created pod a", "chat: created pods b, c"]);
});

test("what is reported later has the times at which it happened", async () => {
  const { clock, happened, add } = recorded();
  add(["a"]);
  await clock.runFor(5_000);
  add(["b"], ["z"]);
  await clock.runFor(3_000);
  add(["c"]);
  await clock.runFor(60_000);
  expect(happened).toEqual([
    [0, 0],
    [5_000, 5_000],
    [5_000, 8_000],
  ]);
});

test("what goes on and on is reported ever more rarely, but never later than after two minutes", async () => {
  const { clock, reported, add } = recorded();
  const reports: number[] = [];
  for (let second = 0; second < 600; second += 1) {
    add([`pod-${second}`]);
    await clock.runFor(1_000);
    if (reported.length > reports.length) reports.push(second + 1);
  }
  expect(reports).toEqual([1, 31, 91, 211, 331, 451, 571]);
});

test("after a quiet time the next action is reported soon again", async () => {
  const { clock, reported, add } = recorded();
  add(["a"]);
  await clock.runFor(60_000);
  add(["b"]);
  await clock.runFor(1_000);
  expect(reported).toEqual(["chat: created pod a", "chat: created pod b"]);
});

test("nothing stays unreported at the end", async () => {
  const { clock, reported, actions, add } = recorded();
  add(["a"]);
  await actions.flush();
  await clock.runFor(60_000);
  expect(reported).toEqual(["chat: created pod a"]);
});

test("what comes before another event is reported at once, and nothing twice", async () => {
  const { clock, reported, actions, add } = recorded();
  add(["a"]);
  await clock.runFor(2_000);
  actions.add(set, { updating: ["chat-0", "chat-1"] });
  actions.reportNow(set);
  expect(reported).toEqual(["chat: created pod a", "chat: updating replicas chat-0, chat-1"]);
  await clock.runFor(60_000);
  expect(reported).toHaveLength(2);
});
