import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { OwnerMemory } from "./per-owner.ts";

const owner = (uid: string): KubeObject => ({
  metadata: { namespace: "default", name: "chat", uid },
});

test("a memory belongs to one incarnation, and all memories of an owner are forgotten at once", () => {
  const memory = new OwnerMemory();
  const forgotten: string[] = [];
  const notes = memory.perOwner<string[]>(
    () => [],
    (kept) => forgotten.push(...kept),
  );
  const counts = memory.perOwner(() => ({ value: 0 }));
  notes.of(owner("1")).push("first");
  counts.of(owner("1")).value++;
  expect([notes.of(owner("1")), counts.of(owner("1"))]).toEqual([["first"], { value: 1 }]);
  notes.of(owner("2")).push("second");
  expect([forgotten, notes.peek("default/chat")]).toEqual([["first"], ["second"]]);
  memory.forget("default/chat");
  expect([forgotten, notes.size, counts.size]).toEqual([["first", "second"], 0, 0]);
});
