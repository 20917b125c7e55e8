/** The operator's Prometheus metrics: queues, reconciles, API calls, caches. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Cache } from "./cache.ts";
import type { ControllerObserver } from "./controller.ts";
import type { Transport, TransportRequest } from "./transport.ts";

const secondsBuckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

export interface LabelledGauge {
  set(labels: Readonly<Record<string, string>>, value: number): void;
  remove(labels: Readonly<Record<string, string>>): void;
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
  const caches = new Set<Cache>();
  registry.registerMetric(cacheSizes(caches));
  return {
    registry,
    observe,
    count: (transport) => countingTransport(transport, calls),
    follow: (cache) => void caches.add(cache),
    gauge: (name, help, labelNames) =>
      new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] }),
  };
}

/** Counted when the metrics are scraped: objects change far more often. */
function cacheSizes(caches: ReadonlySet<Cache>): Gauge {
  return new Gauge({
    name: "lockstep_cache_objects",
    help: "Objects held by a cache.",
    labelNames: ["resource"],
    registers: [],
    collect() {
      for (const cache of caches) this.set({ resource: cache.resource.plural }, cache.size);
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

function countingTransport(
  transport: Transport,
  calls: Counter<"verb" | "resource" | "code">,
): Transport {
  const count = (request: TransportRequest, code: number | string): void =>
    calls.inc({ ...describeCall(request), code: String(code) });
  return {
    async request(request) {
      try {
        const response = await transport.request(request);
        count(request, response.status);
        return response;
      } catch (error) {
        count(request, "none");
        throw error;
      }
    },
    stream(request, onEvent) {
      count(request, "stream");
      return transport.stream(request, onEvent);
    },
  };
}

const verbs = {
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
} as const;

/** `/apis/apps/v1/namespaces/default/statefulsets/web/status` -> update of statefulsets/status. */
export function describeCall(request: TransportRequest): { verb: string; resource: string } {
  const parts = request.path.split("/").filter((part) => part !== "");
  const rest = parts.slice(parts[0] === "api" ? 2 : 3);
  const inNamespace = rest[0] === "namespaces" && rest.length > 2;
  const [resource = "", name, subresource] = inNamespace ? rest.slice(2) : rest;
  const isList = request.method === "GET" && name === undefined;
  const listVerb = request.query?.["watch"] === "true" ? "watch" : "list";
  return {
    verb: isList ? listVerb : verbs[request.method],
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
  };
}
