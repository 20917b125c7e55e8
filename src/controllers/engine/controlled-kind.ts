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
import type { RolloutGauges } from "./rollout-gauges.ts";
import type { RolloutStep } from "./rollout-steps.ts";
import { RolloutFollower } from "./rollout-steps.ts";
import type { Reported, StatusTiming } from "./status-writer.ts";
import { StatusWriter } from "./status-writer.ts";

export interface KindOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly observer?: ControllerObserver;
  readonly onProblem?: (problem: unknown) => void;
  /** Schedulers that place a gang as a whole, by name; undefined where all of them may. */
  readonly gangSchedulers?: readonly string[] | undefined;
  /** How long a key rests between two reconciles, where its kind does not ask for more; events meanwhile count once. */
  readonly leastRestMs?: number;
  /** Called when a rollout begins, waits for something else, rests or stalls. */
  readonly onRollout?: (step: RolloutStep) => void;
  /** Makes gauges of a kind's own; without it none are kept. */
  readonly gauge?: OperatorMetrics["gauge"];
  /** The gauges that all kinds share; without it none are kept. */
  readonly rollouts?: RolloutGauges;
}

export interface ControlledKind {
  readonly caches: readonly Cache[];
  /** Whether its caches are complete, so that it reconciles. */
  readonly isReady: boolean;
  start(): Promise<void>;
  /** Finishes what is under way; the last events are written before it resolves. */
  stop(): Promise<void>;
  /** Begins nothing any more and closes its watches: for a process that may not write, and is about to end. */
  halt(): void;
}

interface ToolParts<T extends Reported<S>, S extends object> extends StatusTiming<S, T> {
  readonly resource: Resource;
  readonly reasons: ActionReasons;
}

/** What the reconciles of one kind share. */
export function kindTools<T extends Reported<S>, S extends object>(
  { client, clock, onProblem, onRollout, rollouts }: KindOptions,
  { resource, reasons, ...timing }: ToolParts<T, S>,
): KindTools<T, S> {
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const memory = new OwnerMemory();
  return {
    clock,
    events,
    memory,
    gauges: rollouts?.forKind(resource, memory),
    actions: new ActionEvents(clock, events, reasons),
    answers: memory.perOwner(() => new LiveAnswers()),
    statuses: new StatusWriter<S, T>({ clock, memory, resource, ...timing }),
    log: new RolloutFollower({ clock, memory, kind: resource.kind, onStep: onRollout }),
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
  { client, clock, observer, leastRestMs }: KindOptions,
  { caches, tools, kind, onStop, ...parts }: ControllerParts<T, S, O, P>,
): ControlledKind {
  const reconcile = reconcileKind(kind, tools);
  const spacingMs = atLeast(leastRestMs, parts.spacingMs);
  const controller = new Controller({ client, clock, observer, reconcile, ...parts, spacingMs });
  const all = Object.values(caches) as Cache[];
  let isReading = true;
  const stopReading = (): void => {
    if (!isReading) return;
    isReading = false;
    for (const cache of all) cache.stop();
    onStop?.();
  };
  return {
    caches: all,
    get isReady() {
      return controller.isReady;
    },
    start() {
      for (const cache of all) cache.start();
      return controller.start();
    },
    async stop() {
      await controller.stop();
      stopReading();
      await tools.actions.flush();
    },
    halt() {
      controller.halt();
      stopReading();
    },
  };
}

type Spacing = ControllerOptions["spacingMs"];

function atLeast(restMs: number | undefined, spacingMs: Spacing): Spacing {
  if (restMs === undefined) return spacingMs;
  return (key) => Math.max(restMs, spacingMs?.(key) ?? 0);
}
