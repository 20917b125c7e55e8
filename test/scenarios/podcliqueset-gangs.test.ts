/** Gangs of PodCliqueSets: placed together, restarted together when broken for too long, started in order. */
import { expect, test } from "vitest";
import type { ScenarioOptions } from "../builders/pod-clique-set-scenario.ts";
import { cliqueScenario } from "../builders/pod-clique-set-scenario.ts";

const pairs: ScenarioOptions = {
  cliques: { front: { replicas: 2, minAvailable: 1 }, lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
};

const uids = (pods: readonly { metadata: { uid?: string } }[]): string[] =>
  pods.map(({ metadata }) => metadata.uid ?? "");

test("GS one base gang and one scaled gang per replica above minAvailable, with all their pods", async () => {
  const scenario = await cliqueScenario(pairs);
  await scenario.settled();
  await scenario.clock.runFor(5_000);
  const drawn = (await scenario.gangs()).map(({ metadata, spec }) => [
    metadata.name,
    ...spec.podgroups.map(
      (group) => `${group.name} ${group.podReferences.length}/${group.minReplicas}`,
    ),
  ]);
  expect(drawn).toEqual([
    ["chat-0", "chat-0-front 2/1", "chat-0-pair-0-lead 1/1", "chat-0-pair-0-work 1/1"],
    ["chat-0-pair-0", "chat-0-pair-1-lead 1/1", "chat-0-pair-1-work 1/1"],
  ]);
});

test("GS1 a gang that does not fit waits as a whole, and starts when there is room", async () => {
  const scenario = await cliqueScenario({ ...pairs, nodes: 1, shape: { pods: 2 } });
  await scenario.clock.runFor(60_000);
  expect((await scenario.pods()).filter(({ spec }) => spec.nodeName !== undefined)).toEqual([]);
  await scenario.cluster.addNode();
  await scenario.settled();
  expect(scenario.operatorProblems).toEqual([]);
});

test("GT1 a clique below minAvailable restarts the whole replica after the delay, and only that replica", async () => {
  const scenario = await cliqueScenario({ ...pairs, replicas: 2 });
  await scenario.settled();
  const before = await scenario.pods();
  await scenario.cordon(true);
  await scenario.deletePod("chat-0-front-0");
  await scenario.deletePod("chat-0-front-1");
  await scenario.clock.runFor(9 * 60_000);
  const kept = new Set(uids(await scenario.pods()));
  expect(before.filter(({ metadata }) => kept.has(metadata.uid ?? ""))).toHaveLength(10);
  await scenario.clock.runFor(2 * 60_000);
  await scenario.cordon(false);
  await scenario.settled();
  expect(scenario.operatorProblems).toEqual([]);
  const after = new Set(uids(await scenario.pods()));
  const survivors = before.filter(({ metadata }) => after.has(metadata.uid ?? ""));
  expect(survivors.map(({ metadata }) => metadata.name?.slice(0, 6))).toEqual(
    Array.from({ length: 6 }, () => "chat-1"),
  );
  const events = await scenario.events("chat");
  expect(events.filter((event) => event.startsWith("GangTerminated"))).toHaveLength(1);
});

test("GT3 losing pods within minAvailable only brings those pods back", async () => {
  const scenario = await cliqueScenario(pairs);
  await scenario.settled();
  const before = await scenario.pods();
  await scenario.deletePod("chat-0-front-1");
  await scenario.clock.runFor(15 * 60_000);
  const after = new Set(uids(await scenario.pods()));
  expect(before.filter(({ metadata }) => !after.has(metadata.uid ?? ""))).toHaveLength(1);
});

test("GT5 one broken replica of a group starts over alone while the others carry on", async () => {
  const scenario = await cliqueScenario(pairs);
  await scenario.settled();
  const before = await scenario.pods();
  await scenario.cordon(true);
  await scenario.deletePod("chat-0-pair-1-lead-0");
  await scenario.clock.runFor(11 * 60_000);
  await scenario.cordon(false);
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  expect(scenario.operatorProblems).toEqual([]);
  const after = new Set(uids(await scenario.pods()));
  const lost = before.filter(({ metadata }) => !after.has(metadata.uid ?? ""));
  expect(lost.map(({ spec }) => spec["hostname"])).toEqual([
    "chat-0-pair-1-lead-0",
    "chat-0-pair-1-work-0",
  ]);
  const [group] = await scenario.groups();
  expect(group?.status).toMatchObject({ availableReplicas: 2 });
});

test("a set that never started is starting, not broken: nothing is terminated however long it takes", async () => {
  const scenario = await cliqueScenario({ ...pairs, nodes: 1, shape: { pods: 2 } });
  await scenario.clock.runFor(60 * 60_000);
  const events = await scenario.events("chat");
  expect(events.filter((event) => event.startsWith("GangTerminated"))).toEqual([]);
});
