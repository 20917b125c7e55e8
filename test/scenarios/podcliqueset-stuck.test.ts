/** Whether what a set and its parts say while they are updated, stuck, given up or rolled back is so. */
import { describe, expect, test } from "vitest";
import type { Condition } from "../../src/api/apps.ts";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { eventResource } from "../../src/runtime/event-recorder.ts";
import { cliOf } from "../builders/cli.ts";
import { follow } from "../../src/simulation/follow.ts";
import type { PodCliqueSetScenarioOptions } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";

interface Reported {
  readonly metadata: { readonly name?: string };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly updatedReplicas?: number;
  };
}

const conditionIn = ({ status }: Reported, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);

/** `chat-0-pair AwaitingTurn, 0 updated`. */
const stateOf = (object: Reported): string =>
  `${object.metadata.name} ${conditionIn(object, "Progressing")?.reason}, ` +
  `${object.status?.updatedReplicas} updated`;

const surging = { maxUnavailable: 0, maxSurge: 1 };
const pair = (updateStrategy: Record<string, unknown> = {}) => ({
  pair: { cliques: ["front"], replicas: 2, minAvailable: 1, updateStrategy },
});
const slow = { annotations: { "sim.lockstep.dev/ready-seconds": "60" } };

describe("a surge that is given up", () => {
  const stuck = { type: "RollingUpdate", progressDeadlineSeconds: 60, onStuck: "ReleaseSurge" };
  const full = { nodes: 2, shape: { pods: 1 }, strategy: stuck };
  const cases: Readonly<Record<string, PodCliqueSetScenarioOptions>> = {
    "of a clique": { ...full, cliques: { front: { replicas: 2, updateStrategy: surging } } },
    "of a group": { ...full, cliques: { front: {} }, groups: pair(surging) },
    "of the set": {
      ...full,
      replicas: 2,
      strategy: { ...stuck, type: "ReplicaRecreate", rollingUpdate: surging },
      cliques: { front: {} },
    },
  };

  test.each(Object.entries(cases))(
    "PS21 %s is named by the set with its cause",
    async (_of, given) => {
      const scenario = await podCliqueSetScenario(given);
      await scenario.settled();
      await scenario.setImages({ front: "front:v2" });
      await scenario.clock.runFor(200_000);
      const stalled = await scenario.condition("Stalled");
      expect(stalled).toMatchObject({ status: "True", reason: "ProgressDeadlineExceeded" });
      expect(stalled?.message).toMatch(
        /2 outdated (?:pods|replicas) remain, .*the surge was released .*; when released: chat-/,
      );
      expect(stalled?.message).toMatch(
        /; when released: chat-\S+ .*not scheduled: .*Too many pods/,
      );
      const { text } = await cliOf(scenario).lockstep("why pcs/chat");
      expect(text).toMatch(
        /freed by +room for the surge and a restart, or a maxUnavailable above 0\n/,
      );
      expect(text).toMatch(/type +lockstep restart podcliqueset\/chat /);
      expect(text).toMatch(/note +chat\S*: gave up surge chat-\S+, .*Too many pods/);
      expect(text).not.toContain("needs no help");
    },
  );

  test("PS21 of a group is forgotten when it is rolled out after all", async () => {
    const scenario = await podCliqueSetScenario(cases["of a group"]!);
    await scenario.settled();
    await scenario.setImages({ front: "front:v2" });
    await scenario.clock.runFor(100_000);
    const [stuckGroup] = await scenario.groups();
    expect(conditionIn(stuckGroup!, "SurgeReleased")).toMatchObject({ status: "True" });
    const { spec } = await scenario.set();
    const podCliqueScalingGroups = (spec.template.podCliqueScalingGroups ?? []).map((each) => ({
      ...each,
      updateStrategy: { maxUnavailable: 1, maxSurge: 0 },
    }));
    await scenario.patch({ spec: { template: { podCliqueScalingGroups } } });
    await scenario.settled();
    await scenario.clock.runFor(10_000);
    const [group] = await scenario.groups();
    expect(conditionIn(group!, "SurgeReleased")).toMatchObject({ status: "False" });
    expect(await scenario.condition("Progressing")).toMatchObject({ reason: "RolledOut" });
  });
});

test("PS21 a replica that serves while it is updated is not called unavailable", async () => {
  const scenario = await podCliqueSetScenario({ cliques: { front: slow }, groups: pair(surging) });
  await scenario.settled();
  await scenario.setImages({ front: "front:v2" });
  await scenario.clock.runFor(30_000);
  expect((await scenario.set()).status).toMatchObject({ availableReplicas: 1, updatedReplicas: 0 });
  expect(await scenario.condition("Progressing")).toMatchObject({
    status: "True",
    reason: "Updating",
    message:
      "waiting for chat-0 (updating) to be complete; chat-0-pair has 0 of 2 replicas updated; " +
      "chat-0-pair-2-front has 0 of 1 pod ready",
  });
});

test("PS21 a replica is not updated before its last part is, nor a clique by its surge", async () => {
  const cliques = { router: { ...slow, replicas: 2, updateStrategy: surging }, front: slow };
  const scenario = await podCliqueSetScenario({ cliques, groups: pair() });
  await scenario.settled();
  const ahead: string[] = [];
  const { client } = scenario;
  follow<PodCliqueSet>({ client, resource: podCliqueSetResource }, (_type, set) => {
    const message = conditionIn(set, "Progressing")?.message ?? "";
    if (set.status?.updatedReplicas === 1 && message.includes("; chat-0")) ahead.push(message);
  });
  await scenario.setImages({ router: "router:v2", front: "front:v2" });
  await scenario.clock.runFor(20_000);
  const router = (await scenario.cliques()).find(
    ({ metadata }) => metadata.name === "chat-0-router",
  );
  expect(router?.status).toMatchObject({ replicas: 3, updatedReplicas: 0 });
  await scenario.settled();
  expect(ahead).toEqual([]);
  expect((await scenario.set()).status?.updatedReplicas).toBe(1);
});

test("PS21 parts that wait for their turn are outdated, not rolled out", async () => {
  const scenario = await podCliqueSetScenario({
    replicas: 2,
    cliques: { router: {}, front: slow },
    groups: pair(),
  });
  await scenario.settled();
  await scenario.setImages({ front: "front:v2" });
  await scenario.clock.runFor(30_000);
  const parts = [...(await scenario.groups()), ...(await scenario.cliques())].map(stateOf);
  expect(parts).toEqual([
    "chat-0-pair BudgetSpent, 0 updated",
    "chat-1-pair AwaitingTurn, 0 updated",
    "chat-0-pair-0-front UnitNotAvailable, 1 updated",
    "chat-0-pair-1-front AwaitingTurn, 0 updated",
    "chat-0-router RolledOut, 1 updated",
    "chat-1-pair-0-front AwaitingTurn, 0 updated",
    "chat-1-pair-1-front AwaitingTurn, 0 updated",
    "chat-1-router RolledOut, 1 updated",
  ]);
  const { text } = await cliOf(scenario).lockstep("why pcsg/chat-1-pair");
  expect(text).toMatch(/^podcliquescalinggroup\/chat-1-pair: AwaitingTurn/);
  expect(text).toMatch(
    /doing +2 of 2 replicas are outdated: they are updated at their turn in chat, unless a partition/,
  );
});

test("PS21 pods that cannot start stall every level, with the cause and commands that work", async () => {
  const scenario = await podCliqueSetScenario({
    strategy: { progressDeadlineSeconds: 60 },
    cliques: { front: {} },
    groups: pair(surging),
  });
  await scenario.settled();
  await scenario.setImages({ front: "front:broken" });
  await scenario.clock.runFor(120_000);
  const [group] = await scenario.groups();
  const clique = (await scenario.cliques()).find(({ metadata }) =>
    /pair-2/.test(metadata.name ?? ""),
  );
  for (const part of [await scenario.set(), group!, clique!]) {
    expect(conditionIn(part, "Stalled")).toMatchObject({ status: "True" });
    expect(conditionIn(part, "Stalled")?.message).toMatch(
      /chat-0-pair-2-front-0: ImagePullBackOff/,
    );
  }
  const gang = (await scenario.gangs()).find(({ status }) => status?.phase !== "Running");
  expect(conditionIn(gang!, "Ready")?.message).toMatch(/not ready yet; .*: ImagePullBackOff/);
  const { lockstep } = cliOf(scenario);
  for (const part of ["pcs/chat", "pcsg/chat-0-pair", "pclq/chat-0-pair-2-front"]) {
    const { text } = await lockstep(`why ${part}`);
    // The clique itself was never on another revision, but its set was.
    expect(text).toContain("lockstep undo podcliqueset/chat --to-revision 1 ");
    expect(text).toContain("lockstep set image podcliqueset/chat front/app=IMAGE ");
  }
});

test("PS21 so are members that a canary keeps", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: {} },
    groups: pair({ partition: 1 }),
  });
  await scenario.settled();
  await scenario.setImages({ front: "front:v2" });
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  expect((await scenario.cliques()).map(stateOf)).toEqual([
    "chat-0-pair-0-front AwaitingTurn, 0 updated",
    "chat-0-pair-1-front RolledOut, 1 updated",
  ]);
});

test("PS10 a rollback is one rollout that never rests on the way, reported once and ended by every part", async () => {
  const scenario = await podCliqueSetScenario({
    strategy: { progressDeadlineSeconds: 60, onStuck: "Rollback" },
    cliques: { front: {}, work: {} },
    groups: {
      pair: { cliques: ["front", "work"], replicas: 2, minAvailable: 1, updateStrategy: surging },
    },
  });
  await scenario.settled();
  await scenario.setImages({ front: "front:broken" });
  await scenario.clock.runFor(2_000);
  const turns: string[] = [];
  const { client } = scenario;
  follow<PodCliqueSet>({ client, resource: podCliqueSetResource }, (_type, set) => {
    const { status = "", reason = "" } = conditionIn(set, "Progressing") ?? {};
    const turn = `${status} ${status === "True" ? "" : reason}`.trim();
    if (turns.at(-1) !== turn) turns.push(turn);
  });
  await scenario.clock.runFor(200_000);
  expect(turns).toEqual(["True", "False RolledOut"]);
  expect((await scenario.events("chat")).filter((line) => line.startsWith("Stalled"))).toEqual([]);
  const { items } = await client.list(eventResource, { namespace: "default" });
  const rolledBack = items.filter((event) => event["reason"] === "RolledBack");
  expect(rolledBack.map((event) => event["count"])).toEqual([1]);
  const [group] = await scenario.groups();
  expect(group?.status?.updateProgress).toMatchObject({
    updatedPodCliquesCount: 4,
    totalPodCliquesCount: 4,
    updateEndedAt: expect.any(String),
  });
  expect(conditionIn(group!, "UpdateInProgress")).toMatchObject({ status: "False" });
  expect(conditionIn(group!, "MinAvailableBreached")).toMatchObject({ status: "False" });
});
