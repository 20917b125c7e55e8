import { expect, test } from "vitest";
import { conditionTypes } from "../../../api/grove/conditions.ts";
import type { PodClique, PodCliqueStatus } from "../../../api/grove/podclique.ts";
import { isUrgent } from "./status.ts";

const cliqueWith = (status: PodCliqueStatus | undefined): PodClique => ({
  apiVersion: "grove.io/v1alpha1",
  kind: "PodClique",
  metadata: { name: "chat-0-work" },
  spec: { roleName: "work", replicas: 2, podSpec: { containers: [] } },
  ...(status === undefined ? {} : { status }),
});

const statusOf = (readyReplicas: number, more: Partial<PodCliqueStatus> = {}): PodCliqueStatus => ({
  observedGeneration: 1,
  replicas: 2,
  readyReplicas,
  updatedReplicas: 2,
  scheduleGatedReplicas: 0,
  scheduledReplicas: 2,
  ...more,
});
const breached = {
  conditions: [{ type: conditionTypes.minAvailableBreached, status: "True" as const }],
};
const progressing = (status: "True" | "False", reason = "UnitNotAvailable") => ({
  conditions: [{ type: "Progressing", status, reason }],
});
const updating: Partial<PodCliqueStatus> = { updateProgress: { updateStartedAt: "now" } as never };
const failed = { lastErrors: [{ code: "ERR_SYNC_PODS", description: "quota", observedAt: "" }] };
const endedAt = (time: string): Partial<PodCliqueStatus> => ({
  updateProgress: { updateStartedAt: "", updateEndedAt: time } as never,
});

test.each([
  { what: "all pods are ready", before: statusOf(1), after: statusOf(2), want: true },
  {
    what: "all pods are ready while its update goes on",
    before: statusOf(1, updating),
    after: statusOf(2, updating),
    want: false,
  },
  { what: "more pods are ready", before: statusOf(0), after: statusOf(1), want: false },
  { what: "a pod is not ready any more", before: statusOf(2), after: statusOf(1), want: false },
  { what: "too many are lost", before: statusOf(2), after: statusOf(0, breached), want: false },
  { what: "a clique nobody heard of lost too many", after: statusOf(0, breached), want: true },
  { what: "a clique nobody heard of has no pods", after: statusOf(0), want: false },
  { what: "something failed", before: statusOf(2), after: statusOf(2, failed), want: true },
  {
    what: "more are wanted",
    before: statusOf(2, progressing("False")),
    after: statusOf(2, { ...progressing("True"), observedGeneration: 2 }),
    want: true,
  },
  {
    what: "a pod was lost, which nobody asked for",
    before: statusOf(2, progressing("False")),
    after: statusOf(1, progressing("True")),
    want: false,
  },
  {
    what: "its part of an update began, which the set reports",
    before: statusOf(2, progressing("False")),
    after: statusOf(2, { ...progressing("True"), ...updating, observedGeneration: 2 }),
    want: false,
  },
  {
    what: "its gang does not fit",
    before: undefined,
    after: statusOf(0, progressing("True", "GangDoesNotFit")),
    want: true,
  },
  { what: "an update ended", before: statusOf(2), after: statusOf(2, endedAt("now")), want: true },
  {
    what: "an update ended long ago",
    before: statusOf(2, endedAt("then")),
    after: statusOf(1, endedAt("then")),
    want: false,
  },
] as const)("somebody waits to hear that $what: $want", ({ before, after, want }) => {
  expect(isUrgent(cliqueWith(before), after)).toBe(want);
});
