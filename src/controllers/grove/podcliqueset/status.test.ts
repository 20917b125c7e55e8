import { expect, test } from "vitest";
import type { PodCliqueSet, PodCliqueSetStatus } from "../../../api/grove/podcliqueset.ts";
import { isUrgent } from "./status.ts";

const setOf = (type: string, status: PodCliqueSetStatus): PodCliqueSet => ({
  metadata: { name: "chat" },
  spec: { replicas: 2, updateStrategy: { type }, template: { cliques: [] } } as never,
  status,
});

function statusOf(
  availableReplicas: number,
  conditions: Record<string, string>,
): PodCliqueSetStatus {
  const listed = Object.entries(conditions).map(([type, status]) => ({ type, status }));
  return { replicas: 2, availableReplicas, conditions: listed } as never;
}

const rest = {
  Available: "True",
  Progressing: "False",
  Reconciling: "False",
  SpecAccepted: "True",
};
const loss = { ...rest, Available: "False", Progressing: "True", Reconciling: "True" };
const whole = statusOf(2, rest);
const short = statusOf(1, loss);

test.each([
  { what: "OnDelete: a pod was deleted", before: whole, after: short, want: false },
  { what: "OnDelete: it is back", before: short, after: whole, want: true },
  {
    what: "OnDelete: a pod was deleted, and nothing moves any more",
    before: whole,
    after: statusOf(1, { ...loss, Stalled: "True" }),
    want: true,
  },
  {
    what: "OnDelete: a pod was deleted, and more replicas are wanted",
    before: whole,
    after: { ...short, observedGeneration: 2 },
    want: true,
  },
  { what: "ReplicaRecreate: a pod was lost", before: whole, after: short, want: true },
])("$what: urgent $want", ({ what, before, after, want }) => {
  const [type = ""] = what.split(":");
  expect(isUrgent(setOf(type, before), after)).toBe(want);
});
