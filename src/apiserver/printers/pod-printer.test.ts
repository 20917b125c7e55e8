import { expect, test } from "vitest";
import { podPrinter } from "./pod-printer.ts";
import type { PrintedPod } from "./pod-status.ts";

const nowMs = Date.parse("2026-01-01T02:00:00Z");
const secondsAgo = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString();

type Status = NonNullable<NonNullable<PrintedPod["status"]>["containerStatuses"]>[number];

const waiting = (name: string, reason: string): Status => ({
  name,
  state: { waiting: { reason } },
});
const running = (name: string, fields: Partial<Status> = {}): Status => ({
  name,
  ready: true,
  started: true,
  state: { running: {} },
  ...fields,
});
const ended = (name: string, exitCode: number, reason?: string, signal?: number): Status => ({
  name,
  state: { terminated: { exitCode, ...(reason && { reason }), ...(signal && { signal }) } },
});
const restarted = (times: number, seconds: number): Partial<Status> => ({
  restartCount: times,
  lastState: { terminated: { exitCode: 1, finishedAt: secondsAgo(seconds) } },
});
const condition = (type: string, status: string, reason?: string) => ({
  type,
  status,
  ...(reason && { reason }),
});

interface Given {
  readonly names?: string;
  readonly init?: readonly { name: string; restartPolicy?: string }[];
  readonly phase?: string;
  readonly reason?: string;
  readonly conditions?: readonly ReturnType<typeof condition>[];
  readonly initStatuses?: readonly Status[];
  readonly statuses?: readonly Status[];
  readonly isDeleted?: boolean;
}

function pod(given: Given): PrintedPod {
  return {
    metadata: {
      name: "p",
      creationTimestamp: secondsAgo(3600),
      ...(given.isDeleted && { deletionTimestamp: secondsAgo(1) }),
    },
    spec: {
      containers: (given.names ?? "a").split(" ").map((name) => ({ name })),
      initContainers: given.init ?? [],
    },
    status: {
      phase: given.phase ?? "Running",
      ...(given.reason && { reason: given.reason }),
      conditions: given.conditions ?? [],
      initContainerStatuses: given.initStatuses ?? [],
      containerStatuses: given.statuses ?? [],
    },
  };
}

const init = [{ name: "i" }, { name: "j" }];
const sidecar = [{ name: "s", restartPolicy: "Always" }];
const pending = "Pending";

/** `want` is ready, status and restarts; a real server showed each of these. */
const cases: Record<string, { given: Given; want: string }> = {
  "a pod that has not started": { given: { phase: pending }, want: "0/1 Pending 0" },
  "containers being created": {
    given: { phase: pending, statuses: [waiting("a", "ContainerCreating")] },
    want: "0/1 ContainerCreating 0",
  },
  "the first container that waits names the status": {
    given: { names: "a b", statuses: [waiting("a", "ImagePullBackOff"), running("b")] },
    want: "1/2 ImagePullBackOff 0",
  },
  "a later container may name it too": {
    given: { names: "a b", statuses: [running("a"), waiting("b", "ErrImagePull")] },
    want: "1/2 ErrImagePull 0",
  },
  "restarts show when the last one was": {
    given: { statuses: [{ ...waiting("a", "CrashLoopBackOff"), ...restarted(5, 300) }] },
    want: "0/1 CrashLoopBackOff 5 (5m ago)",
  },
  "running but not all ready": {
    given: { names: "a b", statuses: [running("a"), running("b", { ready: false })] },
    want: "1/2 Running 0",
  },
  "the first init container waits": {
    given: { init, phase: pending, initStatuses: [waiting("i", "PodInitializing")] },
    want: "0/1 Init:0/2 0",
  },
  "the second init container runs": {
    given: {
      init,
      phase: pending,
      initStatuses: [
        ended("i", 0, "Completed"),
        running("j", { ready: false, ...restarted(2, 100) }),
      ],
    },
    want: "0/1 Init:1/2 2 (100s ago)",
  },
  "an init container failed": {
    given: { init, phase: pending, initStatuses: [ended("i", 3, "Error")] },
    want: "0/1 Init:Error 0",
  },
  "an init container failed without a reason": {
    given: { init, phase: pending, initStatuses: [ended("i", 3)] },
    want: "0/1 Init:ExitCode:3 0",
  },
  "an init container was killed": {
    given: { init, phase: pending, initStatuses: [ended("i", 3, undefined, 9)] },
    want: "0/1 Init:Signal:9 0",
  },
  "an init container crashes": {
    given: { init, phase: pending, initStatuses: [waiting("i", "CrashLoopBackOff")] },
    want: "0/1 Init:CrashLoopBackOff 0",
  },
  "sidecars count as containers": {
    given: {
      init: sidecar,
      initStatuses: [running("s", restarted(4, 60))],
      statuses: [running("a", restarted(1, 200))],
      conditions: [condition("Initialized", "True"), condition("Ready", "True")],
    },
    want: "2/2 Running 5 (60s ago)",
  },
  "a sidecar that has not started": {
    given: {
      init: sidecar,
      phase: pending,
      initStatuses: [waiting("s", "PodInitializing")],
      statuses: [waiting("a", "PodInitializing")],
    },
    want: "0/2 Init:0/1 0",
  },
  "scheduling gates": {
    given: { phase: pending, conditions: [condition("PodScheduled", "False", "SchedulingGated")] },
    want: "0/1 SchedulingGated 0",
  },
  "a finished pod": {
    given: { phase: "Succeeded", statuses: [ended("a", 0, "Completed")] },
    want: "0/1 Completed 0",
  },
  "a container out of memory": {
    given: { statuses: [ended("a", 137, "OOMKilled")] },
    want: "0/1 OOMKilled 0",
  },
  "an end without a reason": { given: { statuses: [ended("a", 7)] }, want: "0/1 ExitCode:7 0" },
  "an end by a signal": {
    given: { statuses: [ended("a", 7, undefined, 15)] },
    want: "0/1 Signal:15 0",
  },
  "one container completed, the pod is ready": {
    given: {
      names: "a b",
      statuses: [ended("a", 0, "Completed"), running("b")],
      conditions: [condition("Ready", "True")],
    },
    want: "1/2 Running 0",
  },
  "one container completed, the pod is not ready": {
    given: { names: "a b", statuses: [ended("a", 0, "Completed"), running("b")] },
    want: "1/2 NotReady 0",
  },
  "one container completed, another failed": {
    given: { names: "a b", statuses: [ended("a", 0, "Completed"), ended("b", 1, "Error")] },
    want: "0/2 Error 0",
  },
  "a status reason stands above the phase": {
    given: { phase: "Failed", reason: "Evicted" },
    want: "0/1 Evicted 0",
  },
  "a pod being deleted": {
    given: { isDeleted: true, statuses: [running("a")] },
    want: "1/1 Terminating 0",
  },
  "a finished pod being deleted": {
    given: { isDeleted: true, phase: "Succeeded", statuses: [ended("a", 0, "Completed")] },
    want: "0/1 Completed 0",
  },
  "a deleted pod on a lost node": {
    given: { isDeleted: true, reason: "NodeLost" },
    want: "0/1 Unknown 0",
  },
};

test.each(Object.entries(cases))("%s", (_name, { given, want }) => {
  const [name, ready, status, restarts, age] = podPrinter.cells(pod(given), nowMs);
  expect([ready, status, restarts].join(" ")).toBe(want);
  expect([name, age]).toEqual(["p", "60m"]);
});

test("the wide columns say where the pod is and what it waits for", () => {
  const plain = pod({ conditions: [condition("a.b/c", "True"), condition("a.b/d", "False")] });
  const gates = [{ conditionType: "a.b/c" }, { conditionType: "a.b/d" }];
  const placed: PrintedPod = {
    ...plain,
    spec: { ...plain.spec, nodeName: "n1", readinessGates: gates },
    status: { ...plain.status, podIPs: [{ ip: "10.1.2.3" }], nominatedNodeName: "n2" },
  };
  expect(podPrinter.cells(plain, nowMs).slice(5)).toEqual(Array(4).fill("<none>"));
  expect(podPrinter.cells(placed, nowMs).slice(5)).toEqual(["10.1.2.3", "n1", "n2", "1/2"]);
});
