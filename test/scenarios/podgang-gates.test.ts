/** Gates and gangs of single cliques: what is said of those that wait, and what an update does not hold back. */
import { expect, test } from "vitest";
import { labelKeys } from "../../src/api/grove/labels.ts";
import type { Pod } from "../../src/api/pod.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { podCliqueOf, podCliqueScenario } from "../builders/pod-clique-scenario.ts";

const one = { replicas: 1, minAvailable: 1 };
const two = { replicas: 2, minAvailable: 2 };

const placed = (pods: readonly Pod[]): string[] =>
  pods
    .filter(({ spec }) => spec.nodeName !== undefined)
    .map(({ spec }) => spec.hostname as string)
    .toSorted();

test("GS1 a gang that does not fit waits as a whole and starts as a whole", async () => {
  const scenario = await podCliqueScenario({
    nodes: 1,
    gpus: 3,
    cliques: [
      { name: "chat-0-a", spec: two },
      { name: "chat-0-b", spec: two },
    ],
    gangs: { "chat-0": { "chat-0-a": 2, "chat-0-b": 2 } },
  });
  await scenario.clock.runFor(60_000);
  expect(placed(scenario.timeline.pods())).toEqual([]);
  expect((await scenario.gang()).status).toMatchObject({ phase: "Pending" });
  expect(await scenario.condition("MinAvailableBreached", "chat-0-a")).toMatchObject({
    status: "Unknown",
    reason: "ScheduledReplicasBelowMinAvailable",
  });
  await scenario.cluster.addNode({ gpus: 1 });
  await scenario.settled();
});

const scaled = {
  name: "chat-0-sg-1-b",
  gang: "chat-0-sg-0",
  labels: { [labelKeys.basePodGang]: "chat-0" },
  spec: one,
};

test("GS6 a scaled gang waits until its base gang has been scheduled, and does not take its room", async () => {
  const scenario = await podCliqueScenario({
    nodes: 1,
    gpus: 2,
    cliques: [scaled, { name: "chat-0-a", spec: { replicas: 3, minAvailable: 3 } }],
    gangs: { "chat-0": { "chat-0-a": 3 }, "chat-0-sg-0": { "chat-0-sg-1-b": 1 } },
  });
  await scenario.clock.runFor(60_000);
  expect(placed(scenario.timeline.pods())).toEqual([]);
  expect((await scenario.condition("PodCliqueScheduled", "chat-0-sg-1-b"))?.message).toBe(
    "0 of 1 pod is on nodes, 1 needed; 1 is held back: the base gang chat-0 has not been scheduled yet",
  );
  await scenario.cluster.addNode({ gpus: 2 });
  await scenario.settled();
});

test("GA6 a base gang in the middle of an update does not hold scaled gangs back", async () => {
  const scenario = await podCliqueScenario({
    nodes: 1,
    gpus: 4,
    cliques: [{ name: "chat-0-a", spec: { replicas: 3, minAvailable: 3 } }],
    gangs: { "chat-0": { "chat-0-a": 3 }, "chat-0-sg-0": { "chat-0-sg-1-b": 1 } },
  });
  await scenario.settled();
  await scenario.setImage("web:broken", "chat-0-a");
  await scenario.clock.runFor(60_000);
  await scenario.client.create(podCliqueResource, podCliqueOf(scaled));
  await scenario.clock.runFor(10_000);
  expect(scenario.drawing()).toContain("chat-0-sg-1-b-0 web:v1");
});
