/** What all controllers share from the outside: what they are given, and how they are started and stopped. */
import type { Cache } from "../../runtime/cache.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Controller, ControllerObserver } from "../../runtime/controller.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import type { OperatorMetrics } from "../../runtime/metrics.ts";

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

/** What ends with a controller. */
export interface Companions {
  readonly events?: Pick<EventRecorder, "flush">;
  readonly claims?: { stop(): void };
}

/** A controller with the caches it owns; `caches` is a record of them by name. */
export function controlledKind(
  controller: Controller,
  caches: object,
  { events, claims }: Companions = {},
): ControlledKind {
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
      claims?.stop();
      await events?.flush();
    },
  };
}
