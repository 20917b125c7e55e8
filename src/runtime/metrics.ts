/** The operator's Prometheus metrics: queues, reconciles, API calls, caches. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { ApiError } from "../api/status.ts";
import type { Status } from "../api/status.ts";
import type { Cache } from "./cache.ts";
import type { ControllerObserver } from "./controller.ts";
import { describeCall } from "./request-name.ts";
import type { Transport, TransportRequest } from "./transport.ts";

const secondsBuckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

export interface LabelledGauge {
  set(labels: Readonly<Record<string, string>>, value: number): void;
  remove(labels: Readonly<Record<string, string>>): void;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface MetricNames {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

export interface OperatorMetrics {
  readonly registry: Registry;
  /** Hooks for one controller's queue and reconciles. */
  observe(controller: string): ControllerObserver;
  /** The same transport, its calls counted by verb, resource and status code. */
  count(transport: Transport): Transport;
  /** Reports how many objects a cache holds. */
  follow(cache: Cache): void;
  /** A gauge whose series a controller sets and removes itself. */
  readonly gauge: (name: string, help: string, labelNames: readonly string[]) => LabelledGauge;
  /** A gauge whose values are asked for when somebody scrapes. */
  readonly collected: (metric: MetricNames, samples: () => Sample[]) => void;
  /** Reports whether this process leads. */
  leads(isLeader: () => boolean): void;
}

export function operatorMetrics(registry = new Registry()): OperatorMetrics {
  collectDefaultMetrics({ register: registry });
  const observe = controllerMetrics(registry);
  const calls = new Counter({
    name: "lockstep_api_calls_total",
    help: "Requests to the API server by verb, resource and status code.",
    labelNames: ["verb", "resource", "code"],
    registers: [registry],
  });
  const denied = new Counter({
    name: "lockstep_api_denied_total",
    help: "Requests that the role of the operator does not allow; refusals by quotas and policies are not counted.",
    labelNames: ["verb", "resource"],
    registers: [registry],
  });
  const caches = new Set<Cache>();
  const gauges = new Map<string, LabelledGauge>();
  registry.registerMetric(cacheSizes(caches));
  const collected: OperatorMetrics["collected"] = (metric, samples) =>
    registry.registerMetric(new CollectedGauge(metric, samples));
  return {
    registry,
    observe,
    count: (transport) => countingTransport(transport, { calls, denied }),
    follow: (cache) => void caches.add(cache),
    // The controllers of several namespaces share one.
    gauge: (name, help, labelNames) => {
      const registers = [registry];
      const gauge =
        gauges.get(name) ?? new Gauge({ name, help, labelNames: [...labelNames], registers });
      gauges.set(name, gauge);
      return gauge;
    },
    collected,
    leads: (isLeader) => {
      const help = "1 where this process holds the lease and writes, 0 where it waits.";
      const sample = (): Sample => ({ labels: {}, value: isLeader() ? 1 : 0 });
      collected({ name: "lockstep_leader", help, labelNames: [] }, () => [sample()]);
    },
  };
}

/** Keeps no values of its own: there may be many, and they are needed only while they are sent. */
class CollectedGauge extends Gauge {
  readonly #samples: () => Sample[];

  constructor({ name, help, labelNames }: MetricNames, samples: () => Sample[]) {
    super({ name, help, labelNames: [...labelNames], registers: [] });
    this.#samples = samples;
  }

  override async get(): ReturnType<Gauge["get"]> {
    return { ...(await super.get()), values: this.#samples() };
  }
}

/** Counted when the metrics are scraped: objects change far more often. */
function cacheSizes(caches: ReadonlySet<Cache>): Gauge {
  return new Gauge({
    name: "lockstep_cache_objects",
    help: "Objects held by a cache.",
    labelNames: ["resource"],
    registers: [],
    collect() {
      this.reset();
      for (const cache of caches) this.inc({ resource: cache.resource.plural }, cache.size);
    },
  });
}

function controllerMetrics(registry: Registry): (controller: string) => ControllerObserver {
  const registers = [registry];
  const labelNames = ["controller"] as const;
  const depth = new Gauge({
    name: "lockstep_queue_depth",
    help: "Keys waiting for a worker.",
    labelNames,
    registers,
  });
  const waited = new Histogram({
    name: "lockstep_queue_wait_seconds",
    help: "How long keys waited in the queue.",
    labelNames,
    buckets: secondsBuckets,
    registers,
  });
  const retries = new Counter({
    name: "lockstep_queue_retries_total",
    help: "Keys put back after an error.",
    labelNames,
    registers,
  });
  const duration = new Histogram({
    name: "lockstep_reconcile_seconds",
    help: "How long reconciles took.",
    labelNames,
    buckets: secondsBuckets,
    registers,
  });
  const errors = new Counter({
    name: "lockstep_reconcile_errors_total",
    help: "Reconciles that failed; lost races are not counted.",
    labelNames,
    registers,
  });
  const lag = new Histogram({
    name: "lockstep_cache_lag_seconds",
    help: "How long a key waited for the caches to show its own writes.",
    labelNames,
    buckets: secondsBuckets,
    registers,
  });
  return (controller) => ({
    caughtUp: (_key, behindMs) => lag.observe({ controller }, behindMs / 1000),
    depth: (waiting) => depth.set({ controller }, waiting),
    waited: (_key, waitedMs) => waited.observe({ controller }, waitedMs / 1000),
    retried: () => retries.inc({ controller }),
    reconciled(_key, { durationMs, error }) {
      duration.observe({ controller }, durationMs / 1000);
      if (error !== undefined) errors.inc({ controller });
    },
  });
}

interface CallCounters {
  readonly calls: Counter<"verb" | "resource" | "code">;
  readonly denied: Counter<"verb" | "resource">;
}

function countingTransport(transport: Transport, { calls, denied }: CallCounters): Transport {
  const count = (request: TransportRequest, code: number | string): void => {
    const { verb, resource } = describeCall(request);
    calls.inc({ verb, resource, code: String(code) });
  };
  const countDenial = (request: TransportRequest, answer: unknown): void => {
    const { verb, resource } = describeCall(request);
    if (isDenial(answer)) denied.inc({ verb, resource });
  };
  return {
    async request(request) {
      try {
        const response = await transport.request(request);
        count(request, response.status);
        countDenial(request, response.body);
        return response;
      } catch (error) {
        count(request, "none");
        throw error;
      }
    },
    async stream(request, onEvent) {
      count(request, "stream");
      try {
        await transport.stream(request, onEvent);
      } catch (error) {
        if (error instanceof ApiError) countDenial(request, error.status);
        throw error;
      }
    },
  };
}

/** A quota, a policy and a webhook forbid an object with the same code; only a missing right names the user. */
function isDenial(answer: unknown): boolean {
  const { code, message = "" } = (answer ?? {}) as Partial<Status>;
  return code === 403 && / User "[^"]*" cannot /.test(message);
}
