import { expect, test } from "vitest";
import { hasBeenScheduled, isInDoubt } from "./base-gang.ts";

const base = (status: "True" | "False", isOnNodes: boolean) => ({
  name: "chat-0",
  isOnNodes,
  object: {
    metadata: { name: "chat-0" },
    spec: { podgroups: [] },
    status: { phase: "Pending" as const, conditions: [{ type: "Scheduled", status }] },
  },
});

test.each([
  { status: "True", isOnNodes: true, isScheduled: true, doubt: false },
  { status: "True", isOnNodes: false, isScheduled: false, doubt: true },
  { status: "False", isOnNodes: true, isScheduled: false, doubt: false },
  { status: "False", isOnNodes: false, isScheduled: false, doubt: false },
] as const)(
  "GA6 Scheduled=$status with a pod on a node $isOnNodes: scheduled $isScheduled, requeued $doubt",
  ({ status, isOnNodes, isScheduled, doubt }) => {
    expect(hasBeenScheduled(base(status, isOnNodes))).toBe(isScheduled);
    expect(isInDoubt(base(status, isOnNodes))).toBe(doubt);
  },
);
