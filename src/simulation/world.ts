/** A small cluster in virtual time, made from a seed: the server, nodes, scheduler and kubelets of one simulation. */
import { createApiServer } from "../apiserver/api-server.ts";
import { builtinResources } from "../apiserver/catalogue/builtin-resources.ts";
import { seededIds } from "../apiserver/ids.ts";
import type { Client } from "../runtime/client.ts";
import { restClient } from "../runtime/rest-client.ts";
import type { Transport } from "../runtime/transport.ts";
import { VirtualClock } from "../runtime/virtual-clock.ts";
import type { ClusterOptions } from "../sim/cluster.ts";
import { startCluster } from "../sim/cluster.ts";

export interface WorldOptions extends Pick<ClusterOptions, "shape" | "catalogue"> {
  readonly seed: number;
  readonly nodes: number;
  /** Serves the custom kinds; left out where none are needed. */
  readonly installDefinitions?: ((client: Client) => Promise<void>) | undefined;
  readonly onProblem: (problem: unknown) => void;
}

export async function simulatedWorld(options: WorldOptions) {
  const { seed, nodes, installDefinitions, onProblem } = options;
  const clock = new VirtualClock();
  const server = createApiServer({
    clock,
    ids: seededIds(seed),
    resources: builtinResources(),
  });
  const transport = withoutEvents(server.transport);
  const client = restClient(transport);
  await installDefinitions?.(client);
  const cluster = await startCluster({
    client,
    clock,
    nodes,
    gangs: installDefinitions !== undefined,
    ...(options.shape && { shape: options.shape }),
    ...(options.catalogue && { catalogue: options.catalogue }),
    onProblem,
  });
  return {
    clock,
    client,
    transport,
    cluster,
    async stop() {
      const stopped = cluster.stop();
      await clock.runFor(0);
      await stopped;
      await server.stop();
    },
  };
}

export type SimulatedWorld = Awaited<ReturnType<typeof simulatedWorld>>;

/** Nobody reads Events here, and they are a third of all writes. */
const withoutEvents = (transport: Transport): Transport => ({
  stream: (request, onEvent) => transport.stream(request, onEvent),
  request: (request) =>
    request.method !== "GET" && request.path.includes("/events")
      ? Promise.resolve({ status: 201, warnings: [], body: request.body })
      : transport.request(request),
});
