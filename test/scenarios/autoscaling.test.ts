/** Autoscalers of the simulated cluster size every kind that can be scaled, by a load that tests and people set. */
import { expect, test } from "vitest";
import { autoscalerResource } from "../../src/api/autoscaler.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { scalingGroupResource } from "../../src/api/grove/scaling-group.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Resource } from "../../src/api/resource.ts";
import { apiVersionOf } from "../../src/api/resource.ts";
import type { Client } from "../../src/runtime/client.ts";
import { eventResource } from "../../src/runtime/event-recorder.ts";
import { startAutoscaling } from "../../src/sim/autoscaler/autoscaler-controller.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { namespace } from "../builders/scenario.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";

interface Autoscaler extends KubeObject {
  readonly spec: { readonly metrics?: unknown };
  readonly status?: {
    readonly desiredReplicas?: number;
    readonly currentReplicas?: number;
    readonly conditions?: readonly {
      type: string;
      status: string;
      reason: string;
      message: string;
    }[];
  };
}

const perReplica = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
};

const autoscalerOf = (resource: Resource, name: string): KubeObject => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name, namespace },
  spec: {
    scaleTargetRef: { apiVersion: apiVersionOf(resource), kind: resource.kind, name },
    minReplicas: 1,
    maxReplicas: 6,
    metrics: [perReplica],
    behavior: { scaleDown: { stabilizationWindowSeconds: 30 } },
  },
});

/** What people do with `kubectl annotate`. */
const setLoad = (client: Client, name: string, load: string | null) =>
  client.patch(
    autoscalerResource,
    { namespace, name },
    { type: "merge", body: { metadata: { annotations: { "sim.lockstep.dev/load": load } } } },
  );

const autoscaler = (client: Client, name: string): Promise<Autoscaler> =>
  client.get<Autoscaler>(autoscalerResource, { namespace, name });

const conditionOf = async (client: Client, name: string, type: string) =>
  (await autoscaler(client, name)).status?.conditions?.find((each) => each.type === type);

const grove = {
  cliques: { front: { replicas: 1, minAvailable: 1 }, work: { replicas: 2, minAvailable: 1 } },
  groups: { pair: { cliques: ["work"], replicas: 1, minAvailable: 1 } },
};

const kinds: Record<string, { resource: Resource; name: string }> = {
  "a StatefulSet": { resource: statefulSetResource, name: "web" },
  "a PodCliqueSet": { resource: podCliqueSetResource, name: "chat" },
  "a PodCliqueScalingGroup": { resource: scalingGroupResource, name: "chat-0-pair" },
  "a PodClique": { resource: podCliqueResource, name: "chat-0-front" },
};

test.each(Object.entries(kinds))("%s follows the load up and down", async (_kind, target) => {
  const { resource, name } = target;
  const scenario =
    resource === statefulSetResource
      ? await statefulSetScenario({ name, replicas: 1, spec: { podManagementPolicy: "Parallel" } })
      : await podCliqueSetScenario(grove);
  await scenario.settled();
  const { client, clock } = scenario;
  const autoscaling = await startAutoscaling({ client, clock });
  await client.create(autoscalerResource, autoscalerOf(resource, name));
  const replicas = async (): Promise<unknown> =>
    ((await client.get(resource, { namespace, name }))["spec"] as { replicas?: number }).replicas;

  await clock.runFor(20_000);
  expect(await replicas()).toBe(1);
  expect(await conditionOf(client, name, "ScalingActive")).toMatchObject({
    status: "False",
    message: expect.stringContaining("sim.lockstep.dev/load") as unknown,
  });

  await setLoad(client, name, "38");
  await clock.runFor(60_000);
  expect(await replicas()).toBe(4);
  expect((await autoscaler(client, name)).status).toMatchObject({
    currentReplicas: 4,
    desiredReplicas: 4,
  });

  await setLoad(client, name, "11");
  await clock.runFor(120_000);
  expect(await replicas()).toBe(2);
  await autoscaling.stop();
});

test("the autoscaler that a scaleConfig makes follows a load too, and survives an update", async () => {
  const scaleConfig = { minReplicas: 1, maxReplicas: 3, metrics: [perReplica] };
  const groups = { pair: { ...grove.groups.pair, scaleConfig } };
  const scenario = await podCliqueSetScenario({ ...grove, groups });
  await scenario.settled();
  const { client, clock } = scenario;
  const autoscaling = await startAutoscaling({ client, clock });
  await setLoad(client, "chat-0-pair", "29");
  await clock.runFor(60_000);
  const sizes = async () => (await scenario.groups()).map(({ spec }) => spec.replicas);
  expect(await sizes()).toEqual([3]);

  await scenario.setImages({ work: "work:v2" });
  await scenario.settled();
  expect(await sizes()).toEqual([3]);
  await autoscaling.stop();
});

test("a target that does not exist is named once, and followed when it comes", async () => {
  const { client, clock, createSet } = await statefulSetScenario({ withoutSet: true });
  const autoscaling = await startAutoscaling({ client, clock });
  await client.create(autoscalerResource, autoscalerOf(statefulSetResource, "web"));
  await setLoad(client, "web", "20");
  await clock.runFor(120_000);
  expect(await conditionOf(client, "web", "AbleToScale")).toMatchObject({
    status: "False",
    reason: "FailedGetScale",
    message: expect.stringContaining("StatefulSet web does not exist") as unknown,
  });
  const events = (await client.list(eventResource, { namespace })).items.filter(
    (event) => event["reason"] === "FailedGetScale",
  );
  expect(events.map((event) => event["count"] ?? 1)).toEqual([1]);

  await createSet({ name: "web", replicas: 1 });
  await clock.runFor(60_000);
  const { spec } = await client.get(statefulSetResource, { namespace, name: "web" });
  expect(spec).toMatchObject({ replicas: 2 });
  await autoscaling.stop();
});
