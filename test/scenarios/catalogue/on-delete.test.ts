/** OnDelete: templates change at once, pods when somebody deletes them. */
import { expect } from "vitest";
import {
  changedByHand,
  cliqueNamed,
  counters,
  expectNobodyGone,
  uidsByHostname,
  newPods,
  notOn,
  podAt,
  replaced,
  updateMessage,
  updatedPods,
} from "../../builders/on-delete-steps.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";
import { deletedPods, ready } from "../../builders/update-steps.ts";
import { workloadImages, workloadOnDelete } from "../../builders/workloads.ts";
import { atLeastOne } from "../../builders/must.ts";

const scripts: readonly ScriptedScenario[] = [
  {
    name: "PS7 OD1 a changed standalone clique deletes nothing, and the update has ended",
    options: workloadOnDelete(),
    async run(scenario) {
      await ready(scenario);
      await scenario.setImages({ "pc-a": "pc-a:v2" });
      await expectNobodyGone(scenario);
      expect(await updatedPods(scenario, "chat-0-pc-a")).toBe(0);
      expect(await counters(scenario)).toBe("0 replicas, 0 of 1 cliques");
      expect(await updateMessage(scenario, "chat-0-pc-a")).toBe(
        "2 of 2 pods are outdated: they are replaced when you delete them",
      );
    },
  },
  {
    name: "OD2 a deleted pod of a standalone clique comes back on the new template",
    options: workloadOnDelete(),
    async run(scenario) {
      await changedByHand(scenario, { "pc-a": "pc-a:v2" }, ["chat-0-pc-a-1"]);
      expect(await updatedPods(scenario, "chat-0-pc-a")).toBe(1);
      expect(await updateMessage(scenario, "chat-0-pc-a")).toBe(
        "1 of 2 pods is outdated: it is replaced when you delete it",
      );
      await replaced(scenario, "chat-0-pc-a-0");
      await expectNobodyGone(scenario);
      expect(await updateMessage(scenario, "chat-0-pc-a")).toMatch(/^2 pods available on \w+$/);
    },
  },
  {
    name: "OD3 scale-in takes the outdated pod, and the updated one survives",
    options: workloadOnDelete(),
    async run(scenario) {
      await ready(scenario);
      await scenario.setImages({ "pc-a": "pc-a:v2" });
      await scenario.clock.runFor(5_000);
      await replaced(scenario, "chat-0-pc-a-1");
      const { "chat-0-pc-a-1": survivor } = await uidsByHostname(scenario);
      await scenario.scaleClique("chat-0-pc-a", 1);
      await scenario.until(async () => (await scenario.pods()).length === 9);
      expect(deletedPods(scenario.timeline.take())).toEqual(["chat-0-pc-a-0"]);
      await expectNobodyGone(scenario);
      expect((await uidsByHostname(scenario))["chat-0-pc-a-1"]).toBe(survivor);
      const { status } = await cliqueNamed(scenario, "chat-0-pc-a");
      expect(status).toMatchObject({ replicas: 1, readyReplicas: 1, updatedReplicas: 1 });
    },
  },
  {
    name: "OD4 a changed member of a scaling group deletes nothing, and the update has ended",
    options: workloadOnDelete(),
    async run(scenario) {
      await ready(scenario);
      await scenario.setImages({ "pc-b": "pc-b:v2" });
      await expectNobodyGone(scenario);
      expect(await updatedPods(scenario, "chat-0-sg-x-0-pc-b")).toBe(0);
      expect((await scenario.groups())[0]?.status?.updatedReplicas).toBe(0);
      expect(await counters(scenario)).toBe("0 replicas, 1 of 1 cliques");
    },
  },
  {
    name: "OD4 members whose template did not change take the new target together with those that did",
    options: workloadOnDelete(),
    async run(scenario) {
      await ready(scenario);
      await scenario.setImages({ "pc-b": "pc-b:v2" });
      await scenario.clock.runFor(5_000);
      const { currentGenerationHash } = (await scenario.set()).status ?? {};
      const targets = (await scenario.cliques()).map(
        ({ metadata, status }) =>
          `${metadata.name} ${status?.updateProgress?.podCliqueSetGenerationHash}`,
      );
      expect(targets).toEqual([
        `chat-0-pc-a ${currentGenerationHash}`,
        `chat-0-sg-x-0-pc-b ${currentGenerationHash}`,
        `chat-0-sg-x-0-pc-c ${currentGenerationHash}`,
        `chat-0-sg-x-1-pc-b ${currentGenerationHash}`,
        `chat-0-sg-x-1-pc-c ${currentGenerationHash}`,
      ]);
      const { status } = await cliqueNamed(scenario, "chat-0-sg-x-1-pc-c");
      expect(status?.currentPodCliqueSetGenerationHash).toBe(currentGenerationHash);
    },
  },
  {
    name: "OD2 a clique counts as updated when its pods are, with one of them not ready",
    options: workloadOnDelete(),
    async run(scenario) {
      await changedByHand(scenario, { "pc-a": "pc-a:v2" }, ["chat-0-pc-a-0"]);
      await scenario.cordon(true);
      await scenario.deletePod("chat-0-pc-a-1");
      await scenario.clock.runFor(10_000);
      const { status } = await cliqueNamed(scenario, "chat-0-pc-a");
      expect(status).toMatchObject({ readyReplicas: 1, updatedReplicas: 2 });
      expect(await counters(scenario)).toMatch(/ 1 of 1 cliques$/);
    },
  },
  {
    name: "OD5 a deleted pod of a scaling group comes back on the new template, alone",
    options: workloadOnDelete(),
    async run(scenario) {
      await changedByHand(scenario, { "pc-c": "pc-c:v2" }, ["chat-0-sg-x-1-pc-c-2"]);
      expect(await updatedPods(scenario, "chat-0-sg-x-1-pc-c")).toBe(1);
    },
  },
  {
    name: "OD6 standalone cliques and scaling groups alike change only by hand",
    options: workloadOnDelete(),
    run: (scenario) =>
      changedByHand(scenario, workloadImages("v2"), ["chat-0-pc-a-0", "chat-0-sg-x-0-pc-b-0"]),
  },
  {
    name: "OD7 nothing is deleted in any replica of the set",
    options: workloadOnDelete({ replicas: 2 }),
    async run(scenario) {
      await ready(scenario);
      await scenario.setImages(workloadImages("v2"));
      await expectNobodyGone(scenario);
      expect(await counters(scenario)).toBe("0 replicas, 0 of 2 cliques");
      for (const { spec } of atLeastOne(await scenario.cliques())) {
        expect(spec.podSpec.containers[0]?.image).toMatch(/:v2$/);
      }
    },
  },
  {
    name: "OD8 a node is kept out by affinity: only the pod that somebody deletes moves",
    options: workloadOnDelete({ nodes: 3 }),
    async run(scenario) {
      await ready(scenario);
      const before = await uidsByHostname(scenario);
      const { nodeName = "" } = (await podAt(scenario, "chat-0-pc-a-0")).spec;
      await scenario.changePodSpecs(() => notOn(nodeName));
      await expectNobodyGone(scenario);
      await replaced(scenario, "chat-0-pc-a-0");
      const after = await uidsByHostname(scenario);
      const moved = Object.keys(before).filter((name) => after[name] !== before[name]);
      expect(moved).toEqual(["chat-0-pc-a-0"]);
      const { spec } = await podAt(scenario, "chat-0-pc-a-0");
      expect(spec.nodeName).not.toBe(nodeName);
      expect(spec.affinity).toEqual(notOn(nodeName).affinity);
    },
  },
  {
    name: "OD9 to rolling and back: the first change rolls, the second waits to be deleted",
    options: workloadOnDelete(),
    async run(scenario) {
      await ready(scenario);
      await scenario.patchStrategy({ type: "RollingRecreate" });
      await scenario.setImages({ "pc-b": "pc-b:v2" });
      await scenario.settled();
      await ready(scenario);
      expect(await newPods(scenario)).toEqual(["chat-0-sg-x-0-pc-b-0", "chat-0-sg-x-1-pc-b-0"]);
      await scenario.patchStrategy({ type: "OnDelete" });
      await scenario.setImages({ "pc-c": "pc-c:v2" });
      await expectNobodyGone(scenario);
      expect(await newPods(scenario)).toEqual(["chat-0-sg-x-0-pc-b-0", "chat-0-sg-x-1-pc-b-0"]);
    },
  },
];

runAll(scripts);
