/** Plays the kubelets of all simulated nodes: runs each pod bound to a live node and reports its status. */
import type { ObjectKey } from "../../api/object.ts";
import type { Pod, PodStatus } from "../../api/pod.ts";
import { isFinished, isReady, podCondition, podResource } from "../../api/pod.ts";
import { isNotFound } from "../../api/status.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Outcome } from "../../runtime/controller.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import type { EventRecorder, EventText } from "../../runtime/event-recorder.ts";
import { keyOf, keyText } from "../../runtime/object-store.ts";
import type { Catalogue } from "../images/catalogue.ts";
import { annotationProblems } from "../images/catalogue.ts";
import type { Nodes } from "../nodes.ts";
import { hostIP } from "../nodes.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { PodRun } from "./pod-run.ts";
import { podStatus } from "./pod-status.ts";

export interface KubeletOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Needs the index `node`. */
  readonly pods: Cache<Pod>;
  readonly nodes: Nodes;
  readonly catalogue: Catalogue;
  readonly events: EventRecorder;
  /** Leaves out reports that change neither readiness nor what is wrong, for runs that nobody looks at closely. */
  readonly reportsReadinessOnly?: boolean;
  readonly onProblem?: (problem: unknown) => void;
}

interface Running {
  readonly run: PodRun;
  readonly nodeNumber: number;
  /** The pod as of the latest reconcile; events are about it. */
  pod: Pod;
  /** The resourceVersion of the last status write; a pod still at it has not been changed by others. */
  reportedVersion?: string;
  /** When the next transition of the pod is due. */
  dueMs: number;
}

export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #controller: Controller;
  readonly #running = new Map<string, Running>();
  readonly #images = new Map<string, Set<string>>();
  readonly #addresses = new PodAddresses();
  /** What takes time here takes as long as it takes, wherever the wall clock is set meanwhile. */
  readonly #aheadMs: number;

  constructor(options: KubeletOptions) {
    const { client, clock, pods, nodes, onProblem } = options;
    this.#options = options;
    this.#aheadMs = clock.now() - clock.monotonic();
    this.#controller = new Controller({
      name: "kubelet",
      client,
      clock,
      watches: [watch(pods, (pod) => (pod.spec.nodeName === undefined ? [] : [keyOf(pod)]))],
      reconcile: (key, client) => this.#reconcile(key, client),
      workers: 8,
      observer: { reconciled: (_key, { error }) => error !== undefined && onProblem?.(error) },
    });
    nodes.onHealthChange((name) => this.#enqueuePodsOf(name));
  }

  start(): Promise<void> {
    return this.#controller.start();
  }

  stop(): Promise<void> {
    return this.#controller.stop();
  }

  #steadyMs(): number {
    return this.#options.clock.monotonic() + this.#aheadMs;
  }

  #enqueuePodsOf(node: string): void {
    const keys = this.#options.pods.byIndex("node", node).map(keyOf);
    for (const key of keys.toSorted()) this.#controller.queue.add(key);
  }

  async #reconcile(key: ObjectKey, client: Client): Promise<Outcome> {
    const pod = this.#options.pods.get(key);
    if (pod?.metadata.uid !== this.#running.get(keyText(key))?.run.uid) this.#drop(keyText(key));
    const nodeName = pod?.spec.nodeName;
    if (pod === undefined || nodeName === undefined || !this.#options.nodes.isAlive(nodeName))
      return {};
    const isTerminating = pod.metadata.deletionTimestamp !== undefined;
    if (isFinished(pod) && !isTerminating) return {};

    const running = this.#runningOf(pod, nodeName);
    const nowMs = this.#steadyMs();
    if (running.reportedVersion !== pod.metadata.resourceVersion || running.dueMs <= nowMs)
      await this.#advance(client, running, nowMs);
    return running.dueMs === Infinity ? {} : { recheckAfterMs: running.dueMs - nowMs };
  }

  async #advance(client: Client, running: Running, nowMs: number): Promise<void> {
    const { run, pod } = running;
    run.advance(pod, nowMs);
    running.dueMs = run.nextMs(nowMs);
    if (run.hasRun || !run.isStopped) await this.#report(client, running);
    if (run.isStopped) await this.#remove(client, pod);
  }

  #runningOf(pod: Pod, nodeName: string): Running {
    const key = keyOf(pod);
    const known = this.#running.get(key);
    if (known !== undefined) {
      known.pod = pod;
      return known;
    }
    for (const message of annotationProblems(pod))
      this.#note(pod, { type: "Warning", reason: "InvalidSimulation", message });
    const nodeNumber = this.#options.nodes.numberOf(nodeName);
    const images = this.#images.get(nodeName) ?? new Set<string>();
    this.#images.set(nodeName, images);
    const run = new PodRun({
      pod,
      podIP: this.#podIP(pod, nodeNumber),
      hostIP: hostIP(nodeNumber),
      catalogue: this.#options.catalogue,
      images,
      note: (text) => this.#note(this.#running.get(key)?.pod ?? pod, text),
      nowMs: this.#steadyMs(),
    });
    const running = { run, nodeNumber, pod, dueMs: 0 };
    this.#running.set(key, running);
    return running;
  }

  #podIP(pod: Pod, nodeNumber: number): string {
    if (pod.spec.hostNetwork === true) return hostIP(nodeNumber);
    const known = pod.status?.podIP;
    if (known !== undefined) return this.#addresses.claim(nodeNumber, known);
    return this.#addresses.allocate(nodeNumber);
  }

  #drop(key: string): void {
    const gone = this.#running.get(key);
    if (gone === undefined) return;
    this.#running.delete(key);
    this.#addresses.release(gone.nodeNumber, gone.run.podIP);
  }

  async #report(client: Client, running: Running): Promise<void> {
    const { run, pod } = running;
    const isTerse = this.#options.reportsReadinessOnly === true;
    // A pod that goes is not served by anybody any more, whatever its containers do.
    if (isTerse && pod.metadata.deletionTimestamp !== undefined) return;
    const times = { nowMs: this.#steadyMs(), wallMs: this.#options.clock.now() };
    const status = podStatus(pod, run, times);
    if (isTerse && !changesReadiness(pod, status)) return;
    const text = JSON.stringify(status);
    if (text === run.written && !isOverwritten(pod, status)) return;
    const key = { namespace: pod.metadata.namespace, name: pod.metadata.name ?? "" };
    const body = { metadata: { uid: pod.metadata.uid }, status: asPatch(pod, status) };
    const patch = { type: "strategic", body } as const;
    const write = client.patch(podResource, key, patch, { subresource: "status" });
    running.reportedVersion = (await ignoringGone(write))?.metadata.resourceVersion;
    run.written = text;
  }

  async #remove(client: Client, pod: Pod): Promise<void> {
    const { namespace, name = "", uid } = pod.metadata;
    const options = { gracePeriodSeconds: 0, uid };
    await ignoringGone(client.delete(podResource, { namespace, name }, options));
  }

  #note(pod: Pod, text: EventText): void {
    this.#options.events.record(pod, text, { host: pod.spec.nodeName });
  }
}

/** A pod that says nothing of its readiness yet is as good as one that says it is not ready. */
const changesReadiness = (pod: Pod, status: PodStatus): boolean =>
  isReady(pod) !== readinessIn(status) || troubleOf(pod.status) !== troubleOf(status);

const readinessIn = ({ conditions }: PodStatus): boolean =>
  conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;

const usualWaits: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing", ""]);

/** What is wrong, and how often it was. */
function troubleOf(status: PodStatus | undefined): string {
  const containers = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ].map(({ name, restartCount, state }) => {
    const reason = state?.waiting?.reason ?? "";
    return restartCount === 0 && usualWaits.has(reason) ? "" : `${name} ${restartCount} ${reason}`;
  });
  const phase = status?.phase === "Failed" || status?.phase === "Succeeded" ? status.phase : "";
  return `${phase} ${containers.join(" ").trim()}`;
}

/** The node lifecycle controller changed the pod's readiness while this kubelet was cut off. */
function isOverwritten(pod: Pod, status: PodStatus): boolean {
  const ours = status.conditions?.find(({ type }) => type === "Ready")?.status;
  return podCondition(pod, "Ready")?.status !== ours;
}

/** A merge patch keeps absent fields, so outdated reasons and messages are cleared explicitly. */
function asPatch(pod: Pod, status: PodStatus): unknown {
  const conditions = status.conditions?.map((condition) => {
    const old = podCondition(pod, condition.type);
    return {
      ...(old?.reason === undefined ? {} : { reason: null }),
      ...(old?.message === undefined ? {} : { message: null }),
      ...condition,
    };
  });
  return { ...status, conditions };
}

/** A pod that has been deleted meanwhile needs no report. */
async function ignoringGone<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}
