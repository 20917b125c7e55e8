/** Updates of PodCliqueSets under every strategy, with scaling, faults and changes of mind in the middle. */
import { expect, test } from "vitest";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { imagesOf, pairs, versionOf } from "../builders/pairs.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import {
  oneRevisionPerReplica,
  setReplicasServing,
} from "../builders/pod-clique-set-invariants.ts";

const everything = { front: 1, lead: 1, work: 1 };
const versions = ({ drawing }: PodCliqueSetScenario): string[] =>
  [...new Set(drawing().map((line) => versionOf(line.split(" ")[1] ?? "")))].toSorted();

async function settledPairs(
  options: Partial<PodCliqueSetScenarioOptions> = {},
): Promise<PodCliqueSetScenario> {
  const scenario = await podCliqueSetScenario({ ...pairs, replicas: 2, ...options });
  await scenario.settled();
  scenario.timeline.take();
  return scenario;
}

const recreate = (maxUnavailable: number | string, maxSurge: number | string) => ({
  type: "ReplicaRecreate",
  rollingUpdate: { maxUnavailable, maxSurge },
});

const byText = (a = "", b = ""): number => (a < b ? -1 : Number(a > b));

test("PS6 RR one revision per replica, the budget holds, and live sizes survive", async () => {
  const scenario = await settledPairs({ replicas: 3, strategy: recreate(1, 0) });
  await scenario.scaleClique("chat-1-front", 4);
  await scenario.scaleGroup("chat-1-pair", 3);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  scenario.always(oneRevisionPerReplica(versionOf));
  scenario.always(setReplicasServing(2, everything));
  await scenario.setImages(imagesOf("v2"));
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v2"]);
  const second = scenario.livePods().filter(({ setReplica }) => setReplica === 1);
  expect(second).toHaveLength(4 + 3 * 2);
});

test("RR a bad image stops at the budget, and going back frees it at once", async () => {
  const scenario = await settledPairs({ replicas: 3, strategy: recreate(1, 0) });
  scenario.always(oneRevisionPerReplica(versionOf));
  scenario.always(setReplicasServing(2, everything));
  await scenario.setImages(imagesOf("broken"));
  await scenario.clock.runFor(300_000);
  const update = await scenario.condition("UpdateInProgress");
  expect(update?.message).toMatch(/waiting for chat-0 .*ImagePull/);
  scenario.timeline.take();
  await scenario.setImages(imagesOf("v1"));
  await scenario.settled();
  const deleted = scenario.timeline.take().filter((line) => / -chat-[12]/.test(line));
  expect(deleted).toEqual([]);
  expect(versions(scenario)).toEqual(["v1"]);
});

test("RR both replicas may go at once only where maxUnavailable says so", async () => {
  const scenario = await settledPairs({ replicas: 2, strategy: recreate("50%", 0) });
  scenario.always(setReplicasServing(1, everything));
  await scenario.setImages(imagesOf("v2"));
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v2"]);
});

test("RR surge that cannot be placed is released after the deadline, and the status says so", async () => {
  const strategy = { ...recreate(0, 1), progressDeadlineSeconds: 60, onStuck: "ReleaseSurge" };
  const scenario = await settledPairs({ replicas: 2, strategy, nodes: 2, shape: { pods: 6 } });
  scenario.always(setReplicasServing(2, everything));
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(30_000);
  expect(await scenario.condition("UpdateInProgress")).toMatchObject({
    reason: "SurgeNotAvailable",
  });
  await scenario.clock.runFor(120_000);
  expect(versions(scenario)).toEqual(["v1"]);
  const message = (await scenario.condition("UpdateInProgress"))?.message;
  expect(message).toMatch(
    /the surge was released because .*: make room and restart .*; when released: /,
  );
  expect(message).toMatch(/; when released: chat-2-front-0, .*chat-2\S+: not scheduled: /);
});

test("PS10 a rolling update that cannot move says so, and onStuck takes it back", async () => {
  const strategy = { type: "RollingUpdate", progressDeadlineSeconds: 120, onStuck: "Rollback" };
  const scenario = await settledPairs({ strategy });
  scenario.always(setReplicasServing(1, everything));
  await scenario.setImages(imagesOf("broken"));
  await scenario.clock.runFor(60_000);
  const before = await scenario.condition("UpdateInProgress");
  expect(before).toMatchObject({ status: "True" });
  await scenario.clock.runFor(300_000);
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v1"]);
  const events = await scenario.events("chat");
  expect(events.some((event) => event.startsWith("RolledBack: going back to"))).toBe(true);
});

test("a new target in mid-update takes over, and the abandoned revision is gone in the end", async () => {
  const scenario = await settledPairs();
  scenario.always(setReplicasServing(1, everything));
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(4_000);
  await scenario.setImages(imagesOf("v3"));
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v3"]);
});

test("PS2 a replica that waits for its turn stops moving towards the abandoned revision", async () => {
  const scenario = await settledPairs();
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(2_000);
  await scenario.deletePod("chat-1-front-0");
  await scenario.deletePod("chat-1-front-1");
  scenario.timeline.take();
  await scenario.setImages(imagesOf("v3"));
  await scenario.settled();
  const gone = scenario.timeline.take().filter((line) => / -chat-\d-[a-z]/.test(line));
  const replicas = gone.map((line) => / -chat-(\d)/.exec(line)?.[1]);
  expect(replicas).toEqual(replicas.toSorted(byText).toReversed());
  expect(versions(scenario)).toEqual(["v3"]);
});

test("going back in mid-update keeps every replica that was not touched", async () => {
  const scenario = await settledPairs();
  const hash = (await scenario.set()).status?.currentGenerationHash;
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(4_000);
  scenario.timeline.take();
  await scenario.setImages(imagesOf("v1"));
  await scenario.settled();
  expect(scenario.timeline.take().filter((line) => line.includes("chat-1"))).toEqual([]);
  expect(versions(scenario)).toEqual(["v1"]);
  expect((await scenario.set()).status?.currentGenerationHash).toBe(hash);
});

test("switching to a rolling strategy rolls what is outdated, one replica at a time", async () => {
  const scenario = await settledPairs({ strategy: { type: "OnDelete" } });
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(10_000);
  scenario.timeline.take();
  scenario.always(setReplicasServing(2, everything));
  await scenario.patchStrategy({ type: "RollingRecreate" });
  await scenario.clock.runFor(1_000);
  await scenario.settled();
  const replicas = scenario.timeline
    .take()
    .filter((line) => / -chat-\d-[a-z]/.test(line))
    .map((line) => / -chat-(\d)/.exec(line)?.[1]);
  expect(replicas.length).toBeGreaterThan(0);
  expect(replicas).toEqual(replicas.toSorted(byText));
  expect(versions(scenario)).toEqual(["v2"]);
});

test.each([
  ["from rolling to recreating", { type: "RollingRecreate" }, recreate(1, 0)],
  ["from recreating to rolling", recreate(1, 0), { type: "RollingUpdate", rollingUpdate: null }],
])("a strategy changed in mid-update, %s, still ends", async (_name, before, after) => {
  const scenario = await settledPairs({ strategy: before });
  scenario.always(setReplicasServing(1, everything));
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(3_000);
  await scenario.patchStrategy(after);
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v2"]);
});

test("a pause holds the update where it is, and resuming ends it", async () => {
  const scenario = await settledPairs();
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(2_000);
  await scenario.patchStrategy({ paused: true });
  await scenario.clock.runFor(60_000);
  scenario.timeline.take();
  await scenario.clock.runFor(120_000);
  expect(scenario.timeline.take()).toEqual([]);
  expect(versions(scenario)).toEqual(["v1", "v2"]);
  await scenario.patchStrategy({ paused: null });
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v2"]);
});

test("a partition keeps the lower replicas, and lowering it goes on", async () => {
  const scenario = await settledPairs({ strategy: { type: "RollingUpdate", partition: 1 } });
  await scenario.setImages(imagesOf("v2"));
  await scenario.settled();
  const byReplica = scenario.livePods().map((pod) => `${pod.setReplica} ${versionOf(pod.image)}`);
  expect([...new Set(byReplica)].toSorted()).toEqual(["0 v1", "1 v2"]);
  expect(await scenario.condition("UpdateInProgress")).toMatchObject({
    status: "False",
    reason: "AtPartition",
  });
  await scenario.patchStrategy({ partition: 0 });
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v2"]);
});

test("PS5 an operator that dies in mid-update leaves nothing half done", async () => {
  const scenario = await settledPairs({ replicas: 3, strategy: recreate(1, 0) });
  scenario.always(oneRevisionPerReplica(versionOf));
  scenario.always(setReplicasServing(2, everything));
  await scenario.setImages(imagesOf("v2"));
  for (let crash = 0; crash < 4; crash += 1) {
    await scenario.clock.runFor(1_500);
    await scenario.restart();
  }
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v2"]);
});

test("a set that is deleted takes everything along", async () => {
  const scenario = await settledPairs({ replicas: 1 });
  await scenario.client.delete(podCliqueSetResource, { namespace: "default", name: "chat" });
  await scenario.clock.runFor(30_000);
  expect(await scenario.pods()).toEqual([]);
  expect(await scenario.cliques()).toEqual([]);
  expect(await scenario.gangs()).toEqual([]);
  expect(await scenario.groups()).toEqual([]);
});
