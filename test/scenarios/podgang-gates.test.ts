/** Gates, gangs and startup order: who may be scheduled when. */
import { expect, test } from "vitest";
import { labelKeys } from "../../src/api/grove/labels.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady } from "../../src/api/pod.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { cliqueOf, cliqueScenario } from "../builders/clique-scenario.ts";

const one = { replicas: 1, minAvailable: 1 };
const two = { replicas: 2, minAvailable: 2 };

const placed = (pods: readonly Pod[]): string[] =>
  pods
    .filter(({ spec }) => spec.nodeName !== undefined)
    .map(({ spec }) => spec["hostname"] as string)
    .toSorted();

test("GS1 a gang that does not fit waits as a whole and starts as a whole", async () => {
  const scenario = await cliqueScenario({
    nodes: 1,
    gpus: 3,
    cliques: [
      { name: "chat-0-a", spec: two },
      { name: "chat-0-b", spec: two },
    ],
    gangs: { "chat-0": { "chat-0-a": 2, "chat-0-b": 2 } },
  });
  await scenario.clock.runFor(60_000);
  expect(placed(scenario.pods())).toEqual([]);
  expect((await scenario.gang()).status).toMatchObject({ phase: "Pending" });
  expect(await scenario.condition("MinAvailableBreached", "chat-0-a")).toMatchObject({
    status: "Unknown",
    reason: "ScheduledReplicasBelowMinAvailable",
  });
  await scenario.cluster.addNode({ gpus: 1 });
  await scenario.settled();
});

test("GS5 pods above the minimum wait alone", async () => {
  const scenario = await cliqueScenario({
    nodes: 1,
    gpus: 3,
    cliques: [
      { name: "chat-0-a", spec: { replicas: 3, minAvailable: 1 } },
      { name: "chat-0-b", spec: two },
    ],
    gangs: { "chat-0": { "chat-0-a": 1, "chat-0-b": 2 } },
  });
  await scenario.clock.runFor(60_000);
  expect(placed(scenario.pods())).toHaveLength(3);
  expect((await scenario.gang()).status).toMatchObject({ phase: "Running" });
});

const scaled = {
  name: "chat-0-sg-1-b",
  gang: "chat-0-sg-0",
  labels: { [labelKeys.basePodGang]: "chat-0" },
  spec: one,
};

test("GS6 a scaled gang waits until its base gang has been scheduled, and does not take its room", async () => {
  const scenario = await cliqueScenario({
    nodes: 1,
    gpus: 2,
    cliques: [scaled, { name: "chat-0-a", spec: { replicas: 3, minAvailable: 3 } }],
    gangs: { "chat-0": { "chat-0-a": 3 }, "chat-0-sg-0": { "chat-0-sg-1-b": 1 } },
  });
  await scenario.clock.runFor(60_000);
  expect(placed(scenario.pods())).toEqual([]);
  expect((await scenario.condition("PodCliqueScheduled", "chat-0-sg-1-b"))?.message).toBe(
    "0 of 1 pods are on nodes, 1 are needed; 1 are held back: the base gang chat-0 has not been scheduled yet",
  );
  await scenario.cluster.addNode({ gpus: 2 });
  await scenario.settled();
});

test("GA6 a base gang in the middle of an update does not hold scaled gangs back", async () => {
  const scenario = await cliqueScenario({
    nodes: 1,
    gpus: 4,
    cliques: [{ name: "chat-0-a", spec: { replicas: 3, minAvailable: 3 } }],
    gangs: { "chat-0": { "chat-0-a": 3 }, "chat-0-sg-0": { "chat-0-sg-1-b": 1 } },
  });
  await scenario.settled();
  await scenario.setImage("web:broken", "chat-0-a");
  await scenario.clock.runFor(60_000);
  await scenario.client.create(podCliqueResource, cliqueOf(scaled));
  await scenario.clock.runFor(10_000);
  expect(scenario.drawing()).toContain("chat-0-sg-1-b-0 web:v1");
});

test("SO1 pods start after the cliques they name are ready, inside one gang", async () => {
  const scenario = await cliqueScenario({
    cliques: [
      { name: "chat-0-a", spec: two },
      { name: "chat-0-b", spec: { ...two, startsAfter: ["chat-0-a"] } },
      { name: "chat-0-c", spec: { ...one, startsAfter: ["chat-0-b"] } },
    ],
    gangs: { "chat-0": { "chat-0-a": 2, "chat-0-b": 2, "chat-0-c": 1 } },
  });
  await scenario.settled();
  const readyAt = (clique: string, pick: (...times: number[]) => number): number =>
    pick(
      ...scenario
        .pods()
        .filter((pod) => pod.metadata.labels?.[labelKeys.podClique] === clique)
        .map(readyTime),
    );
  const startedAt = (clique: string): number =>
    Math.min(
      ...scenario
        .pods()
        .filter((pod) => pod.metadata.labels?.[labelKeys.podClique] === clique)
        .map(startTime),
    );
  expect(startedAt("chat-0-b")).toBeGreaterThanOrEqual(readyAt("chat-0-a", Math.max));
  expect(startedAt("chat-0-c")).toBeGreaterThanOrEqual(readyAt("chat-0-b", Math.max));
});

test("SO1 a gang whose later cliques would not fit does not start its first ones", async () => {
  const scenario = await cliqueScenario({
    nodes: 1,
    gpus: 3,
    cliques: [
      { name: "chat-0-a", spec: two },
      { name: "chat-0-b", spec: { ...two, startsAfter: ["chat-0-a"] } },
    ],
    gangs: { "chat-0": { "chat-0-a": 2, "chat-0-b": 2 } },
  });
  await scenario.clock.runFor(60_000);
  expect(placed(scenario.pods())).toEqual([]);
  await scenario.cluster.addNode({ gpus: 1 });
  await scenario.settled();
});

test("SO2 with fewer needed than there are, the minimum ready is enough for those after it", async () => {
  const scenario = await cliqueScenario({
    nodes: 1,
    gpus: 3,
    cliques: [
      { name: "chat-0-a", spec: { replicas: 3, minAvailable: 1 } },
      { name: "chat-0-b", spec: { ...one, startsAfter: ["chat-0-a"] } },
    ],
    gangs: { "chat-0": { "chat-0-a": 1, "chat-0-b": 1 } },
  });
  await scenario.clock.runFor(60_000);
  expect(scenario.pods().filter(isReady)).toHaveLength(3);
  expect(scenario.drawing()).toContain("chat-0-b-0 web:v1");
});

const conditionTime = (pod: Pod, type: string): number =>
  Date.parse(pod.status?.conditions?.find((each) => each.type === type)?.lastTransitionTime ?? "");
const readyTime = (pod: Pod): number => conditionTime(pod, "Ready");
const startTime = (pod: Pod): number => Date.parse(pod.status?.startTime ?? "");
