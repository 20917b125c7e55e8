/** Gangs under a scheduler that places pods one by one: what cannot fit as a whole is held back, and said so. */
import { expect, test } from "vitest";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
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
    /does not fit: it needs 9 more nvidia\.com\/gpu at one time, and 8 of 8 are free/,
  );
  expect(await scenario.condition("GangScheduling")).toMatchObject({
    status: "False",
    reason: "NoGangScheduler",
  });
  const { text } = await cliOf(scenario).lockstep("why pcs/chat");
  expect(text).toMatch(
    /waits for +chat-0-\S+ .*: held back: their gang chat-0 does not fit: it needs 9/,
  );
  expect(text).toMatch(/freed by +a node with room for it/);
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
