/** The test plan of OnDelete (GREP-291): its four end-to-end cases, and what its unit list adds. */
import { expect } from "vitest";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import {
  changedByHand,
  cliqueNamed,
  counters,
  expectNobodyGone,
  expectOnlyChanged,
  uidsByHostname,
  newPods,
  notOn,
  podAt,
  replaced,
  updatedPods,
} from "../../builders/on-delete-steps.ts";
import { hostnameOf } from "../../../src/simulation/scenario-kind.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";
import { deletedPods, ready } from "../../builders/update-steps.ts";
import { workloadImages, workloadOnDelete } from "../../builders/workloads.ts";

/** Workers without a scaling group. */
const training = (replicas: number): PodCliqueSetScenarioOptions => ({
  strategy: { type: "OnDelete" },
  nodes: 3,
  cliques: { worker: { replicas, minAvailable: 1 } },
});

const groupOf = async ({ groups }: PodCliqueSetScenario) => (await groups())[0]?.status;

/** Somebody deletes a whole replica of a scaling group. */
async function deleteReplica(
  { client, cliques }: PodCliqueSetScenario,
  replica: string,
): Promise<void> {
  for (const { metadata } of await cliques()) {
    const { name = "" } = metadata;
    if (name.startsWith(`${replica}-`)) await client.delete(podCliqueResource, { namespace, name });
  }
}

/** So many are left, nobody on the way out among them. */
const arePods =
  ({ pods }: PodCliqueSetScenario, count: number) =>
  async (): Promise<boolean> =>
    (await pods()).length === count;

const isWhole = (scenario: PodCliqueSetScenario, pods: number) => (): boolean =>
  scenario.drawing().filter((line) => !line.endsWith("!")).length === pods;

const scripts: readonly ScriptedScenario[] = [
  {
    name: "GREP-291 case 1: nothing is deleted, a deleted pod is new, scale-in takes outdated ones, the status says so",
    options: training(4),
    async run(scenario) {
      await changedByHand(scenario, { worker: "worker:v2" }, ["chat-0-worker-3"]);
      expect(await updatedPods(scenario, "chat-0-worker")).toBe(1);
      await scenario.scaleClique("chat-0-worker", 2);
      await scenario.until(arePods(scenario, 2));
      expect(deletedPods(scenario.timeline.take())).not.toContain("chat-0-worker-3");
      const left = Object.keys(await uidsByHostname(scenario));
      expect(left).toContain("chat-0-worker-3");
      await expectNobodyGone(scenario);
      const { status } = await cliqueNamed(scenario, "chat-0-worker");
      expect(status).toMatchObject({ replicas: 2, readyReplicas: 2, updatedReplicas: 1 });
      expect(status?.currentPodTemplateHash).not.toBe(status?.updateProgress?.podTemplateHash);
    },
  },
  {
    name: "GREP-291 case 2: pods leave a failed node one by one, strategies change, mixed versions scale in",
    options: training(6),
    async run(scenario) {
      await ready(scenario);
      const { nodeName = "" } = (await podAt(scenario, "chat-0-worker-0")).spec;
      await scenario.changePodSpecs(() => notOn(nodeName));
      await expectNobodyGone(scenario);
      const before = await uidsByHostname(scenario);
      const hit = (await scenario.pods()).filter(({ spec }) => spec.nodeName === nodeName);
      for (const pod of hit) await replaced(scenario, hostnameOf(pod));
      const after = await uidsByHostname(scenario);
      const moved = Object.keys(before).filter((name) => after[name] !== before[name]);
      expect(moved.toSorted()).toEqual(hit.map(hostnameOf).toSorted());
      expect((await scenario.pods()).some(({ spec }) => spec.nodeName === nodeName)).toBe(false);
      await scenario.scaleClique("chat-0-worker", hit.length);
      await scenario.until(arePods(scenario, hit.length));
      expect(Object.values(await uidsByHostname(scenario)).toSorted()).toEqual(
        moved.map((name) => after[name] ?? "").toSorted(),
      );
      await scenario.patchStrategy({ type: "RollingRecreate" });
      await scenario.setImages({ worker: "worker:v2" });
      await scenario.settled();
      expect(await newPods(scenario)).toHaveLength(hit.length);
    },
  },
  {
    name: "GREP-291 case 3: no replica of a group is deleted, and one that somebody deletes comes back new",
    options: workloadOnDelete(),
    async run(scenario) {
      await ready(scenario);
      const before = await uidsByHostname(scenario);
      await scenario.setImages({ "pc-b": "pc-b:v2", "pc-c": "pc-c:v2" });
      await expectNobodyGone(scenario);
      expect(await groupOf(scenario)).toMatchObject({ replicas: 2, updatedReplicas: 0 });
      await deleteReplica(scenario, "chat-0-sg-x-1");
      await scenario.until(async () => (await newPods(scenario)).length === 4);
      await scenario.until(isWhole(scenario, 10));
      const replica = Object.keys(before).filter((name) => name.startsWith("chat-0-sg-x-1-"));
      await expectOnlyChanged(scenario, before, replica);
      scenario.timeline.take();
      await expectNobodyGone(scenario);
      expect(await groupOf(scenario)).toMatchObject({ availableReplicas: 2, updatedReplicas: 1 });
    },
  },
  {
    name: "GREP-291 case 4: one strategy for standalone cliques and scaling groups alike",
    options: workloadOnDelete({ replicas: 2 }),
    async run(scenario) {
      const changed = ["chat-0-pc-a-0", "chat-1-sg-x-1-pc-c-1"];
      await changedByHand(scenario, workloadImages("v2"), changed);
      expect(await updatedPods(scenario, "chat-0-pc-a")).toBe(1);
      expect(await updatedPods(scenario, "chat-1-sg-x-1-pc-c")).toBe(1);
      expect(await counters(scenario)).toBe("0 replicas, 0 of 2 cliques");
    },
  },
  {
    name: "GREP-291 units: whatever is added is of the new template, and the counters say how much of it there is",
    options: workloadOnDelete(),
    async run(scenario) {
      await ready(scenario);
      await scenario.setImages(workloadImages("v2"));
      await expectNobodyGone(scenario);
      await scenario.scaleClique("chat-0-pc-a", 3);
      await scenario.scaleGroup("chat-0-sg-x", 3);
      await scenario.scale(2);
      await scenario.until(isWhole(scenario, 3 + 12 + 10));
      expect(deletedPods(scenario.timeline.take())).toEqual([]);
      const added = await newPods(scenario);
      expect(added).toHaveLength(1 + 4 + 10);
      expect(added).toContain("chat-0-pc-a-2");
      await scenario.clock.runFor(10_000);
      expect(await updatedPods(scenario, "chat-0-pc-a")).toBe(1);
      expect(await updatedPods(scenario, "chat-1-pc-a")).toBe(2);
      const groups = (await scenario.groups()).map(({ status }) => status?.updatedReplicas);
      expect(groups).toEqual([1, 2]);
      expect(await counters(scenario)).toBe("1 replicas, 1 of 2 cliques");
    },
  },
];

runAll(scripts);
