/** What the scheduler writes to the API: bindings, conditions and events. */
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podCondition, podResource } from "../../api/pod.ts";
import { isNotFound } from "../../api/status.ts";
import { timeText } from "../../api/time-text.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { keyOf } from "../../runtime/object-store.ts";

export interface SchedulerWriteOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly onProblem?: (problem: unknown) => void;
}

const gatedMessage = "Scheduling is blocked due to non-empty scheduling gates";

export class SchedulerWrites {
  readonly #options: SchedulerWriteOptions;

  constructor(options: SchedulerWriteOptions) {
    this.#options = options;
  }

  /** False when the pod was not bound and should be tried again. */
  async bind(pod: Pod, node: string): Promise<boolean> {
    const { client, events, onProblem } = this.#options;
    const { namespace, name, uid } = pod.metadata;
    const binding: KubeObject = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { namespace, name, uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    };
    // Taken first, because the kubelet may record events of the pod before the bind request returns.
    const number = events.takeNumber();
    try {
      await client.create(podResource, binding, { subresource: "binding" });
    } catch (error) {
      if (!isNotFound(error)) onProblem?.(error);
      return false;
    }
    const message = `Successfully assigned ${keyOf(pod)} to ${node}`;
    events.record(pod, { type: "Normal", reason: "Scheduled", message }, { number });
    return true;
  }

  async reportUnschedulable(pod: Pod, message: string): Promise<void> {
    this.#options.events.record(pod, { type: "Warning", reason: "FailedScheduling", message });
    await this.#condition(pod, "Unschedulable", message);
  }

  /** API servers set this condition when a gated pod is created; this covers those that do not. */
  reportGates(pod: Pod): void {
    if (podCondition(pod, "PodScheduled")?.reason === "SchedulingGated") return;
    void this.#condition(pod, "SchedulingGated", gatedMessage);
  }

  async #condition(pod: Pod, reason: string, message: string): Promise<void> {
    const { client, clock, onProblem } = this.#options;
    const old = podCondition(pod, "PodScheduled");
    if (old?.reason === reason && old.message === message) return;
    const lastTransitionTime =
      old?.status === "False" ? old.lastTransitionTime : timeText(clock.now());
    const condition = { type: "PodScheduled", status: "False", lastProbeTime: null };
    const conditions = [{ ...condition, reason, message, lastTransitionTime }];
    const { namespace, name = "", uid } = pod.metadata;
    const body = { metadata: { uid }, status: { conditions } };
    try {
      const patch = { type: "strategic", body } as const;
      await client.patch(podResource, { namespace, name }, patch, { subresource: "status" });
    } catch (error) {
      if (!isNotFound(error)) onProblem?.(error);
    }
  }
}
