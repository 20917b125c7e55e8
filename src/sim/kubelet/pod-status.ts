/** The status that a kubelet reports for a pod, in the words of the real one. */
import type { Pod, PodCondition, PodStatus } from "../../api/pod.ts";
import { podCondition } from "../../api/pod.ts";
import { timeText } from "../../api/time-text.ts";
import type { PodRun } from "./pod-run.ts";

type ConditionState = Omit<PodCondition, "lastTransitionTime" | "lastProbeTime">;

export interface Times {
  readonly nowMs: number;
  /** What a condition is written with. */
  readonly wallMs: number;
}

export function podStatus(pod: Pod, run: PodRun, { nowMs, wallMs }: Times): PodStatus {
  const phase = run.phase();
  const init = run.initContainerStatuses(nowMs);
  return {
    phase,
    ...(pod.metadata.generation === undefined
      ? {}
      : { observedGeneration: pod.metadata.generation }),
    conditions: conditionStates(pod, run, nowMs).map((state) => condition(pod, state, wallMs)),
    hostIP: run.hostIP,
    hostIPs: [{ ip: run.hostIP }],
    podIP: run.podIP,
    podIPs: [{ ip: run.podIP }],
    startTime: timeText(run.startMs),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: run.containerStatuses(nowMs),
  };
}

function conditionStates(pod: Pod, run: PodRun, nowMs: number): readonly ConditionState[] {
  const containers = containersReady(run, nowMs);
  const all: readonly ConditionState[] = [
    { type: "PodReadyToStartContainers", status: run.isStopped ? "False" : "True" },
    initialized(run, nowMs),
    podReady(pod, containers),
    containers,
    { type: "PodScheduled", status: "True" },
  ];
  return run.phase() === "Succeeded" ? all.map(completed) : all;
}

/** A pod that has completed is not ready, but nothing is wrong with it. */
function completed(state: ConditionState): ConditionState {
  if (state.reason === undefined) return state;
  return { type: state.type, status: state.status, reason: "PodCompleted" };
}

function initialized(run: PodRun, nowMs: number): ConditionState {
  if (run.isInitialized(nowMs)) return { type: "Initialized", status: "True" };
  const names = run.uninitialized(nowMs).join(" ");
  return {
    type: "Initialized",
    status: "False",
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: [${names}]`,
  };
}

function containersReady(run: PodRun, nowMs: number): ConditionState {
  if (run.areContainersReady(nowMs)) return { type: "ContainersReady", status: "True" };
  return {
    type: "ContainersReady",
    status: "False",
    reason: run.phase() === "Failed" ? "PodFailed" : "ContainersNotReady",
    message: `containers with unready status: [${run.unready(nowMs).join(" ")}]`,
  };
}

function podReady(pod: Pod, containers: ConditionState): ConditionState {
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

function condition(pod: Pod, state: ConditionState, nowMs: number): PodCondition {
  const old = podCondition(pod, state.type);
  const keeps = old?.status === state.status && old.lastTransitionTime !== undefined;
  const lastTransitionTime = keeps ? old.lastTransitionTime : timeText(nowMs);
  return { ...state, lastProbeTime: null, lastTransitionTime };
}
