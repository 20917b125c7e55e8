/** What a role allows from a kind's definition is enough for its controller. */
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Resource } from "../../src/api/resource.ts";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { SharedCaches } from "../../src/controllers/engine/shared-caches.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import type { Client } from "../../src/runtime/client.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { startCluster } from "../../src/sim/cluster.ts";
import type { Requests } from "./requests.ts";
import { allowedBy, recordRequests } from "./requests.ts";

const namespace = "default";
const minuteMs = 60_000;
const requests = new Map<string, Requests>();

/** Written by the operator whatever kinds it runs. */
const eventWrites = ["create /events", "patch /events"];

interface Workload {
  readonly resource: Resource;
  readonly object: KubeObject & { readonly spec: { readonly replicas?: number } };
}

/** The last object in the file. */
function sample(resource: Resource, file: string): Workload {
  const documents = parseAllDocuments(readFileSync(`deploy/samples/${file}`, "utf8"));
  const object = documents.at(-1)!.toJS() as Workload["object"];
  return { resource, object: { ...object, metadata: { ...object.metadata, namespace } } };
}

const workloads = [
  sample(podCliqueSetResource, "podcliqueset/disaggregated.yaml"),
  sample(podCliqueSetResource, "podcliqueset/replica-recreate-surge.yaml"),
  sample(podCliqueSetResource, "podcliqueset/shared-devices.yaml"),
  sample(statefulSetResource, "statefulset.yaml"),
];

/** Every image is another one, and there is one replica more. */
function changed({ object }: Workload): unknown {
  const { spec } = JSON.parse(JSON.stringify(object).replaceAll(/:v\d+"/g, ':v9"')) as {
    readonly spec: object;
  };
  return { spec: { ...spec, replicas: (object.spec.replicas ?? 1) + 1 } };
}

/** Each kind has a connection and caches of its own, so that a request tells who made it. */
beforeAll(async () => {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, resources: builtinResources() });
  const { client } = server;
  await installDefinitions(client);
  await startCluster({ client, clock, nodes: 16, gangs: true });
  for (const kind of kinds) {
    const recorded = recordRequests(server.transport);
    requests.set(kind.name, recorded);
    const options = { client: restClient(recorded.transport), clock };
    void kind.controller({ ...options, caches: new SharedCaches(options) }).start();
  }
  await story(client, clock);
}, 120_000);

async function story(client: Client, clock: VirtualClock): Promise<void> {
  for (const { resource, object } of workloads) await client.create(resource, object);
  await clock.runFor(minuteMs);
  for (const workload of workloads) {
    const body = changed(workload);
    await client.patch(workload.resource, keyOf(workload), { type: "merge", body });
  }
  await clock.runFor(3 * minuteMs);
  for (const workload of workloads) await client.delete(workload.resource, keyOf(workload));
  await clock.runFor(minuteMs);
}

const keyOf = ({ object }: Workload) => ({ namespace, name: object.metadata.name ?? "" });

test.each(kinds.map((kind) => [kind.name, kind] as const))(
  "%s asks for nothing that its definition does not name",
  (name, { access, watches }) => {
    const made = [...requests.get(name)!.made];
    expect(made.length).toBeGreaterThan(2 * watches.length);
    const allowed = new Set([...allowedBy(access), ...eventWrites]);
    expect(made.filter((request) => !allowed.has(request))).toEqual([]);
  },
);
