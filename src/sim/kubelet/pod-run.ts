/** One pod on its node: init containers in order, then the others, until all are done or the pod is deleted. */
import type { Container, ContainerStatus, Pod, PodPhase } from "../../api/pod.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import type { Catalogue } from "../images/catalogue.ts";
import { behaviourOf } from "../images/catalogue.ts";
import type { ContainerSetting } from "./container-run.ts";
import { ContainerRun } from "./container-run.ts";

export interface PodRunOptions {
  readonly pod: Pod;
  readonly podIP: string;
  readonly hostIP: string;
  readonly catalogue: Catalogue;
  readonly images: Set<string>;
  readonly note: (text: EventText) => void;
  readonly nowMs: number;
}

interface Step {
  readonly run: ContainerRun;
  /** A sidecar completes its step as soon as it has started, and keeps running. */
  readonly isSidecar: boolean;
}

export class PodRun {
  readonly uid: string;
  readonly podIP: string;
  readonly hostIP: string;
  readonly startMs: number;
  /** The status text that was written last, to write only what changed. */
  written = "";
  readonly #options: PodRunOptions;
  readonly #init: readonly Step[];
  readonly #main: readonly ContainerRun[];
  readonly #all: readonly ContainerRun[];
  #graceEndMs = Infinity;

  constructor(options: PodRunOptions) {
    const { pod } = options;
    this.#options = options;
    this.uid = pod.metadata.uid ?? "";
    this.podIP = options.podIP;
    this.hostIP = options.hostIP;
    this.startMs =
      pod.status?.startTime === undefined ? options.nowMs : Date.parse(pod.status.startTime);
    this.#init = (pod.spec.initContainers ?? []).map((container) => ({
      run: containerRun(options, container, pod.status?.initContainerStatuses),
      isSidecar: container.restartPolicy === "Always",
    }));
    this.#main = pod.spec.containers.map((container) =>
      containerRun(options, container, pod.status?.containerStatuses),
    );
    this.#all = [...this.#init.map(({ run }) => run), ...this.#main];
  }

  /** Advances the pod to `nowMs`. */
  advance(pod: Pod, nowMs: number): void {
    if (pod.metadata.deletionTimestamp !== undefined) this.#stop(pod, nowMs);
    else if (this.phase() === "Succeeded" || this.phase() === "Failed") this.#stopSidecars(nowMs);
    else this.#followImages(pod, nowMs);
    let hasMoved = true;
    while (hasMoved) {
      hasMoved = false;
      if (this.#graceEndMs === Infinity) hasMoved = this.#beginNext(nowMs);
      for (const run of this.#all) if (run.advance(nowMs)) hasMoved = true;
    }
  }

  nextMs(nowMs: number): number {
    return Math.min(...this.#all.map((run) => run.nextMs(nowMs)));
  }

  get isStopping(): boolean {
    return this.#graceEndMs !== Infinity;
  }

  /** No container of the pod runs any more. */
  get isStopped(): boolean {
    return this.isStopping && !this.#all.some((run) => run.isRunning);
  }

  get hasRun(): boolean {
    return this.#all.some((run) => run.isRunning || run.hasExitedBefore);
  }

  isInitialized(nowMs: number): boolean {
    return this.#init.every((step) => isStepDone(step, nowMs));
  }

  areContainersReady(nowMs: number): boolean {
    const sidecars = this.#init.filter(({ isSidecar }) => isSidecar).map(({ run }) => run);
    return [...this.#main, ...sidecars].every((run) => run.isReady(nowMs));
  }

  unready(nowMs: number): readonly string[] {
    return this.#main.filter((run) => !run.isReady(nowMs)).map((run) => run.name);
  }

  uninitialized(nowMs: number): readonly string[] {
    return this.#init.filter((step) => !isStepDone(step, nowMs)).map(({ run }) => run.name);
  }

  phase(): PodPhase {
    const failedInit = this.#init.some(({ run }) => (run.finalExitCode ?? 0) !== 0);
    const codes = this.#main.map((run) => run.finalExitCode);
    if (codes.every((code) => code !== undefined)) {
      return codes.every((code) => code === 0) ? "Succeeded" : "Failed";
    }
    if (failedInit || this.isStopped) return this.hasRun ? "Failed" : "Pending";
    const hasMainBegun = this.#main.some((run) => run.isRunning || run.hasExitedBefore);
    return hasMainBegun ? "Running" : "Pending";
  }

  containerStatuses(nowMs: number): readonly ContainerStatus[] {
    const isInitialized = this.isInitialized(nowMs);
    const idleReason = isInitialized ? "ContainerCreating" : "PodInitializing";
    return this.#main.map((run) => run.status(nowMs, idleReason));
  }

  initContainerStatuses(nowMs: number): readonly ContainerStatus[] {
    return this.#init.map((step) => {
      const status = step.run.status(nowMs, "PodInitializing");
      // As in the kubelet, a completed init container counts as ready.
      return step.run.finalExitCode === 0 ? { ...status, ready: true } : status;
    });
  }

  /** The image of a container may change in an existing pod. */
  #followImages(pod: Pod, nowMs: number): void {
    const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    for (const run of this.#all) {
      const container = containers.find(({ name }) => name === run.name);
      if (container === undefined || (container.image ?? "") === run.image) continue;
      run.changeImage(settingOf({ ...this.#options, pod }, container), nowMs);
    }
  }

  #beginNext(nowMs: number): boolean {
    for (const step of this.#init) {
      if (step.run.isIdle) {
        step.run.begin(nowMs);
        return true;
      }
      if (!isStepDone(step, nowMs)) return false;
    }
    const idle = this.#main.filter((run) => run.isIdle);
    for (const run of idle) run.begin(nowMs);
    return idle.length > 0;
  }

  #stop(pod: Pod, nowMs: number): void {
    const graceSeconds = pod.metadata.deletionGracePeriodSeconds ?? 30;
    this.#graceEndMs = Math.min(this.#graceEndMs, nowMs + graceSeconds * 1000);
    for (const run of this.#all) run.stop(nowMs, this.#graceEndMs);
  }

  #stopSidecars(nowMs: number): void {
    for (const { run, isSidecar } of this.#init) if (isSidecar) run.stop(nowMs, nowMs + 30_000);
  }
}

function isStepDone(step: Step, nowMs: number): boolean {
  return step.isSidecar ? step.run.isStarted(nowMs) : step.run.finalExitCode === 0;
}

function containerRun(
  options: PodRunOptions,
  container: Container,
  known: readonly ContainerStatus[] | undefined,
): ContainerRun {
  const status = known?.find(({ name }) => name === container.name);
  return new ContainerRun(settingOf(options, container), status);
}

function settingOf(options: PodRunOptions, container: Container): ContainerSetting {
  const { pod, catalogue, images, note } = options;
  const { name, namespace, uid } = pod.metadata;
  const isInit = !pod.spec.containers.includes(container);
  const behaviour = behaviourOf(catalogue, pod, container.name);
  const isPlainInit = isInit && container.restartPolicy !== "Always";
  return {
    container,
    // Init containers must end: one whose image has no exit time exits when it would become ready.
    behaviour: isPlainInit ? { exitAfterSeconds: endOfInit(behaviour), ...behaviour } : behaviour,
    podText: `${name}_${namespace}(${uid})`,
    restartPolicy: restartPolicyOf(isInit, isPlainInit, pod.spec.restartPolicy ?? "Always"),
    images,
    note,
  };
}

function endOfInit({ readySeconds }: { readySeconds: number | "never" }): number {
  return readySeconds === "never" ? Infinity : readySeconds;
}

function restartPolicyOf(
  isInit: boolean,
  isPlainInit: boolean,
  podPolicy: "Always" | "OnFailure" | "Never",
): "Always" | "OnFailure" | "Never" {
  if (isPlainInit) return podPolicy === "Never" ? "Never" : "OnFailure";
  return isInit ? "Always" : podPolicy;
}
