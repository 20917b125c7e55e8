/** The log of rollouts: one line for each step, none for what is being deleted. */
import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { OwnerMemory } from "./per-owner.ts";
import type { RolloutStep } from "./rollout-steps.ts";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import { RolloutFollower } from "./rollout-steps.ts";

const status = (reason: string, message = "") => ({
  conditions: [{ type: "Progressing", status: "True", reason, message } as const],
});
const chat: KubeObject = { metadata: { namespace: "default", name: "chat", uid: "1" } };

function follower() {
  const steps: RolloutStep[] = [];
  const clock = new VirtualClock();
  const memory = new OwnerMemory();
  const onStep = (step: RolloutStep): number => steps.push(step);
  const log = new RolloutFollower({ clock, memory, kind: "PodClique", onStep });
  return {
    clock,
    follow: log.follow.bind(log),
    leave: log.leave.bind(log),
    forget: () => memory.forget("default/chat"),
    reasons: () => steps.map(({ object, reason }) => `${object} ${reason}`),
    last: () => steps.at(-1)?.message,
  };
}

test("another reason is a step, counters are none, and what was known before is no news", () => {
  const { follow, reasons } = follower();
  follow({ ...chat, status: status("RolledOut") }, status("RolledOut"));
  follow(chat, status("Replacing", "1 of 2"));
  follow(chat, status("Replacing", "2 of 2"));
  follow(chat, status("RolledOut"));
  expect(reasons()).toEqual(["default/chat Replacing", "default/chat RolledOut"]);
});

test("what holds a step up is reported as soon as it is known, and once", () => {
  const { follow, reasons } = follower();
  const pull = 'web-0: ImagePullBackOff: Back-off pulling image "web:v9"';
  follow(chat, status("SurgeNotAvailable", "waiting for web-0 (surge) to become available"));
  follow(
    chat,
    status("SurgeNotAvailable", "waiting for web-0 (surge) to become available; 1 of 3"),
  );
  follow(chat, status("SurgeNotAvailable", `waiting for web-0 (surge); ${pull}`));
  follow(chat, status("SurgeNotAvailable", `waiting for web-0 (surge); ${pull}: no such tag`));
  expect(reasons()).toEqual(["default/chat SurgeNotAvailable", "default/chat SurgeNotAvailable"]);
});

test("what is being deleted rolls nothing out", () => {
  const { follow, reasons } = follower();
  const metadata = { ...chat.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
  follow({ ...chat, metadata }, status("UnitNotAvailable", "waiting for web-0 (new) to terminate"));
  expect(reasons()).toEqual([]);
});

const terminating = status("UnitTerminating", "waiting for web-0 (new) to terminate");

test("pods that go with all of it are no step; its end is one", async () => {
  const { clock, follow, forget, reasons, last } = follower();
  follow(chat, status("RolledOut"));
  follow(chat, terminating);
  await clock.runFor(1_000);
  forget();
  await clock.runFor(10_000);
  expect(reasons()).toEqual(["default/chat RolledOut", "default/chat Ended"]);
  expect(last()).toBe("nothing of it is rolled out any more");
});

test("pods that go by themselves are a step a moment later, or before the next one", async () => {
  const { clock, follow, reasons } = follower();
  follow(chat, status("RolledOut"));
  follow(chat, terminating);
  expect(reasons()).toEqual(["default/chat RolledOut"]);
  await clock.runFor(2_000);
  expect(reasons().at(-1)).toBe("default/chat UnitTerminating");
  follow(chat, status("RolledOut"));
  follow(chat, status("UnitNotAvailable"));
  follow(chat, status("Creating"));
  expect(reasons().slice(3)).toEqual(["default/chat UnitNotAvailable", "default/chat Creating"]);
});

test("what was down for a moment only is no step", async () => {
  const { clock, follow, reasons } = follower();
  follow(chat, status("RolledOut"));
  follow(chat, status("UnitNotAvailable"));
  await clock.runFor(1_500);
  follow(chat, status("RolledOut"));
  await clock.runFor(10_000);
  expect(reasons()).toEqual(["default/chat RolledOut"]);
});

test("a deletion is reported when it is requested, once", () => {
  const { follow, leave, forget, reasons, last } = follower();
  follow(chat, status("Replacing"));
  leave({ ...chat, status: status("Replacing") });
  leave({ ...chat, status: status("Replacing") });
  forget();
  expect(reasons()).toEqual(["default/chat Replacing", "default/chat Ended"]);
  expect(last()).toBe("its deletion was requested: it is not rolled out any more");
});

test("a part ends with what it belongs to, unless something was under way in it", () => {
  const { follow, forget, reasons } = follower();
  const owner = { apiVersion: "v1", kind: "X", name: "x", uid: "2", controller: true };
  const part = { metadata: { ...chat.metadata, ownerReferences: [owner] } };
  follow(part, status("RolledOut"));
  forget();
  expect(reasons()).toEqual(["default/chat RolledOut"]);
  follow(part, status("Replacing"));
  forget();
  expect(reasons().slice(1)).toEqual(["default/chat Replacing", "default/chat Ended"]);
});

test("what reports no rollout ends without a word", () => {
  const { leave, forget, reasons } = follower();
  leave(chat);
  forget();
  expect(reasons()).toEqual([]);
});
