/** Canaries: what stays behind a partition stays, comes back as it was, and moves when the partition is lowered. */
import { expect } from "vitest";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../../src/api/grove/podcliqueset.ts";
import { scalingGroupResource } from "../../../src/api/grove/scaling-group.ts";
import { imagesOf } from "../../builders/pairs.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";

/** `chat-0-front-0 v1`, where it does not matter which clique it is. */
const versions = ({ drawing }: PodCliqueSetScenario): string[] =>
  drawing().map((line) => line.replace(/ [a-z]+:/, " "));

const pairs = (more: Partial<PodCliqueSetScenarioOptions>): PodCliqueSetScenarioOptions => ({
  cliques: { lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"], replicas: 3, minAvailable: 1 } },
  ...more,
});

const canaryGroup = pairs({
  groups: {
    pair: {
      cliques: ["lead", "work"],
      replicas: 3,
      minAvailable: 1,
      updateStrategy: { partition: 2 },
    },
  },
});

const canaryClique: PodCliqueSetScenarioOptions = {
  cliques: { front: { replicas: 3, minAvailable: 1, updateStrategy: { partition: 2 } } },
};

async function lowerPartition(scenario: PodCliqueSetScenario, partition: number): Promise<void> {
  const { spec } = await scenario.set();
  const updateStrategy = { partition };
  const { cliques, podCliqueScalingGroups = [] } = spec.template;
  const isGroup = podCliqueScalingGroups.length > 0;
  const template = isGroup
    ? {
        podCliqueScalingGroups: podCliqueScalingGroups.map((group) => ({
          ...group,
          updateStrategy,
        })),
      }
    : { cliques: cliques.map((clique) => ({ ...clique, updateStrategy })) };
  await scenario.patch({ spec: { template } });
}

async function recordLostReplicas(scenario: PodCliqueSetScenario): Promise<void> {
  await scenario.settled();
  await scenario.setImages(imagesOf("v2"));
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  const reached = await scenario.set();
  expect((await scenario.condition("UpdateInProgress"))?.reason).toBe("AtPartition");
  expect(reached.status).toMatchObject({ updatedReplicas: 1, replicas: 2 });
  expect(reached.status?.currentRevision).not.toBe(reached.status?.updateRevision);
  const canary = [
    "chat-0-front-0 v1",
    "chat-0-front-1 v1",
    "chat-1-front-0 v2",
    "chat-1-front-1 v2",
  ];
  expect(versions(scenario)).toEqual(canary);
  await scenario.deletePod("chat-0-front-1");
  await scenario.clock.runFor(60_000);
  for (const name of ["chat-0-front", "chat-1-front"]) {
    await scenario.client.delete(podCliqueResource, { namespace, name });
  }
  await scenario.clock.runFor(120_000);
  expect(versions(scenario)).toEqual(canary);
  await scenario.patchStrategy({ partition: 0 });
  await scenario.settled();
  expect(versions(scenario).filter((line) => !line.endsWith(" v2"))).toEqual([]);
  const { status } = await scenario.set();
  expect(status?.updateProgress?.updateStartedAt).not.toBe(
    reached.status?.updateProgress?.updateStartedAt,
  );
  expect(status?.currentRevision).toBe(status?.updateRevision);
}

const scripts: readonly ScriptedScenario[] = [
  {
    name: "PS15 RO5 P6 a pod lost below the partition of a clique comes back as it was",
    options: canaryClique,
    async run(scenario) {
      await scenario.settled();
      await scenario.setImages(imagesOf("v2"));
      await scenario.settled();
      const canary = ["chat-0-front-0 v1", "chat-0-front-1 v1", "chat-0-front-2 v2"];
      expect(versions(scenario)).toEqual(canary);
      await scenario.deletePod("chat-0-front-0");
      await scenario.deletePod("chat-0-front-2");
      await scenario.clock.runFor(60_000);
      await scenario.settled();
      expect(versions(scenario)).toEqual(canary);
      await scenario.setImages(imagesOf("v3"));
      await scenario.settled();
      await scenario.deletePod("chat-0-front-1");
      await scenario.clock.runFor(60_000);
      await scenario.settled();
      expect(versions(scenario)).toEqual([
        "chat-0-front-0 v1",
        "chat-0-front-1 v1",
        "chat-0-front-2 v3",
      ]);
      await lowerPartition(scenario, 0);
      await scenario.settled();
      expect(versions(scenario).filter((line) => !line.endsWith(" v3"))).toEqual([]);
    },
  },
  {
    name: "PS15 RO5 P6 a replica lost below the partition of a scaling group comes back as it was",
    options: canaryGroup,
    async run(scenario) {
      await scenario.settled();
      await scenario.setImages(imagesOf("v2"));
      await scenario.settled();
      const at = (version: string): string[] => [
        "chat-0-pair-0-lead-0 v1",
        "chat-0-pair-0-work-0 v1",
        "chat-0-pair-1-lead-0 v1",
        "chat-0-pair-1-work-0 v1",
        `chat-0-pair-2-lead-0 ${version}`,
        `chat-0-pair-2-work-0 ${version}`,
      ];
      expect(versions(scenario)).toEqual(at("v2"));
      for (const name of ["chat-0-pair-0-lead", "chat-0-pair-0-work", "chat-0-pair-2-work"]) {
        await scenario.client.delete(podCliqueResource, { namespace, name });
      }
      await scenario.clock.runFor(120_000);
      await scenario.settled();
      expect(versions(scenario)).toEqual(at("v2"));
      await scenario.setImages(imagesOf("v3"));
      await scenario.settled();
      for (const name of ["chat-0-pair-1-lead", "chat-0-pair-1-work"]) {
        await scenario.client.delete(podCliqueResource, { namespace, name });
      }
      await scenario.clock.runFor(120_000);
      await scenario.settled();
      expect(versions(scenario)).toEqual(at("v3"));
      await lowerPartition(scenario, 0);
      await scenario.settled();
      expect(versions(scenario).filter((line) => !line.endsWith(" v3"))).toEqual([]);
    },
  },
  ...["RollingRecreate", "ReplicaRecreate"].map((type): ScriptedScenario => ({
    name: `PS15 RO5 P6 a replica of the set lost below its partition comes back as it was (${type})`,
    options: {
      replicas: 2,
      strategy: { type, partition: 1 },
      cliques: { front: { replicas: 2 } },
    },
    run: recordLostReplicas,
  })),
  {
    name: "RO8 a set, a group and a clique that are paused hold still, and go on from there",
    options: pairs({
      replicas: 2,
      cliques: { front: { replicas: 2, minAvailable: 1 }, lead: {}, work: {} },
    }),
    async run(scenario) {
      await scenario.settled();
      await scenario.patchStrategy({ paused: true });
      await scenario.setImages(imagesOf("v2"));
      await scenario.clock.runFor(60_000);
      expect(versions(scenario).filter((line) => !line.endsWith(" v1"))).toEqual([]);
      await scenario.patchStrategy({ paused: false });
      await scenario.clock.runFor(8_000);
      await scenario.patchStrategy({ paused: true });
      await scenario.clock.runFor(60_000);
      const held = versions(scenario);
      await scenario.clock.runFor(120_000);
      expect(versions(scenario)).toEqual(held);
      const set = await scenario.client.get(podCliqueSetResource, { namespace, name: "chat" });
      expect(set).toMatchObject({ spec: { updateStrategy: { paused: true } } });
      const groups = await scenario.client.list(scalingGroupResource, { namespace });
      const moved = groups.items.map(
        ({ spec }) => spec as { updateStrategy?: { paused?: boolean } },
      );
      expect(moved.some(({ updateStrategy }) => updateStrategy?.paused === true)).toBe(true);
      await scenario.patchStrategy({ paused: false });
      await scenario.settled();
      expect(versions(scenario).filter((line) => !line.endsWith(" v2"))).toEqual([]);
    },
  },
];

runAll(scripts);
