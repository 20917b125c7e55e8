/** Rolling updates of the default strategy: what may be down together, and in which order replicas of a set go. */
import { expect } from "vitest";
import {
  groupReplicasReady,
  oneReplicaAfterAnother,
  podsReady,
} from "../../builders/pod-clique-set-invariants.ts";
import type { PodCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";
import {
  deletedPods,
  expectUpdated,
  isNew,
  isReplicaNew,
  isUpdating,
  ready,
} from "../../builders/update-steps.ts";
import { workload1, workload2, workloadImages } from "../../builders/workloads.ts";

/** All pods of the first replica, then all of the second. */
function expectInTurn(deleted: readonly string[]): void {
  const replicas = deleted.map((name) => name.slice(0, "chat-0".length));
  expect(replicas).toEqual([...Array(10).fill("chat-0"), ...Array(10).fill("chat-1")]);
}

type Invariants = Parameters<PodCliqueSetScenario["always"]>[0][];

/** Two replicas of ten pods get these images under these promises; the pods that went for it, in order. */
async function updated(
  scenario: PodCliqueSetScenario,
  images: Record<string, string>,
  promises: Invariants,
): Promise<string[]> {
  await ready(scenario);
  for (const promise of promises) scenario.always(promise);
  await scenario.setImages(images);
  await scenario.settled();
  await expectUpdated(scenario, 2, 20);
  return deletedPods(scenario.timeline.take());
}

/** The second replica goes in mid-update, and the update ends with the first. */
async function secondScaledAway(scenario: PodCliqueSetScenario): Promise<void> {
  await scenario.scale(1);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  await expectUpdated(scenario, 1, 10);
  expect((await scenario.gangs()).map(({ metadata }) => metadata.name)).toEqual(["chat-0"]);
}

const scripts: readonly ScriptedScenario[] = [
  {
    name: "RU7 one pod of a standalone clique at a time, one replica of the set after the other",
    options: workload1({ replicas: 2 }),
    async run(scenario) {
      const promises = [podsReady("pc-a", 3), groupReplicasReady(4, 4)];
      const deleted = await updated(scenario, { "pc-a": "pc-a:v2" }, promises);
      expect(deleted.toSorted()).toEqual([
        "chat-0-pc-a-0",
        "chat-0-pc-a-1",
        "chat-1-pc-a-0",
        "chat-1-pc-a-1",
      ]);
      expect(deleted.map((name) => name.slice(0, 6))).toEqual([
        "chat-0",
        "chat-0",
        "chat-1",
        "chat-1",
      ]);
    },
  },
  {
    name: "RU8 one replica of a scaling group at a time, whole, lowest index first",
    options: workload1({ replicas: 2 }),
    async run(scenario) {
      const promises = [groupReplicasReady(3, 4), podsReady("pc-a", 4)];
      const deleted = await updated(scenario, { "pc-b": "pc-b:v2" }, promises);
      const units = deleted.map((name) => name.slice(0, 13));
      expect(units).toEqual(units.toSorted());
      expect(units).toHaveLength(16);
    },
  },
  {
    name: "RU9 one pod per clique and one replica per group at a time, one replica of the set after the other",
    options: workload1({ replicas: 2 }),
    async run(scenario) {
      const promises = [
        podsReady("pc-a", 3),
        groupReplicasReady(3, 4),
        oneReplicaAfterAnother(10, isNew),
      ];
      expectInTurn(await updated(scenario, workloadImages("v2"), promises));
      expect(scenario.livePods().every(isNew)).toBe(true);
    },
  },
  {
    name: "RU10 where nothing can be placed one pod waits and no other is touched",
    options: workload1({ replicas: 2 }),
    async run(scenario) {
      await ready(scenario);
      await scenario.cordon(true);
      await scenario.setImages({ "pc-a": "pc-a:v2" });
      await scenario.clock.runFor(120_000);
      expect(deletedPods(scenario.timeline.take())).toEqual(["chat-0-pc-a-0"]);
      const waiting = (await scenario.pods()).filter(({ status }) => status?.phase === "Pending");
      expect(waiting.map(({ spec }) => [spec.hostname, spec.containers[0]?.image])).toEqual([
        ["chat-0-pc-a-0", "pc-a:v2"],
      ]);
      expect(scenario.drawing()).toHaveLength(20);
      await scenario.cordon(false);
      await scenario.settled();
      await expectUpdated(scenario, 2, 20);
      expect(deletedPods(scenario.timeline.take())).toEqual([
        "chat-0-pc-a-1",
        "chat-1-pc-a-0",
        "chat-1-pc-a-1",
      ]);
    },
  },
  {
    name: "RU11 a replica added in mid-update starts on the new revision and is not rolled again",
    options: workload1({ replicas: 2 }),
    async run(scenario) {
      await ready(scenario);
      await scenario.setImages({ "pc-a": "pc-a:v2" });
      await scenario.until(isUpdating(scenario, 0));
      await scenario.clock.runFor(2_000);
      await scenario.scale(3);
      await scenario.settled();
      await expectUpdated(scenario, 3, 30);
      const deleted = deletedPods(scenario.timeline.take());
      expect(deleted.filter((name) => name.startsWith("chat-2"))).toEqual([]);
      expect(deleted).toHaveLength(4);
    },
  },
  {
    name: "RU12 the replica under update is scaled away, and the update ends with what is left",
    options: workload1({ replicas: 2 }),
    async run(scenario) {
      await ready(scenario);
      await scenario.setImages(workloadImages("v2"));
      await scenario.until(isUpdating(scenario, 1));
      await secondScaledAway(scenario);
      expect(scenario.livePods().every(isNew)).toBe(true);
    },
  },
  {
    name: "RU13 the last replica is scaled away when it has just been updated",
    options: workload1({ replicas: 2 }),
    async run(scenario) {
      await ready(scenario);
      await scenario.setImages(workloadImages("v2"));
      await scenario.until(isUpdating(scenario, 1));
      await scenario.until(isReplicaNew(scenario, 1));
      scenario.timeline.take();
      await secondScaledAway(scenario);
      const deleted = deletedPods(scenario.timeline.take());
      expect(deleted.filter((name) => name.startsWith("chat-0"))).toEqual([]);
    },
  },
  {
    name: "RU9 with one of each enough, both replicas of the set serve throughout",
    options: workload2({ replicas: 2 }),
    async run(scenario) {
      const promises = [podsReady("pc-a", 3), groupReplicasReady(3, 4)];
      expectInTurn(await updated(scenario, workloadImages("v2"), promises));
    },
  },
];

runAll(scripts);
