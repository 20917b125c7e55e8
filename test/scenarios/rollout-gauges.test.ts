/** The gauges of every kind, over the life of an object: they say what is so, and end with it. */
import { expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { ocmAnnotations } from "../../src/api/ocm/labels.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import { RolloutGauges } from "../../src/controllers/engine/rollout-gauges.ts";
import { operatorMetrics } from "../../src/runtime/metrics.ts";
import { addOnScenario } from "../builders/addon-scenario.ts";
import { placementScenario } from "../builders/placement-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { namespace } from "../builders/scenario.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

function scraping() {
  const metrics = operatorMetrics();
  const rollouts = new RolloutGauges(metrics.collected);
  /** `available 2` and so on of one object; 0 is left out, except for counts. */
  const of = async (name: string): Promise<Record<string, number | string>> => {
    const text = await metrics.registry.metrics();
    const lines = [
      ...text.matchAll(
        /^lockstep_rollout_(\w+)\{kind="\w+",namespace="(?:default)?",name="([^"]+)"(?:,reason="(\w+)")?\} (\S+)$/gm,
      ),
    ];
    return Object.fromEntries(
      lines
        .filter(([, , owner]) => owner === name)
        .map(([, gauge = "", , reason, value]) => [gauge, reason ?? Number(value)]),
    );
  };
  return { rollouts, of };
}

const atRest = { surge: 0, updating: 0, stalled: 0, paused: 0, reason: "RolledOut" };

test("a StatefulSet", async () => {
  const { rollouts, of } = scraping();
  const scenario = await statefulSetScenario({ rollouts, replicas: 3, spec: rolling(1) });
  const { clock, client } = scenario;
  await scenario.settled();
  expect(await of("web")).toEqual({ desired: 3, available: 3, updated: 3, ...atRest });

  const beganMs = clock.now();
  await scenario.setImage("web:broken");
  await clock.runFor(120_000);
  const stuck = await of("web");
  expect(stuck).toMatchObject({ desired: 3, available: 2, stalled: 1 });
  expect(stuck["outdated_since_seconds"]).toBeCloseTo(beganMs / 1000, -1);

  await scenario.setImage("web:v3");
  await scenario.settled();
  await clock.runFor(5_000);
  expect(await of("web")).toEqual({ desired: 3, available: 3, updated: 3, ...atRest });

  await client.delete(statefulSetResource, { namespace, name: "web" });
  await clock.runFor(60_000);
  expect(await of("web")).toEqual({});
});

test("a PodCliqueSet with its groups and cliques", async () => {
  const { rollouts, of } = scraping();
  const surging = { maxUnavailable: 0, maxSurge: 1 };
  const scenario = await podCliqueSetScenario({
    rollouts,
    strategy: { type: "RollingUpdate", progressDeadlineSeconds: 60 },
    cliques: { front: { replicas: 2, updateStrategy: surging }, work: { replicas: 2 } },
    groups: { pair: { cliques: ["work"], replicas: 2, minAvailable: 1 } },
  });
  const { clock, client } = scenario;
  await scenario.settled();
  await clock.runFor(30_000);
  expect(await of("chat")).toEqual({ desired: 1, available: 1, updated: 1, ...atRest });
  expect(await of("chat-0-pair")).toEqual({ desired: 2, available: 2, updated: 2, ...atRest });
  expect(await of("chat-0-front")).toEqual({ desired: 2, available: 2, updated: 2, ...atRest });

  await scenario.setImages({ front: "front:broken" });
  await clock.runFor(30_000);
  expect(await of("chat-0-front")).toMatchObject({
    available: 2,
    surge: 1,
    updating: 1,
    stalled: 0,
  });
  await clock.runFor(120_000);
  expect(await of("chat")).toMatchObject({ available: 1, updated: 0, stalled: 1, updating: 0 });
  expect((await of("chat"))["outdated_since_seconds"]).toBeGreaterThan(0);

  await scenario.patchStrategy({ paused: true });
  await clock.runFor(30_000);
  expect(await of("chat")).toMatchObject({ paused: 1, stalled: 0, reason: "Paused" });

  await client.delete(podCliqueSetResource, { namespace, name: "chat" });
  await clock.runFor(60_000);
  for (const name of ["chat", "chat-0-pair", "chat-0-front", "chat-0-pair-0-work"]) {
    expect(await of(name)).toEqual({});
  }
});

test("a Placement counts the clusters that it selects and lists", async () => {
  const { rollouts, of } = scraping();
  const scenario = await placementScenario({ rollouts, clusters: 3 });
  await scenario.clock.runFor(10_000);
  expect(await of("web")).toEqual({ desired: 3, available: 3, updated: 3, ...atRest });
  await scenario.client.delete(placementResource, { namespace, name: "web" });
  await scenario.clock.runFor(10_000);
  expect(await of("web")).toEqual({});
});

test("a Placement that somebody else schedules, or that is deleted, has no gauges", async () => {
  const { rollouts, of } = scraping();
  const { client, clock } = await placementScenario({ rollouts, clusters: 3 });
  const key = { namespace, name: "web" };
  await clock.runFor(5_000);
  expect(await of("web")).toMatchObject({ desired: 3, available: 3 });
  const annotated = (text: string | null) =>
    client.patch(placementResource, key, {
      type: "merge",
      body: { metadata: { annotations: { [ocmAnnotations.schedulingDisabled]: text } } },
    });
  await annotated("true");
  await clock.runFor(5_000);
  expect(await of("web")).toEqual({});
  await annotated(null);
  await clock.runFor(5_000);
  expect(await of("web")).toMatchObject({ desired: 3, available: 3 });
  await client.delete(placementResource, key);
  await clock.runFor(5_000);
  expect(await of("web")).toEqual({});
});

test("an add-on counts the clusters that it should be on", async () => {
  const { rollouts, of } = scraping();
  const scenario = await addOnScenario({ rollouts, clusters: ["a", "b"] });
  await scenario.select("a", "b");
  await scenario.report("a", "Available", "True");
  await scenario.clock.runFor(10_000);
  expect(await of("agent")).toMatchObject({ desired: 2, available: 1, updated: 2 });
});
