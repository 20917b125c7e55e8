/** What a person reads in the events of a set while it is updated. */
import { expect, test } from "vitest";
import type { PodCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";

/** In the order in which they were reported. */
async function updateEvents({ events }: PodCliqueSetScenario): Promise<string[]> {
  const reported = await events("chat");
  return reported.filter((line) => line.startsWith("Updat"));
}

const slow = { annotations: { "sim.lockstep.dev/ready-seconds": "40" } };

test("each replica is reported as it begins, and the end comes last", async () => {
  const scenario = await podCliqueSetScenario({ replicas: 3, cliques: { front: slow } });
  await scenario.settled();
  await scenario.setImages({ front: "front:v2" });
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  expect(await updateEvents(scenario)).toEqual([
    expect.stringMatching(/^UpdateStarted: moving to chat-/),
    "UpdatingReplica: updating replica chat-0",
    "UpdatingReplica: updating replica chat-1",
    "UpdatingReplica: updating replica chat-2",
    expect.stringMatching(/^UpdateEnded: /),
  ]);
});

test("replicas that follow each other quickly are reported together", async () => {
  const scenario = await podCliqueSetScenario({ replicas: 12, cliques: { front: {} } });
  await scenario.settled();
  await scenario.setImages({ front: "front:v2" });
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  const reported = (await updateEvents(scenario)).filter((line) =>
    line.startsWith("UpdatingReplica"),
  );
  expect(reported).toEqual([
    "UpdatingReplica: updating replica chat-0",
    "UpdatingReplica: updating replicas chat-1, chat-2, chat-3, chat-4, chat-5 and 2 more",
    "UpdatingReplica: updating replicas chat-8, chat-9, chat-10, chat-11",
  ]);
});

test("the pods of a recreated replica are reported as deleted", async () => {
  const scenario = await podCliqueSetScenario({
    replicas: 1,
    strategy: { type: "ReplicaRecreate" },
    cliques: { front: {}, lead: {}, work: {} },
    groups: { pair: { cliques: ["lead", "work"] } },
  });
  await scenario.settled();
  await scenario.setImages({ work: "work:v2" });
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  const deleted = (await scenario.events("chat")).filter((line) => line.startsWith("PodDelete"));
  expect(deleted).toEqual([
    "PodDeleteSuccessful: deleted pods chat-0-front-0, chat-0-pair-0-lead-0, chat-0-pair-0-work-0",
  ]);
});
