/** Updates that got stuck, ended too early or took too much: one scenario per known defect. */
import { expect, test } from "vitest";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import { podResource } from "../../../src/api/pod.ts";
import { ConnectionLost } from "../../../src/sim/faults.ts";
import { isAbout, forbidding } from "../../../src/simulation/faults.ts";
import type { LivePod } from "../../builders/pod-clique-set-invariants.ts";
import { atLeastOne, must } from "../../builders/must.ts";
import { imagesOf, pairs } from "../../builders/pairs.ts";
import type { Fault } from "../../../src/simulation/faults.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";
import { versionsOf } from "../../builders/versions.ts";

/** So many pods of a PodClique are ready at every moment. */
const readyOf =
  (clique: string, atLeast: number) =>
  (pods: readonly LivePod[], at: string): void => {
    const ready = pods.filter((pod) => pod.clique === clique && pod.isReady && !pod.isTerminating);
    must(ready.length >= atLeast, `${at}: ${clique} has ${ready.length} ready`, () => pods);
  };

const versions = ({ livePods }: PodCliqueSetScenario): string[] =>
  [...new Set(livePods().map(({ image }) => image.split(":")[1] ?? ""))].toSorted();

test("grove#435 pods whose startup probe has yet to pass are updated like all others", async () => {
  const startupProbe = { tcpSocket: { port: 80 }, failureThreshold: 1000 };
  const containers = [{ name: "app", image: "front:never-ready", startupProbe }];
  const front = { replicas: 2, minAvailable: 1, extra: { podSpec: { containers } } };
  const scenario = await podCliqueSetScenario({ cliques: { front } });
  await scenario.clock.runFor(60_000);
  const [status] = (await scenario.pods())[0]?.status?.containerStatuses ?? [];
  expect(status).toMatchObject({ started: false, state: { running: {} } });
  await scenario.setImages({ front: "front:v2" });
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v2"]);
});

test("grove#697 grove#766 a Ready pod with an old crash serves: it costs budget like any other", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2, minAvailable: 1 } },
  });
  await scenario.settled();
  for (const pod of await scenario.pods()) {
    const [status] = pod.status?.containerStatuses ?? [];
    const lastState = { terminated: { exitCode: 137, reason: "OOMKilled" } };
    const containerStatuses = [{ ...status, restartCount: 1, lastState }];
    const key = { namespace, name: pod.metadata.name ?? "" };
    const patch = { type: "merge", body: { status: { containerStatuses } } } as const;
    await scenario.client.patch(podResource, key, patch, { subresource: "status" });
  }
  await scenario.clock.runFor(1_000);
  scenario.always(readyOf("chat-0-front", 1));
  await scenario.setImages({ front: "front:slow-v2" });
  await scenario.settled();
  expect(versions(scenario)).toEqual(["slow-v2"]);
});

test("PS3 a budget counts pods, not the status that the last reconcile wrote", async () => {
  const front = { replicas: 3, minAvailable: 1 };
  const scenario = await podCliqueSetScenario({ cliques: { front } });
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  await scenario.restart(
    forbidding(
      (request) => request.path.endsWith("/status") && isAbout(request, podCliqueResource),
    ),
  );
  scenario.always(readyOf("chat-0-front", 2));
  await scenario.setImages({ front: "front:slow-v2" });
  await scenario.settled();
  expect((await scenario.cliques())[0]?.status?.updatedReplicas).toBe(3);
  expect(versions(scenario)).toEqual(["slow-v2"]);
});

const broken: Record<string, Partial<PodCliqueSetScenarioOptions>> = {
  "pods of a clique": {
    cliques: { front: { replicas: 3, minAvailable: 2, image: "front:broken" } },
  },
  "replicas of a group": {
    cliques: { lead: { image: "lead:crash" }, work: {} },
    groups: { pair: { cliques: ["lead", "work"], replicas: 3, minAvailable: 2 } },
  },
  "replicas of a set": { replicas: 3, cliques: { front: { image: "front:never-ready" } } },
  "replicas of a set that are recreated whole": {
    replicas: 3,
    strategy: { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    cliques: { front: { image: "front:broken" }, lead: {} },
  },
};

test.each(Object.entries(broken))(
  "grove#840 broken %s use up no budget: the update that repairs them gets through",
  async (_name, options) => {
    const scenario = await podCliqueSetScenario({ cliques: {}, ...options });
    await scenario.clock.runFor(120_000);
    await scenario.setImages(imagesOf("v2"));
    await scenario.settled();
    expect(versions(scenario)).toEqual(["v2"]);
  },
);

test("grove#400 grove#565 after a second change in mid-update no pod of the first is forgotten", async () => {
  const scenario = await podCliqueSetScenario({ ...pairs, replicas: 2 });
  await scenario.settled();
  scenario.always(readyOf("chat-0-front", 1));
  for (const version of ["v2", "v3", "broken", "v4"]) {
    await scenario.setImages(imagesOf(version));
    await scenario.clock.runFor(2_500);
  }
  await scenario.settled();
  expect(versions(scenario)).toEqual(["v4"]);
  expect((await scenario.set()).status).toMatchObject({ updatedReplicas: 2 });
});

test("PS4 grove#786 grove#315 no update has ended before every replacement is counted and ready", async () => {
  const scenario = await podCliqueSetScenario(pairs);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  const { sets, groups, cliques } = versionsOf(scenario.client);
  await scenario.setImages(imagesOf("slow-v2"));
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  const ended = <T extends { status?: { updateProgress?: { updateEndedAt?: string } } }>(
    seen: readonly T[],
  ): T[] => seen.filter(({ status }) => status?.updateProgress?.updateEndedAt !== undefined);
  const fronts = cliques.filter(({ metadata }) => metadata.name === "chat-0-front");
  for (const { status } of atLeastOne(ended(fronts))) {
    expect(status).toMatchObject({ replicas: 2, readyReplicas: 2, updatedReplicas: 2 });
  }
  for (const { status } of atLeastOne(ended(groups))) {
    expect(status).toMatchObject({ replicas: 2, availableReplicas: 2, updatedReplicas: 2 });
  }
  for (const { status } of atLeastOne(ended(sets))) {
    expect(status).toMatchObject({ replicas: 1, availableReplicas: 1, updatedReplicas: 1 });
    expect(status?.updateProgress).toMatchObject({ updatedPodCliquesCount: 1 });
  }
});

test("grove#671 a status that lagged behind all its pods catches up, hashes included", async () => {
  const scenario = await podCliqueSetScenario(pairs);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  await scenario.restart(
    forbidding(
      (request) => request.path.endsWith("/status") && isAbout(request, podCliqueResource),
    ),
  );
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(300_000);
  expect(versions(scenario)).toEqual(["v2"]);
  await scenario.restart();
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  const { currentGenerationHash: hash } = (await scenario.set()).status ?? {};
  const [group] = await scenario.groups();
  expect(group?.status).toMatchObject({
    updatedReplicas: 2,
    currentPodCliqueSetGenerationHash: hash,
  });
  for (const { metadata, status } of atLeastOne(await scenario.cliques())) {
    expect(status).toMatchObject({
      updatedReplicas: status?.replicas,
      currentPodCliqueSetGenerationHash: hash,
      currentPodTemplateHash: metadata.labels?.["grove.io/pod-template-hash"],
    });
  }
});

test("from OnDelete to rolling, a change that spares the group still ends", async () => {
  const scenario = await podCliqueSetScenario({ ...pairs, strategy: { type: "OnDelete" } });
  await scenario.settled();
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(10_000);
  await scenario.patchStrategy({ type: "RollingRecreate" });
  await scenario.settled();
  await scenario.setImages({ front: "front:v3" });
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  const { currentGenerationHash: hash } = (await scenario.set()).status ?? {};
  const [group] = await scenario.groups();
  expect(group?.status?.currentPodCliqueSetGenerationHash).toBe(hash);
  expect(versions(scenario)).toEqual(["v2", "v3"]);
});

/** Deletions of this clique never arrive. */
const unreachable =
  (clique: string): Fault =>
  (transport) => ({
    async request(request) {
      if (request.method === "DELETE" && request.path.endsWith(`/podcliques/${clique}`))
        throw new ConnectionLost();
      return transport.request(request);
    },
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });

const halves: Record<string, PodCliqueSetScenarioOptions> = {
  "a replica of the set": {
    strategy: { type: "ReplicaRecreate" },
    cliques: { lead: {}, work: {} },
  },
  "a replica of a scaling group": {
    cliques: { lead: {}, work: {} },
    groups: { pair: { cliques: ["lead", "work"] } },
  },
};

test.each(Object.entries(halves))(
  "RR1 PS6 %s is replaced whole, though its operator dies when half of it is deleted",
  async (_name, options) => {
    const scenario = await podCliqueSetScenario(options);
    await scenario.settled();
    const uids = async () => (await scenario.pods()).map(({ metadata }) => metadata.uid ?? "");
    const before = await uids();
    const work = (await scenario.cliques()).find(({ spec }) => spec.roleName === "work");
    await scenario.restart(unreachable(work?.metadata.name ?? ""));
    await scenario.setImages({ lead: "lead:v2" });
    await scenario.clock.runFor(30_000);
    await scenario.restart();
    await scenario.clock.runFor(30_000);
    await scenario.settled(60_000);
    const after = await uids();
    expect(after).toHaveLength(2);
    expect(after.filter((uid) => before.includes(uid))).toEqual([]);
  },
);

/** The operator sees everything, but nothing that it writes arrives. */
const speechless: Fault = (transport) => ({
  async request(request) {
    if (request.method !== "GET") throw new ConnectionLost();
    return transport.request(request);
  },
  stream: (request, onEvent) => transport.stream(request, onEvent),
});

test("PS6 a replica that lost just what is outdated starts on the target, and its update ends", async () => {
  const strategy = { type: "ReplicaRecreate" };
  const scenario = await podCliqueSetScenario({ strategy, cliques: { lead: {}, work: {} } });
  await scenario.settled();
  await scenario.restart(speechless);
  await scenario.setImages({ lead: "lead:v2" });
  await scenario.client.delete(podCliqueResource, { namespace, name: "chat-0-lead" });
  await scenario.restart();
  await scenario.settled(60_000);
  await scenario.clock.runFor(30_000);
  expect(versions(scenario)).toEqual(["v1", "v2"]);
  expect(scenario.writes["patch podcliquesets/status"]).toBeLessThan(20);
});

test("RO1 a replica that serves while it is rolled is recreated within the budget of its new strategy", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { lead: { image: "lead:stubborn" }, work: {} },
    groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
  });
  await scenario.settled();
  await scenario.setImages({ lead: "lead:v2" });
  await scenario.until(() => scenario.drawing().filter((line) => line.endsWith("~")).length === 2);
  const guarded = scenario.guard();
  const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
  await scenario.patchStrategy({ type: "ReplicaRecreate", rollingUpdate });
  await scenario.settled();
  expect(guarded.fewest).toBe(2);
  expect(versions(scenario)).toEqual(["v1", "v2"]);
});

test.each(["v2", "v3"])(
  "PS5 of several replicas that ReplicaRecreate chose, those that serve are rolled one at a time, to %s",
  async (version) => {
    const strategy = { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 2 } };
    const cliques = { lead: { replicas: 2, minAvailable: 1 } };
    const scenario = await podCliqueSetScenario({ replicas: 2, strategy, cliques });
    await scenario.settled();
    // The replicas are chosen, but nothing of them is deleted before the strategy changes.
    await scenario.restart(
      forbidding((request) => request.method === "DELETE" && isAbout(request, podCliqueResource)),
    );
    await scenario.setImages({ lead: "lead:v2" });
    await scenario.clock.runFor(10_000);
    expect((await scenario.set()).status?.updateProgress?.currentlyUpdating).toHaveLength(2);
    await scenario.restart(speechless);
    await scenario.patchStrategy({ type: "RollingUpdate" });
    await scenario.setImages({ lead: `lead:${version}` });
    await scenario.clock.runFor(20_000);
    await scenario.restart();
    await scenario.settled();
    expect(versions(scenario)).toEqual([version]);
  },
);

// A group knows the target by then.
const pair = { cliques: ["lead", "work"] };
const tornDown: readonly (PodCliqueSetScenarioOptions & {
  readonly what: string;
  version: string;
})[] = [
  { what: "cliques", cliques: { lead: {}, work: {} }, version: "v1" },
  { what: "a group", cliques: { lead: {}, work: {} }, groups: { pair }, version: "v2" },
];

test.each(tornDown)(
  "PS6 a replica of $what that a partition keeps when it is just torn down is made again once",
  async ({ version, ...options }) => {
    const strategy = { type: "ReplicaRecreate" };
    const scenario = await podCliqueSetScenario({ strategy, ...options });
    await scenario.settled();
    await scenario.setImages(imagesOf("v2"));
    await scenario.until(() => scenario.drawing().every((line) => line.endsWith("~")));
    const { "create pods": before = 0 } = scenario.writes;
    await scenario.patchStrategy({ ...strategy, partition: 1 });
    await scenario.clock.runFor(60_000);
    expect(versions(scenario)).toEqual([version]);
    expect(scenario.writes["create pods"]).toBe(before + 2);
  },
);
