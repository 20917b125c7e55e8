/** Two StatefulSet controllers on one set: Lockstep notices, says so, and does not fight. */
import { expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { lateWritesMs } from "../../src/controllers/statefulset/competing-controller.ts";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { StatefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const key = { namespace: "default", name: "web" };
const spec = { podManagementPolicy: "Parallel", ...rolling(1) } as const;

/** What another controller would write when it has seen a change. */
async function foreignStatus(
  { client, set }: StatefulSetScenario,
  updateRevision: string,
): Promise<void> {
  const { metadata } = await set();
  const body = { status: { observedGeneration: metadata.generation, updateRevision } };
  const status = { subresource: "status" };
  await client.patch(statefulSetResource, key, { type: "merge", body }, status);
}

test("ST28 a status that another controller wrote makes Lockstep stand back and say so once", async () => {
  const scenario = await statefulSetScenario({ replicas: 4, spec });
  await scenario.settled();
  await scenario.clock.runFor(lateWritesMs);
  scenario.timeline.take();
  await foreignStatus(scenario, "web-foreign");
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(120_000);
  await foreignStatus(scenario, "web-foreign-too");
  await scenario.clock.runFor(290_000);
  expect(scenario.timeline.lines()).toEqual([]);
  const reported = (await scenario.events("web")).filter((text) =>
    text.startsWith("AnotherController"),
  );
  expect(reported).toEqual([expect.stringContaining("--statefulset-mode assist")]);
});

test("ST28 a competing controller that falls silent for five minutes leaves the set to Lockstep", async () => {
  const scenario = await statefulSetScenario({ replicas: 4, spec });
  await scenario.settled();
  await scenario.clock.runFor(lateWritesMs);
  await foreignStatus(scenario, "web-foreign");
  await scenario.setImage("web:v2");
  const guarded = scenario.guard();
  await scenario.settled();
  expect(guarded.fewest).toBe(3);
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test("ST28 what stood in the status before Lockstep came is of no competing controller", async () => {
  const scenario = await statefulSetScenario({ replicas: 2, spec });
  await scenario.settled();
  await scenario.stopOperator();
  await foreignStatus(scenario, "web-former");
  await scenario.restart();
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toEqual(["web-0 web:v2", "web-1 web:v2"]);
});

test("ST28 the last writes of the leader before, seen late, are of no competing controller", async () => {
  const scenario = await statefulSetScenario({ replicas: 2, spec });
  await scenario.settled();
  await scenario.restart();
  await scenario.clock.runFor(1_000);
  await foreignStatus(scenario, "web-former");
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toEqual(["web-0 web:v2", "web-1 web:v2"]);
});

test("ST28 assist mode stands back from a set that full mode looks after too, and says so once", async () => {
  const scenario = await statefulSetScenario({
    replicas: 4,
    annotations: { "lockstep.dev/max-unavailable": "1" },
    spec: { updateStrategy: { type: "OnDelete" }, podManagementPolicy: "Parallel" },
    mode: "assist",
  });
  const full = statefulSetController({
    client: restClient(scenario.transport),
    clock: scenario.clock,
    mode: "full",
  });
  await full.start();
  await scenario.clock.runFor(30_000);
  await scenario.setImage("web:v2");
  await scenario.clock.runFor(5_000);
  const { metadata } = await scenario.set();
  await scenario.clock.runFor(240_000);
  expect((await scenario.set()).metadata.resourceVersion).toBe(metadata.resourceVersion);
  const reported = (await scenario.events("web")).filter((text) =>
    text.startsWith("AnotherController"),
  );
  expect(reported).toEqual([expect.stringContaining("another Lockstep writes the conditions")]);
});
