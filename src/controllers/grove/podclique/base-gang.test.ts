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
  { told: "True", isOnNodes: true, isScheduled: true, doubt: false },
  { told: "True", isOnNodes: false, isScheduled: false, doubt: true },
  { told: "False", isOnNodes: true, isScheduled: false, doubt: false },
  { told: "False", isOnNodes: false, isScheduled: false, doubt: false },
] as const)(
  "GA6 Scheduled=$told with somebody on a node $isOnNodes: scheduled $isScheduled, looked at again $doubt",
  ({ told, isOnNodes, isScheduled, doubt }) => {
    expect(hasBeenScheduled(base(told, isOnNodes))).toBe(isScheduled);
    expect(isInDoubt(base(told, isOnNodes))).toBe(doubt);
  },
);
