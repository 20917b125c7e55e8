/** The life of one container: pulling, starting, running, crashing, stopping. It advances only when given the time. */
import { goDuration } from "../../api/duration.ts";
import type { Container, ContainerState, ContainerStatus, TerminatedState } from "../../api/pod.ts";
import { timeText } from "../../api/time-text.ts";
import { exponentialDelayMs } from "../../runtime/backoff.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import type { Behaviour } from "../images/behaviour.ts";
import type { ProbeTimes } from "./probe-times.ts";
import { probeTimes } from "./probe-times.ts";

type Phase =
  | { readonly kind: "idle" }
  | { readonly kind: "pulling"; readonly sinceMs: number; readonly endMs: number }
  | { readonly kind: "pullFailed"; readonly backOffMs: number; readonly retryMs: number }
  /** During a restart the container shows its previous state until it runs. */
  | { readonly kind: "creating"; readonly endMs: number; readonly shows: ContainerState }
  | { readonly kind: "running"; readonly sinceMs: number; readonly exitMs: number }
  | { readonly kind: "backingOff"; readonly delayMs: number; readonly endMs: number }
  | { readonly kind: "exited" };

/** What a container needs to know about its pod and its node. */
export interface ContainerSetting {
  readonly container: Container;
  readonly behaviour: Behaviour;
  /** `web-0_default(uid)`, as the kubelet names pods in its messages. */
  readonly podText: string;
  readonly restartPolicy: "Always" | "OnFailure" | "Never";
  /** Images that the node has; a finished pull adds to it. */
  readonly images: Set<string>;
  readonly note: (text: EventText) => void;
}

const retryBackoff = { firstMs: 10_000, limitMs: 300_000 };
/** After a failed pull the status says ErrImagePull for this long, then ImagePullBackOff. */
const pullErrorShownMs = 3_000;
/** The back-off of a container that has run this long starts over when it exits. */
const stableRunMs = 600_000;
const beingCreated: ContainerState = { waiting: { reason: "ContainerCreating" } };

export class ContainerRun {
  #setting: ContainerSetting;
  #phase: Phase = { kind: "idle" };
  #times: ProbeTimes | undefined;
  #isUnhealthyReported = false;
  #restarts = 0;
  #pullFailures = 0;
  #crashes = 0;
  #termination: TerminatedState | undefined;
  #exitCode: number | undefined;
  #stopMs: number | undefined;

  constructor(setting: ContainerSetting, known?: ContainerStatus) {
    this.#setting = setting;
    if (known !== undefined) this.#adopt(known);
  }

  get name(): string {
    return this.#setting.container.name;
  }

  get isIdle(): boolean {
    return this.#phase.kind === "idle";
  }

  get isRunning(): boolean {
    return this.#phase.kind === "running";
  }

  /** The exit code of a container that will not be started again. */
  get finalExitCode(): number | undefined {
    return this.#phase.kind === "exited" ? this.#exitCode : undefined;
  }

  get hasExitedBefore(): boolean {
    return this.#termination !== undefined;
  }

  isStarted(nowMs: number): boolean {
    return this.isRunning && this.#times !== undefined && this.#times.startedMs <= nowMs;
  }

  isReady(nowMs: number): boolean {
    return this.isRunning && this.#times !== undefined && this.#times.readyMs <= nowMs;
  }

  get image(): string {
    return this.#setting.container.image ?? "";
  }

  /** Switches to another image, as a kubelet does when the pod's spec names a new one. */
  changeImage(setting: ContainerSetting, nowMs: number): void {
    const { kind } = this.#phase;
    if (kind === "exited" || this.#stopMs !== undefined) return;
    if (this.#phase.kind === "running") {
      const message = `Container ${this.name} definition changed, will be restarted`;
      this.#note("Normal", "Killing", message);
      this.#recordExit(this.#phase.sinceMs, nowMs, 0);
    }
    this.#setting = setting;
    this.#pullFailures = 0;
    this.#crashes = 0;
    if (kind !== "idle") this.begin(nowMs);
  }

  begin(nowMs: number): void {
    const { container, images } = this.#setting;
    const image = container.image ?? "";
    if (container.imagePullPolicy !== "Always" && images.has(image)) {
      this.#note("Normal", "Pulled", `Container image "${image}" already present on machine`);
      this.#create(nowMs);
      return;
    }
    this.#pull(nowMs);
  }

  /** Performs the transition that is due; returns whether there was one. */
  advance(nowMs: number): boolean {
    const phase = this.#phase;
    switch (phase.kind) {
      case "pulling":
        return phase.endMs <= nowMs && this.#endPull(phase.sinceMs, nowMs);
      case "pullFailed":
        return phase.retryMs <= nowMs && this.#pull(nowMs);
      case "creating":
        return phase.endMs <= nowMs && this.#run(nowMs);
      case "running":
        return this.#advanceRunning(phase, nowMs);
      case "backingOff":
        return phase.endMs <= nowMs && this.#create(nowMs, this.#restartState(nowMs));
      case "idle":
      case "exited":
        return false;
      default:
        return phase satisfies never;
    }
  }

  /** When the next transition is due; infinite if none is. */
  nextMs(nowMs: number): number {
    const phase = this.#phase;
    switch (phase.kind) {
      case "pulling":
      case "creating":
      case "backingOff":
        return phase.endMs;
      case "pullFailed":
        return phase.backOffMs > nowMs ? phase.backOffMs : phase.retryMs;
      case "running":
        return Math.min(phase.exitMs, ...this.#probeMoments().filter((atMs) => atMs > nowMs));
      case "idle":
      case "exited":
        return Infinity;
      default:
        return phase satisfies never;
    }
  }

  /** Asks the container to exit; it is killed at `graceEndMs`. A second request can only bring that forward. */
  stop(nowMs: number, graceEndMs: number): void {
    if (this.#phase.kind !== "running") {
      if (this.#phase.kind !== "exited") this.#phase = { kind: "idle" };
      return;
    }
    if (this.#stopMs === undefined) {
      const { container, behaviour } = this.#setting;
      this.#note("Normal", "Killing", `Stopping container ${container.name}`);
      const preStopSeconds = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
      this.#stopMs = nowMs + (preStopSeconds + behaviour.terminationSeconds) * 1000;
    }
    const willExitMs = Math.min(this.#phase.exitMs, this.#stopMs);
    this.#phase = { ...this.#phase, exitMs: Math.max(nowMs, Math.min(willExitMs, graceEndMs)) };
  }

  status(nowMs: number, idleReason: string): ContainerStatus {
    const { container } = this.#setting;
    const state = this.#state(nowMs, idleReason);
    const isExited = this.#phase.kind === "exited";
    const hasRun = this.isRunning || this.#termination !== undefined;
    return {
      name: container.name,
      state,
      lastState:
        isExited || this.#termination === undefined ? {} : { terminated: this.#termination },
      ready: this.isReady(nowMs),
      started: this.isStarted(nowMs),
      restartCount: this.#restarts,
      image: container.image ?? "",
      imageID: hasRun ? `sim://${container.image ?? ""}` : "",
      ...(hasRun ? { containerID: this.#id() } : {}),
    };
  }

  #state(nowMs: number, idleReason: string): ContainerState {
    const phase = this.#phase;
    switch (phase.kind) {
      case "idle":
        return { waiting: { reason: idleReason } };
      case "pulling":
        // A real kubelet reports a pull only after it has ended, and shows the last error until then.
        return this.#pullFailures > 0 ? { waiting: this.#pullProblem(false) } : beingCreated;
      case "creating":
        return phase.shows;
      case "pullFailed":
        return { waiting: this.#pullProblem(phase.backOffMs > nowMs) };
      case "running":
        return { running: { startedAt: timeText(phase.sinceMs) } };
      case "backingOff": {
        const back = `back-off ${goDuration(phase.delayMs)} restarting failed container=${this.name}`;
        const message = `${back} pod=${this.#setting.podText}`;
        return { waiting: { reason: "CrashLoopBackOff", message } };
      }
      case "exited":
        return this.#termination === undefined
          ? { waiting: { reason: idleReason } }
          : { terminated: this.#termination };
      default:
        return phase satisfies never;
    }
  }

  #pullProblem(isFresh: boolean): { reason: string; message: string } {
    const { container, behaviour } = this.#setting;
    if (isFresh) return { reason: "ErrImagePull", message: behaviour.pullError ?? "" };
    const message = `Back-off pulling image "${container.image}": ErrImagePull: ${behaviour.pullError}`;
    return { reason: "ImagePullBackOff", message };
  }

  #pull(nowMs: number): true {
    const { container, behaviour } = this.#setting;
    this.#note("Normal", "Pulling", `Pulling image "${container.image}"`);
    const endMs = nowMs + behaviour.pullSeconds * 1000;
    this.#phase = { kind: "pulling", sinceMs: nowMs, endMs };
    return true;
  }

  #endPull(sinceMs: number, nowMs: number): true {
    const { container, behaviour, images } = this.#setting;
    const image = container.image ?? "";
    if (behaviour.pullError !== undefined) {
      const retryMs = nowMs + exponentialDelayMs(++this.#pullFailures, retryBackoff);
      this.#phase = { kind: "pullFailed", backOffMs: nowMs + pullErrorShownMs, retryMs };
      const message = `Failed to pull image "${image}": ${behaviour.pullError}`;
      this.#note("Warning", "Failed", message);
      this.#note("Normal", "BackOff", `Back-off pulling image "${image}"`);
      return true;
    }
    images.add(image);
    const took = goDuration(nowMs - sinceMs);
    const message = `Successfully pulled image "${image}" in ${took} (${took} including waiting)`;
    this.#note("Normal", "Pulled", message);
    return this.#create(nowMs);
  }

  #create(nowMs: number, shows: ContainerState = beingCreated): true {
    const endMs = nowMs + this.#setting.behaviour.startSeconds * 1000;
    this.#phase = { kind: "creating", endMs, shows };
    return true;
  }

  #restartState(nowMs: number): ContainerState {
    const isFirst = this.#phase.kind === "backingOff" && this.#phase.delayMs === 0;
    if (isFirst && this.#termination !== undefined) return { terminated: this.#termination };
    return this.#state(nowMs, "ContainerCreating");
  }

  #run(nowMs: number): true {
    const { container, behaviour } = this.#setting;
    this.#note("Normal", "Created", `Created container: ${this.name}`);
    this.#note("Normal", "Started", `Started container ${this.name}`);
    if (this.#termination !== undefined) this.#restarts++;
    this.#times = probeTimes(container, behaviour, nowMs);
    this.#isUnhealthyReported = false;
    this.#stopMs = undefined;
    const { exitAfterSeconds = Infinity } = behaviour;
    const exitMs = Math.min(nowMs + exitAfterSeconds * 1000, this.#times.killedMs);
    this.#phase = { kind: "running", sinceMs: nowMs, exitMs };
    return true;
  }

  #advanceRunning(phase: Extract<Phase, { kind: "running" }>, nowMs: number): boolean {
    if (
      this.#times !== undefined &&
      this.#times.unhealthyMs <= nowMs &&
      !this.#isUnhealthyReported
    ) {
      this.#isUnhealthyReported = true;
      this.#note(
        "Warning",
        "Unhealthy",
        "Readiness probe failed: the simulated container is not ready",
      );
    }
    if (phase.exitMs > nowMs) return false;
    this.#exit(phase.sinceMs, nowMs);
    return true;
  }

  #exit(sinceMs: number, nowMs: number): void {
    const code = this.#codeOfExit(nowMs);
    this.#recordExit(sinceMs, nowMs, code);
    this.#phase = { kind: "exited" };
    if (this.#stopMs === undefined && this.#restartsAfter(code)) this.#backOff(sinceMs, nowMs);
  }

  #recordExit(sinceMs: number, nowMs: number, code: number): void {
    this.#exitCode = code;
    this.#termination = {
      exitCode: code,
      reason: code === 0 ? "Completed" : "Error",
      startedAt: timeText(sinceMs),
      finishedAt: timeText(nowMs),
      containerID: this.#id(),
    };
  }

  /** A killed process exits with 137. */
  #codeOfExit(nowMs: number): number {
    if (this.#stopMs !== undefined) return nowMs < this.#stopMs ? 137 : 0;
    const killedMs = this.#times?.killedMs ?? Infinity;
    return killedMs <= nowMs ? 137 : this.#setting.behaviour.exitCode;
  }

  #restartsAfter(code: number): boolean {
    const { restartPolicy } = this.#setting;
    return restartPolicy === "Always" || (restartPolicy === "OnFailure" && code !== 0);
  }

  /** As with a real kubelet, the first restart is immediate and delays begin with the second. */
  #backOff(sinceMs: number, nowMs: number): void {
    if (nowMs - sinceMs >= stableRunMs) this.#crashes = 0;
    const delayMs = this.#crashes === 0 ? 0 : exponentialDelayMs(this.#crashes, retryBackoff);
    this.#crashes++;
    this.#phase = { kind: "backingOff", delayMs, endMs: nowMs + delayMs };
    if (delayMs === 0) return;
    const message = `Back-off restarting failed container ${this.name} in pod ${this.#setting.podText}`;
    this.#note("Warning", "BackOff", message);
  }

  /** Resumes where a previous kubelet left the container. */
  #adopt(known: ContainerStatus): void {
    this.#restarts = known.restartCount;
    this.#termination = known.lastState?.terminated;
    const { running, terminated } = known.state ?? {};
    if (running !== undefined) {
      const { container, behaviour, images } = this.#setting;
      const sinceMs = Date.parse(running.startedAt ?? "");
      images.add(container.image ?? "");
      const times = probeTimes(container, behaviour, sinceMs);
      // What is ready stays so, however long its image is said to take.
      this.#times = known.ready ? { ...times, startedMs: sinceMs, readyMs: sinceMs } : times;
      const { exitAfterSeconds = Infinity } = behaviour;
      this.#phase = { kind: "running", sinceMs, exitMs: sinceMs + exitAfterSeconds * 1000 };
    } else if (terminated !== undefined) {
      this.#termination = terminated;
      this.#exitCode = terminated.exitCode;
      this.#phase = { kind: "exited" };
    }
  }

  #probeMoments(): readonly number[] {
    const times = this.#times;
    return times === undefined ? [] : [times.startedMs, times.readyMs, times.unhealthyMs];
  }

  #id(): string {
    return `sim://${this.#setting.podText}/${this.name}/${this.#restarts}`;
  }

  #note(type: EventText["type"], reason: string, message: string): void {
    this.#setting.note({ type, reason, message });
  }
}
