/** Gangs under a scheduler that places pods one by one: what cannot fit as a whole is held back, and said so. */
import { expect, test } from "vitest";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { PodGang } from "../../src/api/grove/podgang.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import type { Pod } from "../../src/api/pod.ts";
import { cliOf } from "../builders/cli.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetOf, podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";

const gpus = (count: number) => ({
  podSpec: {
    containers: [
      { name: "app", image: "work:v1", resources: { limits: { "nvidia.com/gpu": String(count) } } },
    ],
  },
});

/** A leader and workers with one GPU each, on nodes with eight. */
const nine = { lead: gpus(1), work: { replicas: 8, ...gpus(1) } };
const oneByOne = { gangSchedulers: ["kai-scheduler"], nodes: 1 } as const;

const running = async ({ pods }: PodCliqueSetScenario): Promise<number> =>
  (await pods()).filter(({ spec }: Pod) => (spec.nodeName ?? "") !== "").length;

async function after60s(options: PodCliqueSetScenarioOptions): Promise<PodCliqueSetScenario> {
  const scenario = await podCliqueSetScenario(options);
  await scenario.clock.runFor(60_000);
  return scenario;
}

test("GA8 a gang of nine on eight GPUs holds none of them, and says what it lacks", async () => {
  const scenario = await after60s({ ...oneByOne, cliques: nine });
  expect(await running(scenario)).toBe(0);
  expect((await scenario.condition("Progressing"))?.message).toMatch(
    /does not fit: 9 pods need 9 \S+gpu at one time \(1 x 1 of \S+lead, 8 x 1 of \S+work\), and the nodes have 8, /,
  );
  expect(await scenario.condition("GangScheduling")).toMatchObject({
    status: "False",
    reason: "NoGangScheduler",
  });
  const { text } = await cliOf(scenario).lockstep("why pcs/chat");
  expect(text).toMatch(
    /waits for +chat-0-\S+ .*: held back: its gang chat-0 does not fit: 9 pods need 9/,
  );
  expect(text).toMatch(/freed by +a node with room for it/);
  expect(text).toMatch(/type +kubectl describe nodes/);
  const gang = await scenario.client.get<PodGang>(podGangResource, {
    namespace: "default",
    name: "chat-0",
  });
  expect(gang.status?.conditions?.find(({ type }) => type === "Scheduled")?.message).toMatch(
    /0 of 1 pod on nodes.*held back: \S+ gang chat-0 does not fit: 9 pods need 9/,
  );
});

test("GA8 what a gang lacks is in the status of the set within seconds", async () => {
  const scenario = await podCliqueSetScenario({ ...oneByOne, cliques: nine });
  await scenario.clock.runFor(6_000);
  expect((await scenario.condition("Progressing"))?.message).toMatch(/does not fit: 9 pods need 9/);
});

test("GA8 a gang is held back where no node has room for one of its pods, and the best node is named", async () => {
  const scenario = await after60s({
    ...oneByOne,
    nodes: 2,
    cliques: { fill: { replicas: 2, ...gpus(5) } },
  });
  expect(await running(scenario)).toBe(2);
  const late = podCliqueSetOf({ name: "late", cliques: { lead: gpus(1), work: gpus(4) } });
  await scenario.client.create(podCliqueSetResource, late);
  await scenario.clock.runFor(60_000);
  expect(await running(scenario)).toBe(2);
  const { text } = await cliOf(scenario).lockstep("why pcs/late");
  expect(text).toMatch(
    /a pod of late-0-work needs 4 nvidia\.com\/gpu, and no node has that free: at most 3, on node-\d/,
  );
});

test("GA8 a held gang starts as soon as there is room", async () => {
  const scenario = await after60s({ ...oneByOne, cliques: { work: { replicas: 8, ...gpus(1) } } });
  expect(await running(scenario)).toBe(8);
  const late = podCliqueSetOf({ name: "late", cliques: { work: { replicas: 2, ...gpus(1) } } });
  await scenario.client.create(podCliqueSetResource, late);
  await scenario.clock.runFor(60_000);
  expect(await running(scenario)).toBe(8);
  await scenario.client.delete(podCliqueSetResource, { namespace: "default", name: "chat" });
  await scenario.clock.runFor(120_000);
  expect(await running(scenario)).toBe(2);
});

test("GA8 of two gangs that come together one runs whole, not both in part", async () => {
  const scenario = await after60s({
    ...oneByOne,
    replicas: 2,
    cliques: { lead: gpus(1), work: { replicas: 5, ...gpus(1) } },
  });
  expect(await running(scenario)).toBe(6);
});

test("GA8 an annotation lets a gang go without room, for clusters that grow when pods wait", async () => {
  const scenario = await podCliqueSetScenario({ ...oneByOne, cliques: nine });
  await scenario.patch({ metadata: { annotations: { "lockstep.dev/gang-fit": "Ignore" } } });
  await scenario.clock.runFor(60_000);
  expect(await running(scenario)).toBe(8);
});

test("GA8 the annotation also lets a gang go that has been held back already", async () => {
  const scenario = await after60s({ ...oneByOne, cliques: nine });
  expect(await running(scenario)).toBe(0);
  await scenario.patch({ metadata: { annotations: { "lockstep.dev/gang-fit": "Ignore" } } });
  await scenario.clock.runFor(10_000);
  expect(await running(scenario)).toBe(8);
});

test("GA8 a scheduler that places gangs is trusted with them", async () => {
  const scenario = await after60s({
    gangSchedulers: ["default-scheduler"],
    nodes: 1,
    cliques: nine,
  });
  const gated = (await scenario.pods()).filter(
    ({ spec }) => (spec.schedulingGates ?? []).length > 0,
  );
  expect(gated).toEqual([]);
  expect(await scenario.condition("GangScheduling")).toMatchObject({ status: "True" });
});

test("GA8 an update of a running set is not held back", async () => {
  const scenario = await after60s({ ...oneByOne, cliques: { work: { replicas: 8, ...gpus(1) } } });
  await scenario.setImages({ work: "work:v2" });
  await scenario.settled();
  expect(scenario.drawing().filter((line) => line.includes("work:v2"))).toHaveLength(8);
});

test("GA8 pods that are larger than any node hold back no other gang, until there is such a node", async () => {
  const scenario = await podCliqueSetScenario({
    ...oneByOne,
    cliques: { huge: { replicas: 2, ...gpus(9) } },
  });
  await scenario.patch({ metadata: { annotations: { "lockstep.dev/gang-fit": "Ignore" } } });
  await scenario.clock.runFor(60_000);
  const late = (name: string) =>
    podCliqueSetOf({ name, cliques: { work: { replicas: 2, ...gpus(1) } } });
  await scenario.client.create(podCliqueSetResource, late("late"));
  await scenario.clock.runFor(60_000);
  expect(await running(scenario)).toBe(2);
  // Now one of the two has a place.
  await scenario.cluster.addNode({ gpus: 9 });
  await scenario.clock.runFor(60_000);
  expect(await running(scenario)).toBe(3);
});
