/** The embedded Kubernetes API server. */
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { restClient } from "../runtime/rest-client.ts";
import type { Transport } from "../runtime/transport.ts";
import type { Context } from "./context.ts";
import { collectionOf } from "./context.ts";
import { dispatch } from "./dispatch.ts";
import type { Ids } from "./ids.ts";
import { randomIds } from "./ids.ts";
import { inProcessTransport } from "./in-process-transport.ts";
import { Registry } from "./registry.ts";
import type { ServedResource } from "./served-resource.ts";
import { memoryStore } from "./store/memory-store.ts";
import type { Store } from "./store/store.ts";
import { runWatch } from "./watch/watch.ts";

export interface ApiServerOptions {
  readonly clock: Clock;
  /** Where uids and generated names come from; seeded in simulations. */
  readonly ids?: Ids;
  readonly store?: Store;
  readonly resources: readonly ServedResource[];
}

export interface ApiServer {
  /** Reaches the server from the same process, in microtasks only. */
  readonly transport: Transport;
  readonly client: Client;
  readonly context: Context;
  register(resource: ServedResource): void;
  unregister(resource: ServedResource): void;
}

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { clock, ids = randomIds(), store = memoryStore() } = options;
  const registry = new Registry();
  const context: Context = { clock, ids, store, registry };
  const register = (resource: ServedResource): void => {
    registry.register(resource);
    // The collection starts to remember changes now, not at the first request.
    collectionOf(context, resource);
  };
  options.resources.forEach(register);
  const transport = inProcessTransport({
    answer: (request) => dispatch(context, request),
    startWatch: (plan, sink) => runWatch(context, plan, sink),
  });
  return {
    transport,
    client: restClient(transport),
    context,
    register,
    unregister: (resource) => registry.unregister(resource),
  };
}
