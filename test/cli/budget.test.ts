/** What the numbers beside a rollout say: what serves, what counts against the budget, how long it takes. */
import { describe, expect, test } from "vitest";
import { podResource } from "../../src/api/pod.ts";
import type { RolloutView } from "../../src/rollouts/view.ts";
import { cliOf } from "../builders/cli.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetStages } from "./pod-clique-set-stages.ts";
import { statefulSetStages } from "./stateful-set-stages.ts";
import type { StagedWorld } from "./transcript.ts";
import { atLeastOne } from "../builders/must.ts";

/** Three pods in each replica, of which one is enough. */
async function frontends() {
  const world = await podCliqueSetScenario({
    replicas: 2,
    cliques: { front: { replicas: 3, minAvailable: 1 } },
  });
  await world.settled();
  return world;
}

async function seen(world: StagedWorld, rollout = "pcs/chat"): Promise<RolloutView> {
  const { text } = await cliOf(world).lockstep(`status ${rollout} -o json`);
  return JSON.parse(text) as RolloutView;
}

describe("what serves and what counts", () => {
  test("PS4 a replica that is being updated counts, and is said to serve all the same", async () => {
    const world = await frontends();
    await world.setImages({ front: "front:v2" });
    await world.clock.runFor(4_000);
    const { counts, budget, nodes } = await seen(world);
    expect(counts).toMatchObject({ desired: 2, available: 2 });
    expect(budget?.unavailable).toEqual({ used: 1, allowed: 1, serving: ["chat-0"] });
    expect(nodes.map(({ name, serves = false }) => [name, serves])).toEqual([
      ["chat-0", true],
      ["chat-1", false],
    ]);
    const { text } = await cliOf(world).lockstep("status pcs/chat");
    expect(text).toContain(
      "2/2 replicas available, 0/2 updated; unavailable 1/1 surge 0/0; " +
        "chat-0 counts until it is whole on the target, but serves",
    );
  });

  test("PS4 a replica at rest that lost a pod has its minimum, and counts against nothing", async () => {
    const world = await frontends();
    const key = { namespace: "default", name: "chat-1-front-1" };
    await world.client.delete(podResource, key);
    await world.clock.runFor(300);
    const { counts, budget, nodes } = await seen(world);
    expect(nodes[1]).toMatchObject({ name: "chat-1", health: "partial", serves: true });
    expect(counts).toMatchObject({ available: 2 });
    expect(budget?.unavailable).toEqual({ used: 0, allowed: 1 });
  });

  test("PS20 a surge that serves stands in for a replica that does not", async () => {
    const world = (await podCliqueSetStages["surging"]?.()) as StagedWorld;
    expect(await seen(world)).toMatchObject({
      counts: { available: 2 },
      budget: { unavailable: { used: 0, allowed: 0 }, surge: { used: 1, allowed: 1 } },
    });
  });
});

test("what was done before a rollout began does not make it look faster", async () => {
  const world = await podCliqueSetScenario({
    cliques: { front: { replicas: 2 }, back: { replicas: 10 } },
  });
  await world.settled();
  await world.setImages({ front: "front:v2" });
  await world.clock.runFor(2_000);
  // Ten of twelve pods need no update: nothing is known of the pace before one of the other two has moved.
  const before = await seen(world);
  expect(before.progress).toMatchObject({ done: 10, total: 12, doneSince: 0 });
  expect((await cliOf(world).lockstep("status pcs/chat")).text).not.toContain(" left");
  await world.clock.runFor(2_000);
  expect((await seen(world)).progress).toMatchObject({ done: 11, total: 12, doneSince: 1 });
  expect((await cliOf(world).lockstep("status pcs/chat")).text).toMatch(/about [3-6]s left/);
});

describe("pods done", () => {
  const grouped = {
    cliques: { front: {}, lead: {}, work: { replicas: 2 } },
    groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
  };

  test("those of a surge replica serve beside the ones that are to move, and are none of them", async () => {
    const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
    const world = await podCliqueSetScenario({
      replicas: 1,
      strategy: { type: "ReplicaRecreate", rollingUpdate },
      ...grouped,
    });
    await world.settled();
    await world.setImages({ front: "front:broken" });
    await world.clock.runFor(30_000);
    // Six pods of the surge serve on the target, and nothing is known of the pace while the seventh is broken.
    const { progress } = await seen(world);
    expect(progress).toEqual({ unit: "pod", done: 0, total: 7 });
  });

  test("those that go with an outdated member of their group are not", async () => {
    const world = await podCliqueSetScenario({ replicas: 1, ...grouped });
    await world.settled();
    await world.setImages({ work: "work:broken" });
    await world.clock.runFor(30_000);
    // The front, and no leader: one has a broken worker beside it, the other will be replaced with its workers.
    expect((await seen(world)).progress).toEqual({ unit: "pod", done: 2, total: 7 });
    expect((await cliOf(world).lockstep("status pcs/chat")).text).not.toContain(" left");
    const [, line] = (await cliOf(world).lockstep("list")).text.split("\n");
    expect(line).toMatch(/ chat-0-pair-0-work-0 and 1 more: ImagePullBackOff: .*\.\.\.$/);
  });
});

describe("on a small terminal", () => {
  const sizes = [
    { columns: 80, rows: 24 },
    { columns: 60, rows: 20 },
    { columns: 40, rows: 14 },
  ];

  test.each(sizes)("$columns by $rows: the stuck pod and what to type are there", async (size) => {
    const world = (await statefulSetStages["stalled"]?.()) as StagedWorld;
    const options = { isTerminal: true, ...size };
    const { text } = await cliOf(world).lockstep("watch sts/web --once", options);
    const lines = text.replaceAll(/<[a-z/]*>/g, "").split("\n");
    expect(lines.length).toBeLessThan(size.rows);
    for (const line of atLeastOne(lines)) expect(line.length).toBeLessThanOrEqual(size.columns);
    const words = lines.join(" ").replaceAll(/ +/g, " ");
    expect(words).toMatch(/waits for web-3 and 1 more \(broken for \d+s\): ImagePullBackOff/);
    expect(words).toContain("type lockstep undo statefulset/web --to-revision 1");
  });
});
