/** The status a kubelet reports for a pod, as the real one words it. */
import type { Pod, PodCondition, PodStatus } from "../../api/pod.ts";
import { podCondition } from "../../api/pod.ts";
import { timestamp } from "../../runtime/event-recorder.ts";
import type { PodRun } from "./pod-run.ts";

type Verdict = Omit<PodCondition, "lastTransitionTime" | "lastProbeTime">;

export function podStatus(pod: Pod, run: PodRun, nowMs: number): PodStatus {
  const phase = run.phase();
  const init = run.initContainerStatuses(nowMs);
  return {
    phase,
    ...(pod.metadata.generation === undefined
      ? {}
      : { observedGeneration: pod.metadata.generation }),
    conditions: verdicts(pod, run, nowMs).map((verdict) => condition(pod, verdict, nowMs)),
    hostIP: run.hostIP,
    hostIPs: [{ ip: run.hostIP }],
    podIP: run.podIP,
    podIPs: [{ ip: run.podIP }],
    startTime: timestamp(run.startMs),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: run.containerStatuses(nowMs),
  };
}

function verdicts(pod: Pod, run: PodRun, nowMs: number): readonly Verdict[] {
  const containers = containersReady(run, nowMs);
  const all: readonly Verdict[] = [
    { type: "PodReadyToStartContainers", status: run.isStopped ? "False" : "True" },
    initialized(run, nowMs),
    podReady(pod, containers),
    containers,
    { type: "PodScheduled", status: "True" },
  ];
  return run.phase() === "Succeeded" ? all.map(completed) : all;
}

/** Nothing is amiss with a pod that is not ready because its work is done. */
function completed(verdict: Verdict): Verdict {
  if (verdict.reason === undefined) return verdict;
  return { type: verdict.type, status: verdict.status, reason: "PodCompleted" };
}

function initialized(run: PodRun, nowMs: number): Verdict {
  if (run.isInitialized(nowMs)) return { type: "Initialized", status: "True" };
  const names = run.uninitialized(nowMs).join(" ");
  return {
    type: "Initialized",
    status: "False",
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: [${names}]`,
  };
}

function containersReady(run: PodRun, nowMs: number): Verdict {
  if (run.areContainersReady(nowMs)) return { type: "ContainersReady", status: "True" };
  return {
    type: "ContainersReady",
    status: "False",
    reason: run.phase() === "Failed" ? "PodFailed" : "ContainersNotReady",
    message: `containers with unready status: [${run.unready(nowMs).join(" ")}]`,
  };
}

function podReady(pod: Pod, containers: Verdict): Verdict {
  if (containers.status !== "True") return { ...containers, type: "Ready" };
  const closed = (pod.spec.readinessGates ?? [])
    .map((gate) => gate.conditionType)
    .filter((type) => podCondition(pod, type)?.status !== "True");
  if (closed.length === 0) return { type: "Ready", status: "True" };
  const missing = closed.map((type) => `corresponding condition of pod readiness gate "${type}"`);
  const state = (type: string): string =>
    podCondition(pod, type) === undefined ? "does not exist" : 'is not "True"';
  const message = closed.map((type, index) => `${missing[index]} ${state(type)}`).join(", ");
  return { type: "Ready", status: "False", reason: "ReadinessGatesNotReady", message };
}

function condition(pod: Pod, verdict: Verdict, nowMs: number): PodCondition {
  const old = podCondition(pod, verdict.type);
  const keeps = old?.status === verdict.status && old.lastTransitionTime !== undefined;
  const lastTransitionTime = keeps ? old.lastTransitionTime : timestamp(nowMs);
  return { ...verdict, lastProbeTime: null, lastTransitionTime };
}
