/** Scaling: who goes when fewer are wanted, what goes with them, and what newcomers are spared. */
import { expect, test } from "vitest";
import { autoscalerResource } from "../../../src/api/autoscaler.ts";
import { labelKeys } from "../../../src/api/grove/labels.ts";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import type { KubeObject } from "../../../src/api/object.ts";
import type { Resource } from "../../../src/api/resource.ts";
import { serviceResource } from "../../../src/api/service.ts";
import { isAbout, forbidding } from "../../../src/simulation/faults.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";
import { versionsOf } from "../../builders/versions.ts";
import { atLeastOne } from "../../builders/must.ts";

const pairs: PodCliqueSetScenarioOptions = {
  cliques: { front: { replicas: 2, minAvailable: 1 }, lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"], replicas: 3, minAvailable: 1 } },
};

const namesOf = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name ?? "").toSorted();

async function uidsOf({ pods }: PodCliqueSetScenario): Promise<Map<string, string>> {
  const all = (await pods()).map(
    ({ metadata, spec }) => [String(spec.hostname), metadata.uid ?? ""] as const,
  );
  return new Map(all);
}

const leavers = [
  { type: "RollingRecreate", index: 3 },
  { type: "OnDelete", index: 0 },
];

test.each(leavers)(
  "grove#759 under $type who is leaving already is the one that scale-in takes",
  async ({ type, index }) => {
    // Pods that ignore the request to stop leave after half a minute.
    const front = { replicas: 4, minAvailable: 1, image: "front:stubborn" };
    const scenario = await podCliqueSetScenario({ cliques: { front }, strategy: { type } });
    await scenario.settled();
    const before = await uidsOf(scenario);
    await scenario.deletePod(`chat-0-front-${index}`);
    await scenario.clock.runFor(1_000);
    await scenario.scaleClique("chat-0-front", 3);
    await scenario.clock.runFor(120_000);
    before.delete(`chat-0-front-${index}`);
    expect(await uidsOf(scenario)).toEqual(before);
  },
);

test("grove#759 a replica of a group that is leaving already is the one that scale-in takes", async () => {
  const stubborn = { image: "lead:stubborn" };
  const scenario = await podCliqueSetScenario({
    ...pairs,
    cliques: { ...pairs.cliques, lead: stubborn },
  });
  await scenario.settled();
  const before = await uidsOf(scenario);
  for (const clique of ["lead", "work"]) {
    const name = `chat-0-pair-2-${clique}`;
    await scenario.client.delete(podCliqueResource, { namespace, name });
    before.delete(`${name}-0`);
  }
  await scenario.clock.runFor(1_000);
  await scenario.scaleGroup("chat-0-pair", 2);
  await scenario.clock.runFor(120_000);
  expect(await uidsOf(scenario)).toEqual(before);
});

test("a group with a hole loses the highest index, not the one that a count points at", async () => {
  const scenario = await podCliqueSetScenario(pairs);
  await scenario.settled();
  const before = await uidsOf(scenario);
  await scenario.restart(
    forbidding((request) => request.method === "POST" && isAbout(request, podCliqueResource)),
  );
  for (const clique of ["lead", "work"]) {
    await scenario.client.delete(podCliqueResource, { namespace, name: `chat-0-pair-0-${clique}` });
  }
  await scenario.clock.runFor(10_000);
  await scenario.scaleGroup("chat-0-pair", 2);
  await scenario.clock.runFor(30_000);
  const holed = [...(await uidsOf(scenario)).keys()].filter((host) => host.includes("lead"));
  expect(holed).toEqual(["chat-0-pair-1-lead-0"]);
  await scenario.restart();
  await scenario.settled();
  await scenario.clock.runFor(30_000);
  const after = await uidsOf(scenario);
  const members = [...after.keys()].filter((host) => host.includes("pair")).toSorted();
  expect(members).toEqual([
    "chat-0-pair-0-lead-0",
    "chat-0-pair-0-work-0",
    "chat-0-pair-1-lead-0",
    "chat-0-pair-1-work-0",
  ]);
  expect(after.get("chat-0-pair-1-lead-0")).toBe(before.get("chat-0-pair-1-lead-0"));
});

const autoscaled = { autoScalingConfig: { minReplicas: 1, maxReplicas: 4 } };

test("grove#318 a replica that is scaled away takes all its own along, services and autoscalers too", async () => {
  const front = { replicas: 2, minAvailable: 1, extra: autoscaled };
  const scenario = await podCliqueSetScenario({
    ...pairs,
    replicas: 3,
    cliques: { ...pairs.cliques, front },
  });
  await scenario.settled();
  await scenario.scale(1);
  await scenario.clock.runFor(60_000);
  const list = async (resource: Resource): Promise<readonly KubeObject[]> =>
    (await scenario.client.list(resource, { namespace })).items;
  const left: readonly KubeObject[] = [
    ...(await scenario.pods()),
    ...(await scenario.cliques()),
    ...(await scenario.groups()),
    ...(await scenario.gangs()),
    ...(await list(serviceResource)),
    ...(await list(autoscalerResource)),
  ];
  const others = left.filter(
    ({ metadata }) => metadata.labels?.[labelKeys.setReplicaIndex] !== "0",
  );
  expect(namesOf(others)).toEqual([]);
  expect(namesOf(await list(serviceResource))).toEqual(["chat-0"]);
  expect(namesOf(await list(autoscalerResource))).toEqual(["chat-0-front"]);
});

test("grove#576 replicas on their way out are counted in no progress", async () => {
  const scenario = await podCliqueSetScenario({ ...pairs, replicas: 3 });
  await scenario.settled();
  const { sets } = versionsOf(scenario.client);
  await scenario.setImages({ front: "front:v2", lead: "lead:v2" });
  const isHalfDone = async (): Promise<boolean> =>
    ((await scenario.set()).status?.updateProgress?.updatedPodCliquesCount ?? 0) >= 2;
  while (!(await isHalfDone())) await scenario.clock.runFor(500);
  await scenario.scale(1);
  await scenario.settled();
  const reported = sets.flatMap(({ status }) => status?.updateProgress ?? []);
  expect(reported.length).toBeGreaterThan(3);
  for (const progress of atLeastOne(reported)) {
    const { updatedPodCliquesCount = 0, totalPodCliquesCount = 0 } = progress;
    const { updatedPodCliqueScalingGroupsCount = 0, totalPodCliqueScalingGroupsCount = 0 } =
      progress;
    expect(updatedPodCliquesCount).toBeLessThanOrEqual(totalPodCliquesCount);
    expect(updatedPodCliqueScalingGroupsCount).toBeLessThanOrEqual(
      totalPodCliqueScalingGroupsCount,
    );
  }
});

test("grove#757 what is added after an update has nothing to update", async () => {
  const scenario = await podCliqueSetScenario(pairs);
  await scenario.settled();
  await scenario.setImages({ front: "front:v2", lead: "lead:v2" });
  await scenario.settled();
  await scenario.clock.runFor(30_000);
  scenario.timeline.take();
  const { cliques } = versionsOf(scenario.client);
  await scenario.scale(2);
  await scenario.scaleGroup("chat-0-pair", 4);
  await scenario.settled();
  await scenario.clock.runFor(30_000);
  expect(scenario.timeline.take().filter((line) => line.includes(" -chat-"))).toEqual([]);
  const fresh = cliques.filter(({ metadata }) => /chat-1|pair-3/.test(metadata.name ?? ""));
  expect(fresh.length).toBeGreaterThan(0);
  expect(fresh.filter(({ status }) => status?.updateProgress !== undefined)).toEqual([]);
});

test("RO2 a group whose replica of the set is not wanted any more creates no members", async () => {
  const scenario = await podCliqueSetScenario({ ...pairs, replicas: 2 });
  await scenario.settled();
  await scenario.restart(forbidding(({ method }) => method !== "GET"));
  await scenario.client.delete(podCliqueResource, { namespace, name: "chat-1-pair-2-work" });
  await scenario.scale(1);
  await scenario.clock.runFor(20_000);
  const seen = versionsOf(scenario.client).cliques;
  await scenario.restart();
  await scenario.settled();
  expect(namesOf(await scenario.groups())).toEqual(["chat-0-pair"]);
  expect(namesOf(seen)).not.toContain("chat-1-pair-2-work");
});
