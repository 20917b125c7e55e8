/** A small cluster in virtual time, made from a seed: the server, nodes, scheduler and kubelets of one simulation. */
import type { CustomResourceDefinition } from "../api/definition/custom-kind.ts";
import { createApiServer } from "../apiserver/api-server.ts";
import { builtinResources } from "../apiserver/catalogue/builtin-resources.ts";
import { customResources } from "../apiserver/crd/custom-resource.ts";
import type { CustomResourceDefinition as ServedDefinition } from "../apiserver/crd/definition.ts";
import { seededIds } from "../apiserver/ids.ts";
import type { ServedResource } from "../apiserver/served-resource.ts";
import { restClient } from "../runtime/rest-client.ts";
import type { Transport } from "../runtime/transport.ts";
import { VirtualClock } from "../runtime/virtual-clock.ts";
import type { ClusterOptions } from "../sim/cluster.ts";
import { startCluster } from "../sim/cluster.ts";

export type Definitions = readonly CustomResourceDefinition[];

export interface WorldOptions extends Pick<ClusterOptions, "shape" | "catalogue" | "isTerse"> {
  readonly seed: number;
  readonly nodes: number;
  /** Of the custom kinds; left out where none are needed. */
  readonly definitions?: Definitions | undefined;
  readonly onProblem: (problem: unknown) => void;
  /** Around everything that is asked of the server. */
  readonly around?: (server: Transport) => Transport;
}

export async function simulatedWorld(options: WorldOptions) {
  const { seed, nodes, definitions, onProblem, around = (server) => server } = options;
  const clock = new VirtualClock();
  const server = createApiServer({
    clock,
    ids: seededIds(seed),
    resources: servedWith(definitions),
  });
  const transport = around(withoutEvents(server.transport));
  const client = restClient(transport);
  const cluster = await startCluster({
    client,
    clock,
    nodes,
    gangs: definitions !== undefined,
    ...(options.shape && { shape: options.shape }),
    ...(options.catalogue && { catalogue: options.catalogue }),
    isTerse: options.isTerse === true,
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

const none: Definitions = [];
const served = new WeakMap<Definitions, readonly ServedResource[]>();

/** Schemas and rules are compiled once for all simulations: installing them would be a tenth of each. */
function servedWith(definitions: Definitions = none): readonly ServedResource[] {
  const known = served.get(definitions);
  if (known !== undefined) return known;
  const custom = definitions.flatMap((each) =>
    customResources(each as unknown as ServedDefinition),
  );
  const all = [...builtinResources(), ...custom];
  served.set(definitions, all);
  return all;
}

/** Nobody reads Events here, and they are a third of all writes. */
const withoutEvents = (transport: Transport): Transport => ({
  stream: (request, onEvent) => transport.stream(request, onEvent),
  request: (request) =>
    request.method !== "GET" && request.path.includes("/events")
      ? Promise.resolve({ status: 201, warnings: [], body: request.body })
      : transport.request(request),
});
