/** The log of rollouts: one line for each step, none for what is being deleted. */
import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { OwnerMemory } from "./per-owner.ts";
import type { RolloutStep } from "./rollout-steps.ts";
import { rolloutFollower } from "./rollout-steps.ts";

const status = (reason: string, message = "") => ({
  conditions: [{ type: "Progressing", status: "True", reason, message } as const],
});
const chat: KubeObject = { metadata: { namespace: "default", name: "chat", uid: "1" } };

function follower() {
  const steps: RolloutStep[] = [];
  const follow = rolloutFollower(new OwnerMemory(), "PodClique", (step) => steps.push(step));
  return { follow, reasons: () => steps.map(({ object, reason }) => `${object} ${reason}`) };
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
