/** Owners that are no part of a copy: what they own is there all the same. */
import { expect, test } from "vitest";
import { deploymentResource, statefulSetResource } from "../../src/api/apps.ts";
import { configMapResource } from "../../src/api/config-map.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { statefulSetScenarioKind } from "../../src/simulation/scenario-kinds.ts";
import { namespace, scenario } from "../builders/scenario.ts";
import { statefulSetOf, statefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { preview } from "./planned-and-done.ts";

test("a workload that belongs to an object of another kind is played to its end", async () => {
  const world = await statefulSetScenario({ replicas: 2, withoutSet: true });
  const { metadata } = await world.client.create<KubeObject>(configMapResource, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "fleet", namespace },
  });
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "fleet", uid: metadata.uid ?? "" };
  const web = statefulSetOf({ replicas: 2 });
  await world.client.create(statefulSetResource, {
    ...web,
    metadata: { ...web.metadata, ownerReferences: [{ ...owner, controller: true }] },
  });
  await world.clock.runFor(60_000);
  const change = { resource: statefulSetResource, name: "web", images: ["app=web:v2"] };
  const { plan } = await preview(world, change);
  expect(plan).toMatchObject({ verdict: "completes", components: [{ lowestAvailable: 1 }] });
});

const gpu = { limits: { "nvidia.com/gpu": "1" } };

test("pods of a Deployment keep their room on the nodes", async () => {
  const container = { name: "app", image: "web:v1", resources: gpu };
  const other = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "other", namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "other" } },
      template: { metadata: { labels: { app: "other" } }, spec: { containers: [container] } },
    },
  };
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [container] } };
  const world = await scenario({
    kinds: [statefulSetScenarioKind("full")],
    cluster: { nodes: 1, shape: { gpus: 2 }, deployments: true },
    objects: [statefulSetOf({ replicas: 1, spec: { template } })],
  });
  await world.client.create(deploymentResource, other as never);
  await world.clock.runFor(60_000);
  const fields = ["spec.replicas=2"];
  const { plan } = await preview(world, { resource: statefulSetResource, name: "web", fields });
  expect(plan).toMatchObject({ verdict: "stalls", warnings: [{ code: "CannotFinish" }] });
  expect(plan.warnings[0]?.message).toContain("Insufficient nvidia.com/gpu");
});
