/** A client whose lists and watches stay inside one namespace, for an operator that may not read the whole cluster. */
import type { Client } from "./client.ts";

export const namespacedClient = (client: Client, namespace: string): Client => ({
  ...client,
  list: (resource, options = {}) =>
    client.list(resource, resource.namespaced ? { namespace, ...options } : options),
  watch: (resource, options, onEvent) =>
    client.watch(resource, resource.namespaced ? { namespace, ...options } : options, onEvent),
});
