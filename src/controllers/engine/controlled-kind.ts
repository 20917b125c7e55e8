/** The controller of a kind: what it is given, what it works with, and how it is started and stopped. */
import type { Resource } from "../../api/resource.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { ControllerObserver, ControllerOptions } from "../../runtime/controller.ts";
import { Controller } from "../../runtime/controller.ts";
import { eventRecorder } from "../../runtime/event-recorder.ts";
import type { OperatorMetrics } from "../../runtime/metrics.ts";
import type { ActionReasons } from "./action-events.ts";
import { ActionEvents } from "./action-events.ts";
import { LiveAnswers } from "./live-reads.ts";
import { OwnerMemory } from "./per-owner.ts";
import type { Kind, KindTools, Planned } from "./reconcile.ts";
import { reconcileKind } from "./reconcile.ts";
import type { Reported, StatusTiming } from "./status-writer.ts";
import { StatusWriter } from "./status-writer.ts";

export interface KindOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly observer?: ControllerObserver;
  readonly onProblem?: (problem: unknown) => void;
  /** Makes gauges of a kind's own; without it none are kept. */
  readonly gauge?: OperatorMetrics["gauge"];
}

export interface ControlledKind {
  readonly caches: readonly Cache[];
  start(): Promise<void>;
  /** Finishes what is under way; the last events are written before it resolves. */
  stop(): Promise<void>;
}

interface ToolParts<T extends Reported<S>, S extends object> extends StatusTiming<S, T> {
  readonly resource: Resource;
  readonly reasons: ActionReasons;
}

/** What the reconciles of one kind share. */
export function kindTools<T extends Reported<S>, S extends object>(
  { client, clock, onProblem }: KindOptions,
  { resource, reasons, ...timing }: ToolParts<T, S>,
): KindTools<T, S> {
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const memory = new OwnerMemory();
  return {
    clock,
    events,
    memory,
    actions: new ActionEvents(clock, events, reasons),
    answers: memory.perOwner(() => new LiveAnswers()),
    statuses: new StatusWriter<S, T>({ clock, memory, resource, ...timing }),
  };
}

interface ControllerParts<
  T extends Reported<S>,
  S extends object,
  O,
  P extends Planned,
> extends Pick<ControllerOptions, "name" | "watches" | "workers" | "spacingMs"> {
  /** By name; they start and stop with the controller. */
  readonly caches: object;
  readonly tools: KindTools<T, S>;
  readonly kind: Kind<T, S, O, P>;
  readonly onStop?: () => void;
}

export function controlledKind<T extends Reported<S>, S extends object, O, P extends Planned>(
  { client, clock, observer }: KindOptions,
  { caches, tools, kind, onStop, ...parts }: ControllerParts<T, S, O, P>,
): ControlledKind {
  const reconcile = reconcileKind(kind, tools);
  const controller = new Controller({ client, clock, observer, reconcile, ...parts });
  const all = Object.values(caches) as Cache[];
  return {
    caches: all,
    start() {
      for (const cache of all) cache.start();
      return controller.start();
    },
    async stop() {
      await controller.stop();
      for (const cache of all) cache.stop();
      onStop?.();
      await tools.actions.flush();
    },
  };
}
