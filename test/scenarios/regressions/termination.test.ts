/** Gang termination: what counts as broken, since when, who starts over, and how often. */
import { expect, test } from "vitest";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import { forbidding, isAbout } from "../../../src/simulation/faults.ts";
import { versionsOf } from "../../builders/versions.ts";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";

const minutes = (count: number): number => count * 60_000;

/** A frontend, and three pairs of leader and worker of which two must serve. */
const pairs: PodCliqueSetScenarioOptions = {
  cliques: { front: {}, lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"], replicas: 3, minAvailable: 2 } },
};

const hostsOf = async ({ pods }: PodCliqueSetScenario): Promise<Map<string, string>> =>
  new Map((await pods()).map(({ metadata, spec }) => [String(spec.hostname), metadata.uid ?? ""]));

/** Hostnames whose pods are not the ones they were. */
async function replaced(
  scenario: PodCliqueSetScenario,
  before: Map<string, string>,
): Promise<string[]> {
  const now = await hostsOf(scenario);
  return [...before.keys()].filter((host) => now.get(host) !== before.get(host)).toSorted();
}

/** Only when a replica of the set starts over does its standalone clique go. */
const restarts = ({ timeline }: PodCliqueSetScenario): number =>
  timeline.take().filter((line) => line.endsWith(" -clique chat-0-front")).length;

const breachOf = (
  object: { status?: { conditions?: readonly { type: string; status: string }[] } } | undefined,
) => object?.status?.conditions?.find(({ type }) => type === "MinAvailableBreached");

async function lose(scenario: PodCliqueSetScenario, ...hosts: readonly string[]): Promise<void> {
  await scenario.cordon(true);
  for (const host of hosts) await scenario.deletePod(host);
}

test("grove#614 one lost replica of three is one lost replica: two carry on, the set does not start over", async () => {
  const scenario = await podCliqueSetScenario(pairs);
  await scenario.settled();
  const before = await hostsOf(scenario);
  await lose(scenario, "chat-0-pair-2-lead-0", "chat-0-pair-2-work-0");
  await scenario.clock.runFor(minutes(5));
  expect(breachOf((await scenario.groups())[0])).toMatchObject({ status: "False" });
  await scenario.clock.runFor(minutes(30));
  await scenario.cordon(false);
  await scenario.settled();
  expect(await replaced(scenario, before)).toEqual([
    "chat-0-pair-2-lead-0",
    "chat-0-pair-2-work-0",
  ]);
  expect(restarts(scenario)).toBe(0);
});

test("grove#614 a group that lost everything is breached, and its whole replica starts over", async () => {
  const scenario = await podCliqueSetScenario(pairs);
  await scenario.settled();
  const before = await hostsOf(scenario);
  const members = [...before.keys()].filter((host) => host.includes("-pair-"));
  await lose(scenario, ...members);
  await scenario.clock.runFor(minutes(5));
  expect(breachOf((await scenario.groups())[0])).toMatchObject({ status: "True" });
  await scenario.clock.runFor(minutes(10));
  expect(restarts(scenario)).toBe(1);
  await scenario.cordon(false);
  await scenario.settled();
  expect(await replaced(scenario, before)).toEqual([...before.keys()].toSorted());
});

test("grove#614 one restart per episode, and the next loss is an episode of its own", async () => {
  const scenario = await podCliqueSetScenario(pairs);
  await scenario.settled();
  await lose(scenario, "chat-0-pair-0-lead-0", "chat-0-pair-1-lead-0");
  await scenario.clock.runFor(minutes(120));
  expect(restarts(scenario)).toBe(1);
  await scenario.cordon(false);
  await scenario.settled();
  await scenario.clock.runFor(minutes(1));
  await lose(scenario, "chat-0-pair-0-lead-0", "chat-0-pair-1-lead-0");
  await scenario.clock.runFor(minutes(15));
  expect(restarts(scenario)).toBe(1);
});

test("grove#561 too few scheduled pods are a start at first and a breach ever after", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2, minAvailable: 2 } },
    nodes: 1,
    shape: { pods: 1 },
  });
  await scenario.clock.runFor(minutes(60));
  expect(breachOf((await scenario.cliques())[0])).toMatchObject({ status: "Unknown" });
  await scenario.cluster.addNode();
  await scenario.settled();
  expect(breachOf((await scenario.cliques())[0])).toMatchObject({ status: "False" });
  await lose(scenario, "chat-0-front-0");
  await scenario.clock.runFor(minutes(1));
  expect(breachOf((await scenario.cliques())[0])).toMatchObject({
    status: "True",
    reason: "ScheduledReplicasBelowMinAvailable",
  });
});

test("grove#780 grove#789 a first look that comes minutes late takes a slow start for no loss", async () => {
  const isStatus = (path: string): boolean => path.endsWith("/status");
  const scenario = await podCliqueSetScenario({
    ...pairs,
    nodes: 1,
    shape: { pods: 2 },
    template: { terminationDelay: "1m" },
    faults: forbidding((request) => isStatus(request.path) && isAbout(request, podCliqueResource)),
  });
  const { groups, cliques } = versionsOf(scenario.client);
  await scenario.clock.runFor(minutes(10));
  await scenario.restart();
  await scenario.clock.runFor(minutes(10));
  for (let node = 0; node < 4; node += 1) await scenario.cluster.addNode();
  await scenario.settled();
  await scenario.clock.runFor(minutes(5));
  expect(restarts(scenario)).toBe(0);
  expect([...groups, ...cliques].filter((each) => breachOf(each)?.status === "True")).toEqual([]);
});

test("PS9 what somebody scaled below its minimum is as it should be: no restart would bring back more", async () => {
  const scenario = await podCliqueSetScenario({ ...pairs, template: { terminationDelay: "1m" } });
  await scenario.settled();
  await scenario.clock.runFor(minutes(1));
  await scenario.scaleClique("chat-0-front", 0);
  await scenario.scaleGroup("chat-0-pair", 0);
  await scenario.clock.runFor(minutes(10));
  expect(breachOf((await scenario.cliques())[0])?.status).toBe("Unknown");
  // Nor does the time in which less was asked for count once more is asked for again.
  await scenario.scaleClique("chat-0-front", 2);
  await scenario.scaleGroup("chat-0-pair", 2);
  await scenario.clock.runFor(minutes(10));
  expect(restarts(scenario)).toBe(0);
  expect(breachOf((await scenario.cliques())[0])?.status).toBe("False");
});

test.each([
  { what: "its set", lost: "-pair-" },
  { what: "its group", lost: "-pair-0-" },
])(
  "PS9 what serves again by now does not start over, however old the conditions of $what are",
  async ({ lost }) => {
    const scenario = await podCliqueSetScenario(pairs);
    await scenario.settled();
    const members = [...(await hostsOf(scenario)).keys()].filter((host) => host.includes(lost));
    await lose(scenario, ...members);
    await scenario.clock.runFor(minutes(5));
    await scenario.cordon(false);
    // The pods are there again in a moment, and nobody writes that.
    await scenario.restart(
      forbidding(
        (request) => request.path.endsWith("/status") && isAbout(request, podCliqueResource),
      ),
    );
    await scenario.clock.runFor(minutes(1));
    await scenario.restart(forbidding(({ method }) => method !== "GET"));
    const before = await hostsOf(scenario);
    await scenario.clock.runFor(minutes(30));
    await scenario.restart();
    await scenario.settled();
    await scenario.clock.runFor(minutes(5));
    expect(await replaced(scenario, before)).toEqual([]);
  },
);
