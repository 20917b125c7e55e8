/** OnDelete: templates change at once, pods when somebody deletes them. */
import { expect } from "vitest";
import type { PodClique } from "../../../src/api/grove/podclique.ts";
import type { Pod } from "../../../src/api/pod.ts";
import type { Scenario } from "../../builders/pod-clique-set-scenario.ts";
import type { Story } from "../../builders/story.ts";
import { tellAll } from "../../builders/story.ts";
import { deletedPods, ready } from "../../builders/update-story.ts";
import { workloadImages, workloadOnDelete } from "../../builders/workloads.ts";

const hostname = ({ spec }: Pod): string => spec["hostname"] as string;
const imageOf = ({ spec }: Pod): string => spec.containers[0]?.image ?? "";

/** Uids by hostname. */
async function identities({ pods }: Scenario): Promise<Record<string, string>> {
  return Object.fromEntries((await pods()).map((pod) => [hostname(pod), pod.metadata.uid ?? ""]));
}

async function newPods({ pods }: Scenario): Promise<string[]> {
  const updated = (await pods()).filter((pod) => imageOf(pod).endsWith(":v2"));
  return updated.map(hostname).toSorted();
}

async function clique(scenario: Scenario, name: string): Promise<PodClique> {
  const found = (await scenario.cliques()).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no clique ${name}`);
  return found;
}

/** Deleted by somebody, and its successor is up. */
async function replaced(scenario: Scenario, name: string): Promise<void> {
  const before = (await identities(scenario))[name];
  await scenario.deletePod(name);
  const isBack = async (): Promise<boolean> => {
    const { [name]: uid } = await identities(scenario);
    return uid !== undefined && uid !== before;
  };
  await scenario.until(isBack);
  await ready(scenario);
}

/** The update has begun and ended in one moment, whatever is still outdated. */
async function expectEnded({ set, cliques, groups }: Scenario): Promise<void> {
  const { status } = await set();
  const { updateStartedAt, updateEndedAt, currentlyUpdating } = status?.updateProgress ?? {};
  expect(updateEndedAt).toBeDefined();
  expect(updateEndedAt).toBe(updateStartedAt);
  expect(currentlyUpdating).toBeUndefined();
  for (const { status: own } of [...(await cliques()), ...(await groups())]) {
    expect(own?.updateProgress?.updateEndedAt).toBe(own?.updateProgress?.updateStartedAt);
  }
}

/** Time passes, and nobody is deleted. */
async function expectNobodyGone(scenario: Scenario): Promise<void> {
  const before = await identities(scenario);
  await scenario.clock.runFor(20_000);
  expect(deletedPods(scenario.watcher.take())).toEqual([]);
  expect(await identities(scenario)).toEqual(before);
  await expectEnded(scenario);
}

/** How many replicas and cliques of the set are wholly on the new template. */
async function counters({ set }: Scenario): Promise<string> {
  const { updateProgress, updatedReplicas } = (await set()).status ?? {};
  const { updatedPodCliquesCount, totalPodCliquesCount } = updateProgress ?? {};
  return `${updatedReplicas} replicas, ${updatedPodCliquesCount ?? 0} of ${totalPodCliquesCount} cliques`;
}

const updatedPods = async (scenario: Scenario, name: string): Promise<number | undefined> =>
  (await clique(scenario, name)).status?.updatedReplicas;

/** One pod per clique is changed by hand: the others keep running. */
async function expectOnlyChanged(
  scenario: Scenario,
  before: Readonly<Record<string, string>>,
  changed: readonly string[],
): Promise<void> {
  const after = await identities(scenario);
  const moved = Object.keys(before).filter((name) => after[name] !== before[name]);
  expect(moved.toSorted()).toEqual(changed.toSorted());
  expect(Object.keys(after).toSorted()).toEqual(Object.keys(before).toSorted());
  expect(await newPods(scenario)).toEqual(changed.toSorted());
}

const notOn = (node: string) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: "kubernetes.io/hostname", operator: "NotIn", values: [node] },
            ],
          },
        ],
      },
    },
  },
});

async function podAt({ pods }: Scenario, name: string): Promise<Pod> {
  const found = (await pods()).find((pod) => hostname(pod) === name);
  if (found === undefined) throw new Error(`there is no pod ${name}`);
  return found;
}

const stories: readonly Story[] = [
  {
    name: "OD1 a changed standalone clique deletes nothing, and the update has ended",
    options: workloadOnDelete(),
    async tell(scenario) {
      await ready(scenario);
      await scenario.setImages({ "pc-a": "pc-a:v2" });
      await expectNobodyGone(scenario);
      expect(await updatedPods(scenario, "chat-0-pc-a")).toBe(0);
      expect(await counters(scenario)).toBe("0 replicas, 0 of 1 cliques");
    },
  },
  {
    name: "OD2 a deleted pod of a standalone clique comes back on the new template",
    options: workloadOnDelete(),
    async tell(scenario) {
      await ready(scenario);
      const before = await identities(scenario);
      await scenario.setImages({ "pc-a": "pc-a:v2" });
      await scenario.clock.runFor(5_000);
      await replaced(scenario, "chat-0-pc-a-1");
      await expectOnlyChanged(scenario, before, ["chat-0-pc-a-1"]);
      await expectNobodyGone(scenario);
      expect(await updatedPods(scenario, "chat-0-pc-a")).toBe(1);
    },
  },
  {
    name: "OD3 scale-in takes the outdated pod, and the updated one survives",
    options: workloadOnDelete(),
    async tell(scenario) {
      await ready(scenario);
      await scenario.setImages({ "pc-a": "pc-a:v2" });
      await scenario.clock.runFor(5_000);
      await replaced(scenario, "chat-0-pc-a-1");
      const { "chat-0-pc-a-1": survivor } = await identities(scenario);
      await scenario.scaleClique("chat-0-pc-a", 1);
      await scenario.until(async () => (await scenario.pods()).length === 9);
      expect(deletedPods(scenario.watcher.take())).toEqual(["chat-0-pc-a-0"]);
      await expectNobodyGone(scenario);
      expect((await identities(scenario))["chat-0-pc-a-1"]).toBe(survivor);
      const { status } = await clique(scenario, "chat-0-pc-a");
      expect(status).toMatchObject({ replicas: 1, readyReplicas: 1, updatedReplicas: 1 });
    },
  },
  {
    name: "OD4 a changed member of a scaling group deletes nothing, and the update has ended",
    options: workloadOnDelete(),
    async tell(scenario) {
      await ready(scenario);
      await scenario.setImages({ "pc-b": "pc-b:v2" });
      await expectNobodyGone(scenario);
      expect(await updatedPods(scenario, "chat-0-sg-x-0-pc-b")).toBe(0);
      expect((await scenario.groups())[0]?.status?.updatedReplicas).toBe(0);
      expect(await counters(scenario)).toBe("0 replicas, 1 of 1 cliques");
    },
  },
  {
    name: "OD5 a deleted pod of a scaling group comes back on the new template, alone",
    options: workloadOnDelete(),
    async tell(scenario) {
      await ready(scenario);
      const before = await identities(scenario);
      await scenario.setImages({ "pc-c": "pc-c:v2" });
      await scenario.clock.runFor(5_000);
      await replaced(scenario, "chat-0-sg-x-1-pc-c-2");
      await expectOnlyChanged(scenario, before, ["chat-0-sg-x-1-pc-c-2"]);
      await expectNobodyGone(scenario);
      expect(await updatedPods(scenario, "chat-0-sg-x-1-pc-c")).toBe(1);
    },
  },
  {
    name: "OD6 standalone cliques and scaling groups alike change only by hand",
    options: workloadOnDelete(),
    async tell(scenario) {
      await ready(scenario);
      const before = await identities(scenario);
      await scenario.setImages(workloadImages("v2"));
      await expectNobodyGone(scenario);
      await replaced(scenario, "chat-0-pc-a-0");
      await replaced(scenario, "chat-0-sg-x-0-pc-b-0");
      await expectOnlyChanged(scenario, before, ["chat-0-pc-a-0", "chat-0-sg-x-0-pc-b-0"]);
    },
  },
  {
    name: "OD7 nothing is deleted in any replica of the set",
    options: workloadOnDelete({ replicas: 2 }),
    async tell(scenario) {
      await ready(scenario);
      await scenario.setImages(workloadImages("v2"));
      await expectNobodyGone(scenario);
      expect(await counters(scenario)).toBe("0 replicas, 0 of 2 cliques");
      for (const { spec } of await scenario.cliques()) {
        expect(spec.podSpec.containers[0]?.image).toMatch(/:v2$/);
      }
    },
  },
  {
    name: "OD8 a node is kept out by affinity: only the pod that somebody deletes moves",
    options: workloadOnDelete({ nodes: 3 }),
    async tell(scenario) {
      await ready(scenario);
      const before = await identities(scenario);
      const { nodeName = "" } = (await podAt(scenario, "chat-0-pc-a-0")).spec;
      await scenario.changePodSpecs(() => notOn(nodeName));
      await expectNobodyGone(scenario);
      await replaced(scenario, "chat-0-pc-a-0");
      const after = await identities(scenario);
      const moved = Object.keys(before).filter((name) => after[name] !== before[name]);
      expect(moved).toEqual(["chat-0-pc-a-0"]);
      const { spec } = await podAt(scenario, "chat-0-pc-a-0");
      expect(spec.nodeName).not.toBe(nodeName);
      expect(spec["affinity"]).toEqual(notOn(nodeName).affinity);
    },
  },
  {
    name: "OD9 to rolling and back: the first change rolls, the second waits to be deleted",
    options: workloadOnDelete(),
    async tell(scenario) {
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

tellAll(stories);
