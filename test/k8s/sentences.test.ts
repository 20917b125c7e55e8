/** What a PodCliqueSet says of a canary, a quota and full nodes on a real API server, in the words of that server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { Resource } from "../../src/api/resource.ts";
import { chooseKinds } from "../../src/cli/controllers.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { ControlledKind } from "../../src/controllers/engine/controlled-kind.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

let cluster: RealCluster;
let controllers: readonly ControlledKind[] = [];

beforeAll(async () => {
  cluster = await startRealCluster();
  await installDefinitions(cluster.client);
  controllers = await startKinds(
    chooseKinds("podcliqueset,podcliquescalinggroup,podclique,podgang"),
    { client: await cluster.operatorClient(), clock: systemClock() },
  );
});

afterAll(async () => {
  for (const controller of controllers) await controller.stop();
  await cluster.stop();
});

const quotaResource: Resource = {
  group: "",
  version: "v1",
  plural: "resourcequotas",
  kind: "ResourceQuota",
  namespaced: true,
};

const said = async (name: string, type: string): Promise<string> => {
  const key = { namespace, name };
  const { status } = await cluster.client.get<PodCliqueSet>(podCliqueSetResource, key);
  const found = status?.conditions?.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason}: ${found?.message}`;
};

const says = (name: string, type: string, pattern: RegExp): Promise<unknown> =>
  until(`${name} says ${pattern.source}`, async () => pattern.test(await said(name, type)));

test("PS21 a quota is quoted by the set, which is not rolled out while it refuses a pod", async () => {
  await cluster.client.create(quotaResource, {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "pods", namespace },
    spec: { hard: { pods: "2" } },
  });
  await until("the quota is counted", async () => {
    const quota = await cluster.client.get(quotaResource, { namespace, name: "pods" });
    return (quota["status"] as { readonly hard?: object } | undefined)?.hard !== undefined;
  });
  const cliques = { front: { replicas: 3, minAvailable: 1 } };
  await cluster.client.create(podCliqueSetResource, podCliqueSetOf({ name: "limited", cliques }));
  await says("limited", "Available", /^True MinimumAvailable: 1 of 1 replica available$/);
  await says(
    "limited",
    "Progressing",
    /^True UnitNotComplete: waiting for limited-0 to be complete; limited-0-front-\d: not created: exceeded quota/,
  );
  expect(await said("limited", "UpdateInProgress")).toMatch(/^True UnitNotComplete: /);
  await cluster.client.delete(quotaResource, { namespace, name: "pods" });
  await says("limited", "Progressing", /^False RolledOut: 1 replica available on /);
});

test("PS21 a canary rests at its partition, and is rolled out when it is promoted", async () => {
  const cliques = { front: { replicas: 2, updateStrategy: { partition: 1 } } };
  const set = podCliqueSetOf({ name: "canary", cliques });
  await cluster.client.create(podCliqueSetResource, set);
  await says("canary", "Progressing", /^False RolledOut: 1 replica available on /);
  const change = (path: string, value: unknown) =>
    cluster.client.patch(
      podCliqueSetResource,
      { namespace, name: "canary" },
      { type: "json", operations: [{ op: "replace", path, value }] },
    );
  await change("/spec/template/cliques/0/spec/podSpec/containers/0/image", "front:v2");
  await says(
    "canary",
    "Progressing",
    /^False AtPartition: canary-0-front 1 of 2 updated, partition 1$/,
  );
  await change("/spec/template/cliques/0/updateStrategy/partition", 0);
  await says("canary", "Progressing", /^False RolledOut: 1 replica available on /);
  expect(await said("canary", "UpdateInProgress")).toMatch(/^False RolledOut: /);
});

test("what the scheduler lacks is quoted to its end, without what it tried", async () => {
  const limits = { "nvidia.com/gpu": 9 };
  const containers = [{ name: "app", image: "front:v1", resources: { limits } }];
  const cliques = { front: { podSpec: { containers } } };
  await cluster.client.create(podCliqueSetResource, podCliqueSetOf({ name: "full", cliques }));
  await says("full", "Progressing", /: not scheduled: /);
  expect((await said("full", "Progressing")).split("; ").at(-1)).toBe(
    "full-0-front-0: not scheduled: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu",
  );
});
