/** StatefulSets whose pods the cluster makes and Lockstep deletes: plans come true there, too. */
import { describe, expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { nodeResource } from "../../src/api/node.ts";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import type { Plan } from "../../src/preview/plan.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { Transport } from "../../src/runtime/transport.ts";
import { withoutConditions } from "../../src/sim/cluster-stateful-sets.ts";
import { cliOf } from "../builders/cli.ts";
import type { StatefulSetOptions } from "../builders/stateful-set-scenario.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { plannedAndDone, preview } from "./planned-and-done.ts";

const paced = { "lockstep.dev/max-unavailable": "2" };
const onDelete = { updateStrategy: { type: "OnDelete" } } as const;

/** A cluster that has a controller of StatefulSets itself. */
async function besideTheOwn(options: StatefulSetOptions) {
  const world = await statefulSetScenario({ ...options, mode: "assist" });
  const own = statefulSetController({
    client: restClient(withoutConditions(world.transport)),
    clock: world.clock,
    mode: "full",
  });
  await own.start();
  const { items } = await world.client.list(nodeResource);
  for (const { metadata } of items) {
    const body = { status: { nodeInfo: { kubeletVersion: "v1.36.3" } } };
    const patch = { type: "merge", body } as const;
    const key = { name: metadata.name ?? "" };
    await world.client.patch(nodeResource, key, patch, { subresource: "status" });
  }
  await world.clock.runFor(60_000);
  return world;
}

const untouched = { verdict: "rests", components: [{ desired: 3, lowestAvailable: 3 }] } as const;

const change = { resource: statefulSetResource, name: "web", images: ["app=web:v2"] };

test.each(["Parallel", "OrderedReady"] as const)(
  "ST25 %s: pods are deleted within the budget of the annotation",
  async (podManagementPolicy) => {
    const spec = { ...onDelete, podManagementPolicy };
    const world = await besideTheOwn({ replicas: 5, annotations: paced, spec });
    const { verdict, components } = await plannedAndDone(world, change);
    expect(verdict).toBe("completes");
    expect(components).toMatchObject([{ lowestAvailable: 3, promisedAvailable: 3 }]);
    expect(await world.condition("Progressing")).toMatchObject({ reason: "RolledOut" });
  },
);

test("ST25 an image that fails stalls at the budget", async () => {
  const spec = { ...onDelete, podManagementPolicy: "Parallel" } as const;
  const world = await besideTheOwn({ replicas: 5, annotations: paced, spec });
  const { verdict, warnings } = await plannedAndDone(world, {
    ...change,
    images: ["app=web:broken"],
  });
  expect({ verdict, code: warnings[0]?.code }).toEqual({ verdict: "stalls", code: "ImageFails" });
  expect(await world.condition("Stalled")).toMatchObject({ status: "True" });
});

test("ST25 where Lockstep is the only controller, the annotation paces nothing under OnDelete", async () => {
  const world = await statefulSetScenario({ annotations: paced, spec: onDelete });
  await world.clock.runFor(60_000);
  const { plan } = await preview(world, change);
  expect(plan).toMatchObject(untouched);
});

test("OD1 without the annotation pods are left to be deleted", async () => {
  const world = await besideTheOwn({ spec: onDelete });
  const { plan } = await preview(world, change);
  expect(plan).toMatchObject(untouched);
});

/** A server whose gate MaxUnavailableStatefulSet is off. */
const withoutTheField = (transport: Transport): Transport => ({
  stream: (request, onEvent) => transport.stream(request, onEvent),
  request: async (request) => {
    const answer = await transport.request(request);
    const text = JSON.stringify(answer.body ?? null).replaceAll(/"maxUnavailable":[^,}]+,?/g, "");
    return { ...answer, body: JSON.parse(text.replaceAll(",}", "}")) as unknown };
  },
});

describe("an API server that drops maxUnavailable", () => {
  const planned = async (annotations: Record<string, string>, flags = ""): Promise<Plan> => {
    const spec = { podManagementPolicy: "Parallel" } as const;
    const world = await statefulSetScenario({ replicas: 5, annotations, spec });
    await world.settled();
    const cli = cliOf({ clock: world.clock, transport: withoutTheField(world.transport) });
    const { text } = await cli.lockstep(`plan sts/web --image app=web:v2 ${flags} -o json`);
    return JSON.parse(text) as Plan;
  };

  test("ST1 the annotation counts where Lockstep is the controller", async () => {
    expect(await planned(paced)).toMatchObject({
      verdict: "completes",
      components: [{ lowestAvailable: 3, promisedAvailable: 3 }],
      warnings: [{ code: "MixedVersions" }],
    });
  });

  test("ST1 without it, pods go one at a time, and the field that is asked for is named", async () => {
    const flags = "--set spec.updateStrategy.rollingUpdate.maxUnavailable=3";
    const { components, warnings } = await planned({}, flags);
    expect(components).toMatchObject([{ lowestAvailable: 4, promisedAvailable: 4 }]);
    expect(warnings).toContainEqual({
      code: "SettingWithoutEffect",
      message:
        "spec.updateStrategy.rollingUpdate.maxUnavailable: the API server of this cluster drops it " +
        "(its gate MaxUnavailableStatefulSet is off)",
    });
  });
});
