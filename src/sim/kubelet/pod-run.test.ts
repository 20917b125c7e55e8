import { expect, test } from "vitest";
import type { Container, ContainerStatus, Pod, PodSpec } from "../../api/pod.ts";
import { defaultCatalogue } from "../images/catalogue.ts";
import { PodRun } from "./pod-run.ts";
import { podStatus } from "./pod-status.ts";

const app: Container = { name: "app", image: "app:v1" };

function podWith(spec: Partial<PodSpec>, metadata: Partial<Pod["metadata"]> = {}): Pod {
  return {
    metadata: { name: "web-0", namespace: "default", uid: "u", ...metadata },
    spec: { containers: [app], ...spec },
  };
}

function running(pod: Pod) {
  const notes: string[] = [];
  const run = new PodRun({
    pod,
    podIP: "10.128.0.1",
    hostIP: "172.18.0.2",
    catalogue: defaultCatalogue(),
    images: new Set(),
    note: ({ reason, message }) => notes.push(`${reason}: ${message}`),
    nowMs: 0,
  });
  return { run, notes };
}

/** Every state of the pod, with the second at which it begins. */
function history(pod: Pod, untilSeconds: number): string[] {
  const { run } = running(pod);
  const lines: string[] = [];
  let nowMs = 0;
  while (nowMs <= untilSeconds * 1000) {
    run.advance(pod, nowMs);
    const line = summary(run, nowMs);
    if (lines.at(-1)?.endsWith(` ${line}`) !== true) lines.push(`${nowMs / 1000} ${line}`);
    nowMs = run.nextMs(nowMs);
  }
  return lines;
}

function summary(run: PodRun, nowMs: number): string {
  const containers = [...run.initContainerStatuses(nowMs), ...run.containerStatuses(nowMs)];
  return [run.phase(), ...containers.map(containerText)].join(" ");
}

function containerText({ name, state, ready, restartCount }: ContainerStatus): string {
  const { waiting, running, terminated } = state!;
  const text =
    waiting !== undefined
      ? waiting.reason
      : running !== undefined
        ? "running"
        : `exited(${terminated!.exitCode})`;
  return `${name}=${text}${ready ? "+" : ""}${restartCount > 0 ? `x${restartCount}` : ""}`;
}

const histories: Record<string, { spec: Partial<PodSpec>; seconds: number; want: string[] }> = {
  "an ordinary pod pulls, starts and becomes ready": {
    spec: {},
    seconds: 60,
    want: ["0 Pending app=ContainerCreating", "2 Running app=running", "3 Running app=running+"],
  },
  "a readiness probe notices at its next period": {
    spec: {
      containers: [
        {
          ...app,
          readinessProbe: { initialDelaySeconds: 5, periodSeconds: 4, successThreshold: 2 },
        },
      ],
    },
    seconds: 60,
    want: ["0 Pending app=ContainerCreating", "2 Running app=running", "11 Running app=running+"],
  },
  "a failed pull is retried with growing delays": {
    spec: { containers: [{ ...app, image: "app:broken" }] },
    seconds: 40,
    want: [
      "0 Pending app=ContainerCreating",
      "1 Pending app=ErrImagePull",
      "4 Pending app=ImagePullBackOff",
      "12 Pending app=ErrImagePull",
      "15 Pending app=ImagePullBackOff",
      "33 Pending app=ErrImagePull",
      "36 Pending app=ImagePullBackOff",
    ],
  },
  "a crash loop restarts at once, then after 10 s, 20 s": {
    spec: { containers: [{ ...app, image: "app:crash" }] },
    seconds: 50,
    want: [
      "0 Pending app=ContainerCreating",
      "2 Running app=running",
      "4 Running app=exited(1)",
      "5 Running app=runningx1",
      "7 Running app=CrashLoopBackOffx1",
      "18 Running app=runningx2",
      "20 Running app=CrashLoopBackOffx2",
      "41 Running app=runningx3",
      "43 Running app=CrashLoopBackOffx3",
    ],
  },
  "a pod that completes and need not restart succeeds": {
    spec: { restartPolicy: "Never", containers: [{ ...app, image: "app:completes" }] },
    seconds: 60,
    want: [
      "0 Pending app=ContainerCreating",
      "2 Running app=running",
      "3 Running app=running+",
      "7 Succeeded app=exited(0)",
    ],
  },
  "a pod that crashes and may not restart fails": {
    spec: { restartPolicy: "Never", containers: [{ ...app, image: "app:crash" }] },
    seconds: 60,
    want: ["0 Pending app=ContainerCreating", "2 Running app=running", "4 Failed app=exited(1)"],
  },
  "init containers run one after the other before the rest": {
    spec: {
      initContainers: [
        { ...app, name: "one" },
        { ...app, name: "two" },
      ],
    },
    seconds: 60,
    want: [
      "0 Pending one=ContainerCreating two=PodInitializing app=PodInitializing",
      "2 Pending one=running two=PodInitializing app=PodInitializing",
      "3 Pending one=exited(0)+ two=ContainerCreating app=PodInitializing",
      "4 Pending one=exited(0)+ two=running app=PodInitializing",
      "5 Pending one=exited(0)+ two=exited(0)+ app=ContainerCreating",
      "6 Running one=exited(0)+ two=exited(0)+ app=running",
      "7 Running one=exited(0)+ two=exited(0)+ app=running+",
    ],
  },
  "a sidecar starts before the others and keeps running": {
    spec: { initContainers: [{ ...app, name: "side", restartPolicy: "Always" }] },
    seconds: 60,
    want: [
      "0 Pending side=ContainerCreating app=PodInitializing",
      "2 Pending side=running app=ContainerCreating",
      "3 Running side=running+ app=running",
      "4 Running side=running+ app=running+",
    ],
  },
  "a startup probe that never passes has the container killed": {
    spec: {
      containers: [
        {
          ...app,
          image: "app:never-ready",
          startupProbe: { periodSeconds: 5, failureThreshold: 3 },
        },
      ],
    },
    seconds: 13,
    want: [
      "0 Pending app=ContainerCreating",
      "2 Running app=running",
      "12 Running app=exited(137)",
      "13 Running app=runningx1",
    ],
  },
};

test.each(Object.entries(histories))("%s", (_name, { spec, seconds, want }) => {
  expect(history(podWith(spec), seconds)).toEqual(want);
});

function stopped(image: string, graceSeconds: number): { atSeconds: number; text: string } {
  const pod = podWith({ containers: [{ ...app, image }] });
  const { run } = running(pod);
  for (const second of [0, 1, 2, 3]) run.advance(pod, second * 1000);
  const leaving = podWith(
    { containers: [{ ...app, image }] },
    { deletionTimestamp: "x", deletionGracePeriodSeconds: graceSeconds },
  );
  let nowMs = 10_000;
  run.advance(leaving, nowMs);
  while (!run.isStopped) {
    nowMs = run.nextMs(nowMs);
    run.advance(leaving, nowMs);
  }
  return { atSeconds: nowMs / 1000, text: summary(run, nowMs) };
}

const at = (nowMs: number) => ({ nowMs, wallMs: nowMs });

test("a container whose image is changed is restarted with the new one", () => {
  const pod = podWith({});
  const { run, notes } = running(pod);
  for (const second of [0, 1, 2, 3]) run.advance(pod, second * 1000);
  const broken = podWith({ containers: [{ ...app, image: "app:broken" }] });
  for (const second of [10, 11]) run.advance(broken, second * 1000);
  expect(summary(run, 11_000)).toBe("Running app=ErrImagePull");
  expect(notes).toContain("Killing: Container app definition changed, will be restarted");
  const fixed = podWith({ containers: [{ ...app, image: "app:v2" }] });
  for (const second of [12, 13, 14, 15]) run.advance(fixed, second * 1000);
  expect(summary(run, 15_000)).toBe("Running app=running+x1");
});

test("a deleted pod exits in its own time", () => {
  expect(stopped("app:v1", 30)).toEqual({ atSeconds: 11, text: "Succeeded app=exited(0)" });
});

test("a pod that does not stop is killed at the end of its grace", () => {
  expect(stopped("app:stubborn", 30)).toEqual({ atSeconds: 40, text: "Failed app=exited(137)" });
});

test("events say what the real kubelet says", () => {
  const pod = podWith({});
  const { run, notes } = running(pod);
  for (const second of [0, 1, 2]) run.advance(pod, second * 1000);
  expect(notes).toEqual([
    'Pulling: Pulling image "app:v1"',
    'Pulled: Successfully pulled image "app:v1" in 1s (1s including waiting)',
    "Created: Created container: app",
    "Started: Started container app",
  ]);
});

test("the kubelet cuts the time of a pull to milliseconds", () => {
  const pod = podWith({});
  const { run, notes } = running(pod);
  for (const ms of [0, 1002.7]) run.advance(pod, ms);
  expect(notes).toContain(
    'Pulled: Successfully pulled image "app:v1" in 1.002s (1.002s including waiting)',
  );
});

test("a readiness gate holds back Ready, not ContainersReady", () => {
  const gated = podWith({ readinessGates: [{ conditionType: "example.com/gate" }] });
  const { run } = running(gated);
  for (const second of [0, 1, 2, 3]) run.advance(gated, second * 1000);
  const conditions = (pod: Pod) =>
    Object.fromEntries(
      podStatus(pod, run, at(3000)).conditions?.map(({ type, status }) => [type, status]) ?? [],
    );
  expect(conditions(gated)).toMatchObject({ Ready: "False", ContainersReady: "True" });
  const open = { type: "example.com/gate", status: "True" } as const;
  expect(conditions({ ...gated, status: { conditions: [open] } })).toMatchObject({ Ready: "True" });
});

test("a condition keeps the time of its last change", () => {
  const pod = podWith({});
  const { run } = running(pod);
  run.advance(pod, 0);
  const first = podStatus(pod, run, at(0));
  for (const second of [1, 2, 3]) run.advance(pod, second * 1000);
  const second = podStatus({ ...pod, status: first }, run, at(3000));
  const timeOf = (type: string) =>
    second.conditions?.find((condition) => condition.type === type)?.lastTransitionTime;
  expect(timeOf("PodScheduled")).toBe("1970-01-01T00:00:00Z");
  expect(timeOf("Ready")).toBe("1970-01-01T00:00:03Z");
});

test("a restarted kubelet resumes where the last one stopped", () => {
  const pod = podWith({});
  const first = running(pod).run;
  for (const second of [0, 1, 2, 3]) first.advance(pod, second * 1000);
  const status = podStatus(pod, first, at(3000));
  const { run, notes } = running({ ...pod, status });
  run.advance(pod, 60_000);
  expect(summary(run, 60_000)).toBe("Running app=running+");
  expect(notes).toEqual([]);
});
