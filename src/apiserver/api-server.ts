/** The embedded Kubernetes API server. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { restClient } from "../runtime/rest-client.ts";
import type { Transport } from "../runtime/transport.ts";
import { bootstrap } from "./bootstrap.ts";
import type { Context } from "./context.ts";
import { collectionOf } from "./context.ts";
import { serveDefinitions } from "./crd/serve-definitions.ts";
import { dispatch } from "./dispatch.ts";
import { listen } from "./http/listener.ts";
import type { Listening, ListenOptions } from "./http/listener.ts";
import type { Ids } from "./ids.ts";
import { randomIds } from "./ids.ts";
import { inProcessTransport } from "./in-process-transport.ts";
import type { AnsweringServer } from "./in-process-transport.ts";
import { startClaimProtection } from "./lifecycle/claim-protection.ts";
import type { EventExpiry } from "./lifecycle/event-expiry.ts";
import { startEventExpiry } from "./lifecycle/event-expiry.ts";
import { startGarbageCollector } from "./lifecycle/garbage-collector.ts";
import { startNamespaceLifecycle } from "./lifecycle/namespace-lifecycle.ts";
import { Registry } from "./registry.ts";
import type { ServedResource } from "./served-resource.ts";
import { memoryStore } from "./store/memory-store.ts";
import type { Store } from "./store/store.ts";
import { keyOf } from "./store/store.ts";
import { runWatch } from "./watch/watch.ts";

export interface ApiServerOptions {
  readonly clock: Clock;
  /** Where uids and generated names come from; seeded in simulations. */
  readonly ids?: Ids;
  readonly store?: Store;
  readonly resources: readonly ServedResource[];
  /** Called with what background work could not do for one object; without it, it is thrown. */
  readonly onProblem?: (problem: unknown) => void;
}

export interface ApiServer {
  /** Reaches the server from the same process, in microtasks only. */
  readonly transport: Transport;
  readonly client: Client;
  /** Starts to serve a resource, or replaces the one served at its path. */
  register(resource: ServedResource): void;
  unregister(resource: ServedResource): void;
  /** Puts objects of another cluster in as they are, with uid, status and times, past admission. */
  restore(resource: Resource, objects: readonly KubeObject[]): void;
  /** Opens a socket; the server can have several. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** Ends watches, sockets and background work. */
  stop(): Promise<void>;
}

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { clock, ids = randomIds(), store = memoryStore(), onProblem = rethrow } = options;
  const registry = new Registry();
  const context: Context = { clock, ids, store, registry, onProblem };
  const register = (resource: ServedResource): void => {
    registry.register(resource);
    // The collection starts to keep changes now, not at the first request.
    collectionOf(context, resource);
  };
  const eventExpiry = startEventExpiry(context);
  const background = [
    startGarbageCollector(context),
    startNamespaceLifecycle(context),
    startClaimProtection(context),
    eventExpiry,
  ];
  options.resources.forEach(register);
  background.push(serveDefinitions(context));
  bootstrap(context);
  const watches = new OpenWatches(context, eventExpiry);
  const transport = inProcessTransport(watches);
  const listeners = new Set<Listening>();
  return {
    transport,
    client: restClient(transport),
    register,
    unregister: (resource) => registry.unregister(resource),
    restore(resource, objects) {
      const served = registry.find(resource.group, resource.version, resource.plural);
      if (served === undefined) throw new Error(`${resource.plural} are not served`);
      const collection = collectionOf(context, served);
      for (const object of objects) {
        const { metadata } = object;
        const { namespace, name = "" } = metadata;
        // The store gives it a version of its own, and freezes the rest with whoever has it already.
        collection.put(keyOf(namespace, name), { ...object, metadata: { ...metadata } });
      }
    },
    async listen(listenOptions) {
      const listening = await listen(watches, clock, listenOptions);
      listeners.add(listening);
      return listening;
    },
    async stop() {
      for (const one of background) one.stop();
      watches.endAll();
      await Promise.all([...listeners].map((one) => one.stop()));
    },
  };
}

function rethrow(problem: unknown): never {
  throw problem;
}

/** Answers requests and keeps track of open watches, so that stopping can end them. */
class OpenWatches implements AnsweringServer {
  readonly #context: Context;
  readonly #eventExpiry: EventExpiry;
  readonly #endings = new Set<() => void>();

  constructor(context: Context, eventExpiry: EventExpiry) {
    this.#context = context;
    this.#eventExpiry = eventExpiry;
  }

  answer(request: Parameters<AnsweringServer["answer"]>[0]): ReturnType<AnsweringServer["answer"]> {
    this.#eventExpiry.expire();
    return dispatch(this.#context, request);
  }

  startWatch(...[plan, sink]: Parameters<AnsweringServer["startWatch"]>): { stop(): void } {
    const finish = (): void => {
      if (this.#endings.delete(end)) sink.end();
    };
    this.#endings.add(end);
    const running = runWatch(this.#context, plan, {
      send: (signal) => sink.send(signal),
      end: finish,
    });
    function end(): void {
      running.stop();
      finish();
    }
    return {
      stop: () => {
        this.#endings.delete(end);
        running.stop();
      },
    };
  }

  endAll(): void {
    for (const end of this.#endings) end();
  }
}
