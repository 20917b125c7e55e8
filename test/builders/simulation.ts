/** A whole simulated cluster in virtual time, with everything it writes on record. */
import { nodeResource } from "../../src/api/node.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Pod, PodSpec } from "../../src/api/pod.ts";
import { podResource } from "../../src/api/pod.ts";
import type { Resource } from "../../src/api/resource.ts";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { seededIds } from "../../src/apiserver/ids.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { definitionsOf, installDefinitions } from "../../src/cli/definitions.ts";
import { eventResource } from "../../src/runtime/event-recorder.ts";
import { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import type { ClusterOptions } from "../../src/sim/cluster.ts";
import { startCluster } from "../../src/sim/cluster.ts";

export const watched: readonly Resource[] = [podResource, nodeResource, eventResource];

export interface SimulationOptions extends Partial<ClusterOptions> {
  /** Whether the custom kinds are served, or which; left out, all are where the scheduler places gangs. */
  readonly customKinds?: boolean | readonly Resource[];
}

export async function simulation({ customKinds, ...options }: SimulationOptions = {}) {
  const clock = new VirtualClock();
  const server = createApiServer({
    clock,
    ids: seededIds(7),
    resources: builtinResources(),
  });
  const { client } = server;
  const served = customKinds ?? options.gangs === true;
  if (served !== false) {
    await installDefinitions(client, served === true ? undefined : definitionsOf(served));
  }
  const stream: string[] = [];
  for (const resource of watched) {
    const options = { resourceVersion: "0" };
    void client.watch(resource, options, (event) => stream.push(JSON.stringify(event)));
  }
  const problems: unknown[] = [];
  const onProblem = (problem: unknown): number => problems.push(problem);
  const cluster = await startCluster({ client, clock, onProblem, ...options });
  const pod = (name: string): Promise<Pod> =>
    client.get<Pod>(podResource, { namespace: "default", name });
  return {
    clock,
    client,
    transport: server.transport,
    /** Opens a socket, for clients that are to come over HTTP. */
    listen: (token: string) => server.listen({ token }),
    cluster,
    stream,
    problems,
    pod,
    create: (name: string, spec: Partial<PodSpec> = {}, metadata: KubeObject["metadata"] = {}) =>
      client.create<Pod>(podResource, podOf(name, spec, metadata)),
    events: async (name: string): Promise<string[]> => {
      const { items } = await client.list(eventResource, { namespace: "default" });
      return items
        .filter((event) => (event["involvedObject"] as { name: string }).name === name)
        .map((event) => `${event["reason"] as string}: ${event["message"] as string}`);
    },
    state: async (name: string) => summary(await pod(name)),
  };
}

function podOf(name: string, spec: Partial<PodSpec>, metadata: KubeObject["metadata"]): Pod {
  const containers = [{ name: "app", image: "app:v1" }];
  const meta = { name, namespace: "default", ...metadata };
  return { apiVersion: "v1", kind: "Pod", metadata: meta, spec: { containers, ...spec } };
}

/** `node-3 Running Ready`, as one would read it in a table. */
export function summary(pod: Pod): string {
  const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
  const [first] = pod.status?.containerStatuses ?? [];
  const waiting = first?.state?.waiting?.reason ?? "";
  return [
    pod.spec.nodeName ?? "(no node)",
    pod.metadata.deletionTimestamp === undefined ? (pod.status?.phase ?? "Pending") : "Terminating",
    ready?.status === "True" ? "Ready" : waiting,
  ]
    .filter((part) => part !== "")
    .join(" ");
}
