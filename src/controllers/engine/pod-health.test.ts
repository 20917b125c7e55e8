import { expect, test } from "vitest";
import type { ContainerStatus, Pod, PodStatus } from "../../api/pod.ts";
import { causeOf, podDelete, podHealth } from "./pod-health.ts";

const nowMs = Date.parse("2026-01-01T02:00:00Z");
const ago = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString();

const pod = (status: PodStatus, deletionTimestamp?: string): Pod => ({
  metadata: { name: "web-0", ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec: { containers: [{ name: "app", image: "web:v1" }] },
  status,
});

const ready = (seconds: number, more: Partial<PodStatus> = {}): PodStatus => ({
  phase: "Running",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(seconds) }],
  ...more,
});

const unready = (container: Partial<ContainerStatus>): PodStatus => ({
  phase: "Running",
  conditions: [{ type: "Ready", status: "False", lastTransitionTime: ago(5) }],
  containerStatuses: [
    { name: "app", ready: false, restartCount: 0, ...container } as ContainerStatus,
  ],
});

const waiting = (reason: string, message?: string): PodStatus =>
  unready({ state: { waiting: { reason, message } } });

const cases: Record<string, { given: Pod; minReadySeconds?: number; want: object }> = {
  "ready without minReadySeconds is available": {
    given: pod(ready(0)),
    want: { health: "available" },
  },
  "ready for two hours, one asked for, is available": {
    given: pod(ready(7200)),
    minReadySeconds: 3600,
    want: { health: "available", sinceMs: nowMs - 3_600_000 },
  },
  "ready for half an hour, one asked for, has to wait the other half": {
    given: pod(ready(1800)),
    minReadySeconds: 3600,
    want: { health: "ready", availableAtMs: nowMs + 1_800_000 },
  },
  "ready with an old crash in its history is available": {
    given: pod(
      ready(10, { containerStatuses: unready({ restartCount: 7, ready: true }).containerStatuses }),
    ),
    want: { health: "available", failed: false },
  },
  "terminating is terminating, ready or not": {
    given: pod(ready(10), ago(1)),
    want: { health: "terminating", failed: false },
  },
  "failed has failed for good": {
    given: pod({ phase: "Failed", reason: "Evicted", message: "disk" }),
    want: {
      health: "unavailable",
      failed: true,
      trouble: "the pod ended as Failed (Evicted: disk)",
    },
  },
  "succeeded too": { given: pod({ phase: "Succeeded" }), want: { failed: true } },
  "an image that cannot be pulled is trouble": {
    given: pod(waiting("ImagePullBackOff", "no such tag")),
    want: { health: "unavailable", trouble: "ImagePullBackOff: no such tag" },
  },
  "a container being made is only pending": {
    given: pod(waiting("ContainerCreating")),
    want: { health: "pending" },
  },
  "a container that came back is trouble until it is ready": {
    given: pod(unready({ restartCount: 2, state: { running: { startedAt: ago(1) } } })),
    want: { health: "unavailable", trouble: "container app restarted 2 times" },
  },
  "a node that does not answer is trouble": {
    given: pod({
      phase: "Running",
      conditions: [{ type: "Ready", status: "False", reason: "NodeNotReady" }],
    }),
    want: { health: "unavailable", trouble: "its node does not answer" },
  },
  "a pod nobody has looked at is pending": {
    given: pod({ phase: "Pending" }),
    want: { health: "pending" },
  },
};

test.each(Object.entries(cases))("%s", (_sentence, { given, minReadySeconds = 0, want }) => {
  expect(podHealth(given, minReadySeconds, nowMs)).toMatchObject(want);
});

test.each(["pending", "ready", "unavailable", "terminating", "available"] as const)(
  "P1 a pod that is %s is deleted by its uid, and only if it serves in whatever state it is by then",
  (health) => {
    const metadata = { name: "web-0", namespace: "a", uid: "u", resourceVersion: "7" };
    const deleted = podDelete({ pod: { ...pod({}), metadata }, health: { health, failed: false } });
    expect(deleted).toMatchObject({ key: { namespace: "a", name: "web-0" }, uid: "u" });
    expect(deleted.resourceVersion).toBe(health === "available" ? undefined : "7");
  },
);

const lack = "not scheduled: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu";
const preemption = "preemption: 0/4 nodes are available: 4 No preemption victims found.";

test.each([
  ["0/4 nodes are available: 4 Insufficient nvidia.com/gpu.", lack],
  [`0/4 nodes are available: 4 Insufficient nvidia.com/gpu. ${preemption}`, lack],
  [
    `0/4 nodes are available: 4 Insufficient nvidia.com/gpu. no new claims to deallocate, ${preemption}`,
    lack,
  ],
])("what the scheduler lacks is quoted without what it tried: %s", (message, want) => {
  const type = "PodScheduled";
  const unscheduled = pod({
    conditions: [{ type, status: "False", reason: "Unschedulable", message }],
  });
  expect(causeOf(unscheduled, podHealth(unscheduled, 0, nowMs))).toBe(want);
});
