/** The one word that `kubectl get pods` has for a pod, and the counts beside it. */
import type { KubeObject } from "../../api/object.ts";
import { parseTime } from "../../api/time-text.ts";

interface Terminated {
  readonly exitCode?: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly finishedAt?: string | null;
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly running?: object;
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

export interface PrintedPod extends KubeObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly containers?: readonly object[];
    readonly initContainers?: readonly { readonly name: string; readonly restartPolicy?: string }[];
    readonly readinessGates?: readonly { readonly conditionType: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly nominatedNodeName?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export interface PodSummary {
  readonly reason: string;
  readonly readyContainers: number;
  readonly totalContainers: number;
  readonly restarts: number;
  /** When a container last ended and was started again. */
  readonly lastRestartMs?: number;
}

/** What was found so far; each stage returns the next one. */
interface Findings {
  readonly reason: string;
  readonly ready: number;
  readonly statuses: readonly ContainerStatus[];
}

export function isConditionTrue(pod: PrintedPod, type: string): boolean {
  const condition = pod.status?.conditions?.find((item) => item.type === type);
  return condition?.status === "True";
}

export function summarizePod(pod: PrintedPod): PodSummary {
  const sidecars = sidecarNames(pod);
  const initializing = initStage(pod, sidecars);
  const isStillInitializing = initializing.stoppedAt !== undefined;
  const found =
    isStillInitializing && !isConditionTrue(pod, "Initialized")
      ? initializing
      : mainStage(pod, sidecars, initializing);
  return {
    reason: whileDeleting(pod, found.reason),
    readyContainers: found.ready,
    totalContainers: (pod.spec.containers?.length ?? 0) + sidecars.size,
    ...restartsOf(found.statuses),
  };
}

/** Init containers that keep running beside the others. */
function sidecarNames(pod: PrintedPod): ReadonlySet<string> {
  const containers = pod.spec.initContainers ?? [];
  return new Set(
    containers.filter((item) => item.restartPolicy === "Always").map((item) => item.name),
  );
}

function firstReason(pod: PrintedPod): string {
  const isGated = pod.status?.conditions?.some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  if (isGated) return "SchedulingGated";
  return pod.status?.reason || (pod.status?.phase ?? "");
}

type InitFindings = Findings & { readonly stoppedAt?: number };

/** Visits init containers in order, up to the first that is neither done nor a started sidecar. */
function initStage(pod: PrintedPod, sidecars: ReadonlySet<string>): InitFindings {
  const statuses = pod.status?.initContainerStatuses ?? [];
  let ready = 0;
  for (const [index, status] of statuses.entries()) {
    if (status.state?.terminated?.exitCode === 0) continue;
    if (sidecars.has(status.name) && status.started) {
      if (status.ready) ready += 1;
      continue;
    }
    const total = pod.spec.initContainers?.length ?? 0;
    const reason = initReason(status, `${index}/${total}`);
    return { reason, ready, statuses: statuses.slice(0, index + 1), stoppedAt: index };
  }
  return { reason: firstReason(pod), ready, statuses };
}

function initReason({ state }: ContainerStatus, progress: string): string {
  if (state?.terminated !== undefined) return `Init:${endReason(state.terminated)}`;
  const waiting = state?.waiting?.reason ?? "";
  return waiting === "" || waiting === "PodInitializing" ? `Init:${progress}` : `Init:${waiting}`;
}

function endReason({ reason, signal, exitCode }: Terminated): string {
  if (reason !== undefined && reason !== "") return reason;
  return signal === undefined || signal === 0 ? `ExitCode:${exitCode ?? 0}` : `Signal:${signal}`;
}

function mainStage(
  pod: PrintedPod,
  sidecars: ReadonlySet<string>,
  initializing: InitFindings,
): Findings {
  const statuses = pod.status?.containerStatuses ?? [];
  const running = statuses.filter(isReadyAndRunning);
  const containerReasons = statuses.map(reasonOf);
  // The first container with a reason wins.
  const reason = containerReasons.find((item) => item !== undefined) ?? initializing.reason;
  const failed = statuses.find(hasFailed)?.state?.terminated;
  const ongoing = initializing.statuses.filter((status) => sidecars.has(status.name));
  return {
    reason: whenCompleted(reason, {
      isRunning: running.length > 0,
      isReady: isConditionTrue(pod, "Ready"),
      failure: failed === undefined ? undefined : endReason(failed),
    }),
    ready: initializing.ready + running.length,
    statuses: [...ongoing, ...statuses],
  };
}

const isWaiting = ({ state }: ContainerStatus): boolean => (state?.waiting?.reason ?? "") !== "";

const isReadyAndRunning = (status: ContainerStatus): boolean =>
  !isWaiting(status) &&
  status.state?.terminated === undefined &&
  status.ready === true &&
  status.state?.running !== undefined;

const hasFailed = (status: ContainerStatus): boolean =>
  !isWaiting(status) && (status.state?.terminated?.exitCode ?? 0) !== 0;

function reasonOf(status: ContainerStatus): string | undefined {
  if (isWaiting(status)) return status.state?.waiting?.reason;
  const ended = status.state?.terminated;
  return ended === undefined ? undefined : endReason(ended);
}

/** One completed container does not make a completed pod while others run or have failed. */
function whenCompleted(
  reason: string,
  pod: { isRunning: boolean; isReady: boolean; failure: string | undefined },
): string {
  if (reason !== "Completed") return reason;
  if (pod.isRunning && pod.isReady) return "Running";
  if (pod.failure !== undefined) return pod.failure;
  return pod.isRunning ? "NotReady" : reason;
}

function whileDeleting(pod: PrintedPod, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (pod.status?.reason === "NodeLost") return "Unknown";
  const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  return isOver ? reason : "Terminating";
}

function restartsOf(
  statuses: readonly ContainerStatus[],
): Pick<PodSummary, "restarts" | "lastRestartMs"> {
  const restarts = statuses.reduce((sum, status) => sum + (status.restartCount ?? 0), 0);
  const ends = statuses
    .map((status) => parseTime(status.lastState?.terminated?.finishedAt ?? ""))
    .filter((ms) => ms !== undefined);
  return ends.length === 0 ? { restarts } : { restarts, lastRestartMs: Math.max(...ends) };
}
