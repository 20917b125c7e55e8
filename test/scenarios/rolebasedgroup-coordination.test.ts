/** Several roles that move together: the numbers of the specification, small roles, partitions, steps, scaling. */
import { expect, test } from "vitest";
import { podResource } from "../../src/api/pod.ts";
import type { RoleBasedGroup } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { follow } from "../../src/simulation/follow.ts";
import type { GroupScenario } from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { atLeastOne } from "../builders/must.ts";
import { namespace } from "../builders/scenario.ts";

/** How many pods of the new image serve, by role, whenever that changes; terminating ones aside. */
function recordCounts(scenario: GroupScenario, image: string): string[] {
  const seen: string[] = [];
  scenario.timeline.always(() => {
    const text = scenario.counts(image).replaceAll(/\/\d+/g, "");
    if (seen.at(-1) !== text) seen.push(text);
  });
  return seen;
}

/** How many pods of each role go in the same moment, one line each. */
async function rolled(scenario: GroupScenario): Promise<readonly string[]> {
  await scenario.settled();
  await scenario.atRest();
  scenario.timeline.take();
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.atRest();
  return scenario.timeline
    .moments()
    .split(/\n(?=\S)/)
    .map((moment) => {
      const [at = "", ...lines] = moment.split("\n");
      const count = (start: string): number =>
        lines.filter((line) => line.trim().startsWith(start)).length;
      return `${at.padEnd(4)} -prefill ${count("-prefill")} -decode ${count("-decode")}`;
    })
    .filter((line) => !line.endsWith("-prefill 0 -decode 0"));
}

const golden: Record<string, { sizes: Record<string, number>; strategy: object; file: string }> = {
  "40/20 at a skew of 25%": {
    sizes: { prefill: 40, decode: 20 },
    strategy: { maxUnavailableRatio: "25%", maxSkew: "25%" },
    file: "rolebasedgroup-40-20.timeline.txt",
  },
  "200/100 with the numbers of the specification": {
    sizes: { prefill: 200, decode: 100 },
    strategy: { maxUnavailableRatio: "5%", maxSkew: "1%", partition: "80%" },
    file: "rolebasedgroup-200-100.timeline.txt",
  },
};

test.each(Object.entries(golden))("CO1 CO2 CO3 CO4 %s", async (_name, { file, ...options }) => {
  const scenario = await groupScenario(options);
  const lines = await rolled(scenario);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(file);
});

const shapes: Record<string, { sizes: Record<string, number>; strategy: object }> = {
  "three roles": {
    sizes: { prefill: 7, decode: 5, verify: 3 },
    strategy: { maxUnavailableRatio: "20%", maxSkew: "10%" },
  },
  "roles of one pod each": {
    sizes: { prefill: 1, decode: 1 },
    strategy: { maxUnavailableRatio: "5%", maxSkew: "10%" },
  },
  "a role of one pod beside one of three": {
    sizes: { prefill: 3, decode: 1 },
    strategy: { maxSkew: "1%" },
  },
  "a skew of nothing": { sizes: { prefill: 5, decode: 5 }, strategy: { maxSkew: "0%" } },
  "a role without pods": { sizes: { prefill: 3, decode: 0 }, strategy: { maxSkew: "10%" } },
  "no skew at all": { sizes: { prefill: 6, decode: 2 }, strategy: { maxUnavailable: 1 } },
};

test.each(Object.entries(shapes))("CO1 CO7 %s: the rollout ends", async (_name, options) => {
  const scenario = await groupScenario(options);
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
  expect(scenario.drawing()).toHaveLength(
    Object.values(options.sizes).reduce((sum, size) => sum + size, 0),
  );
});

test("CO2 RG4 at its partition a rollout rests; lowering it goes on, raising it reverts nothing", async () => {
  const strategy = { maxUnavailableRatio: "50%", maxSkew: "50%", partition: "50%" };
  const scenario = await groupScenario({ sizes: { prefill: 4, decode: 2 }, strategy });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(scenario.counts("web:v2")).toBe("decode 1/2 prefill 2/4");
  expect((await scenario.coordination())?.state).toBe("AtPartition");
  expect(await scenario.condition("Progressing")).toMatchObject({
    status: "False",
    reason: "AtPartition",
  });
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  const { status } = await scenario.group();
  expect(status?.currentRevision).not.toBe(status?.updateRevision);
  await scenario.setStrategy({ ...strategy, partition: "75%" });
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.counts("web:v2")).toBe("decode 1/2 prefill 2/4");
  await scenario.setStrategy({ ...strategy, partition: "0%" });
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.counts("web:v2")).toBe("decode 2/2 prefill 4/4");
});

test("CO2 RG8 going back to what was rolled out last leaves nothing behind below a partition that rose", async () => {
  const strategy = { maxUnavailableRatio: "50%", maxSkew: "50%", partition: "25%" };
  const sizes = { prefill: 8, decode: 4 };
  const scenario = await groupScenario({ sizes, strategy });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(scenario.counts("web:v2")).toBe("decode 3/4 prefill 6/8");
  await scenario.setImage("web:broken", "decode");
  await scenario.until(async () => (await scenario.coordination())?.state === "Failing");
  await scenario.setStrategy({ ...strategy, partition: "75%" });
  await scenario.setImage("web:v1");
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.counts("web:v1")).toBe("decode 4/4 prefill 8/8");
  expect((await scenario.coordination())?.state).toBe("Completed");
});

/** Every state that a status of the group has had since now. */
function recordStates({ client }: GroupScenario): ReadonlySet<string> {
  const seen = new Set<string>();
  follow<RoleBasedGroup>({ client, resource: roleBasedGroupResource }, (_type, { status }) => {
    for (const { state } of status?.coordinationState ?? []) seen.add(state ?? "");
  });
  return seen;
}

test("CO2 nobody is at a partition on the way back, nor where a pod at rest is lost", async () => {
  const strategy = { maxUnavailableRatio: "25%", maxSkew: "25%", partition: "25%" };
  const scenario = await groupScenario({ sizes: { prefill: 8, decode: 4 }, strategy });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect((await scenario.coordination())?.state).toBe("AtPartition");
  await scenario.setStrategy({ ...strategy, partition: "75%" });
  await scenario.setImage("web:v1");
  await scenario.until(async () => (await scenario.coordination())?.state === "Progressing");
  const states = recordStates(scenario);
  await scenario.settled();
  await scenario.atRest();
  await scenario.client.delete(podResource, { namespace, name: "chat-prefill-0" });
  await scenario.clock.runFor(1_000);
  await scenario.settled();
  expect(scenario.counts("web:v1")).toBe("decode 4/4 prefill 8/8");
  expect([...states].toSorted()).toEqual(["Completed", "Progressing"]);
});

test("the status says of each role what it does and how far it is, and when that last changed", async () => {
  const scenario = await groupScenario({
    strategy: { maxUnavailableRatio: "25%", maxSkew: "25%" },
  });
  const { client, clock } = scenario;
  const seen: { words: string; time: string; readMs: number }[] = [];
  follow<RoleBasedGroup>({ client, resource: roleBasedGroupResource }, (_type, { status }) => {
    const [state] = status?.coordinationState ?? [];
    if (state === undefined) return;
    const roles = Object.entries(state.progress ?? {}).map(([role, each]) => [role, each.state]);
    const words = JSON.stringify([state.state, state.revision, roles]);
    seen.push({ words, time: state.lastUpdateTime ?? "", readMs: clock.now() });
  });
  await scenario.settled();
  await scenario.atRest();
  await scenario.clock.runFor(60_000);
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.atRest();
  const pairs = seen.slice(1).map((now, at) => [seen[at]!, now] as const);
  for (const [before, now] of atLeastOne(
    pairs.filter(([before, now]) => before.words === now.words),
  )) {
    expect(now.time).toBe(before.time);
  }
  const turns = pairs.filter(([before, now]) => before.words !== now.words);
  for (const [, now] of atLeastOne(turns))
    expect(now.readMs - Date.parse(now.time)).toBeLessThan(1_000);
  expect(turns.length).toBeGreaterThan(2);
  expect(turns.length).toBeLessThan(pairs.length);
  const done = (pods: number) => ({
    strategy: "RollingUpdate",
    state: "Completed",
    replicas: pods,
    updatedReplicas: pods,
    availableReplicas: pods,
  });
  expect(await scenario.coordination()).toMatchObject({
    name: "pair",
    state: "Completed",
    progress: { prefill: done(4), decode: done(2) },
  });
});

test("CO9 RG9 steps are reached in their order, and a pause ends when it is promoted", async () => {
  const scenario = await groupScenario({
    sizes: { prefill: 4, decode: 4 },
    strategy: {
      maxUnavailableRatio: "50%",
      steps: [
        { roles: { decode: "50%" }, pause: {} },
        { roles: { decode: "100%" }, pause: { seconds: 60 } },
        { roles: { prefill: "100%" } },
      ],
    },
  });
  await scenario.settled();
  const seen = recordCounts(scenario, "web:v2");
  await scenario.setImage("web:v2");
  await scenario.settled();
  const first = await scenario.coordination();
  expect(first).toMatchObject({ state: "AwaitingPromotion", steps: { passed: 0 } });
  expect(await scenario.condition("Progressing")).toMatchObject({ reason: "AwaitingPromotion" });
  // A pause is no stall, however long it takes.
  await scenario.clock.runFor(4_000_000);
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  expect(scenario.counts("web:v2")).toBe("decode 2/4 prefill 0/4");
  await scenario.annotate({ "lockstep.dev/promote": `pair:other:1` });
  await scenario.clock.runFor(60_000);
  expect(scenario.counts("web:v2")).toBe("decode 2/4 prefill 0/4");
  await scenario.annotate({ "lockstep.dev/promote": first?.promotion ?? "" });
  await scenario.until(async () => (await scenario.coordination())?.state === "Paused");
  expect(scenario.counts("web:v2")).toBe("decode 4/4 prefill 0/4");
  await scenario.clock.runFor(30_000);
  expect(scenario.counts("web:v2")).toBe("decode 4/4 prefill 0/4");
  await scenario.settled();
  expect(seen.at(-1)).toBe("decode 4 prefill 4");
  // What was promoted once promotes no later rollout.
  await scenario.setImage("web:v3");
  await scenario.settled();
  expect(scenario.counts("web:v3")).toBe("decode 2/4 prefill 0/4");
  // And from the middle of the steps everything goes back.
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.counts("web:v2")).toMatchInlineSnapshot(`"decode 4/4 prefill 4/4"`);
});

test("CO9 RG5 going back to what was rolled out last passes every pause of the steps, in their order", async () => {
  const scenario = await groupScenario({
    sizes: { prefill: 4, decode: 4 },
    strategy: {
      maxUnavailableRatio: "50%",
      steps: [
        { roles: { decode: "50%" }, pause: {} },
        { roles: { decode: "100%" }, pause: { seconds: 3_000 } },
        { roles: { prefill: "50%" }, pause: {} },
      ],
    },
  });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.annotate({
    "lockstep.dev/promote": `pair:${(await scenario.coordination())?.revision}:2`,
  });
  await scenario.until(() => scenario.counts("web:v2") === "decode 4/4 prefill 2/4");
  const seen = recordCounts(scenario, "web:v1");
  await scenario.setImage("web:v1");
  await scenario.settled(60_000);
  expect(scenario.counts("web:v1")).toBe("decode 4/4 prefill 4/4");
  // Decode first, as on the way there.
  expect(seen.indexOf("decode 4 prefill 2")).toBeGreaterThan(seen.indexOf("decode 2 prefill 2"));
  expect(seen.indexOf("decode 2 prefill 2")).toBeGreaterThanOrEqual(0);
  expect(await scenario.condition("Progressing")).toMatchObject({ reason: "RolledOut" });
  // A rollout that was completed is rolled back like any other.
  await scenario.setImage("web:v3");
  await scenario.settled();
  expect((await scenario.coordination())?.state).toBe("AwaitingPromotion");
});

test("CO7 a paused group moves nothing, and goes on where it was", async () => {
  const scenario = await groupScenario({
    sizes: { prefill: 4, decode: 2 },
    strategy: { maxUnavailableRatio: "25%", maxSkew: "25%" },
  });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.until(() => scenario.counts("web:v2") === "decode 1/2 prefill 1/4");
  await scenario.annotate({ "lockstep.dev/paused": "true" });
  await scenario.clock.runFor(60_000);
  const paused = scenario.counts("web:v2");
  expect(await scenario.condition("Progressing")).toMatchObject({ reason: "Paused" });
  await scenario.clock.runFor(4_000_000);
  expect(scenario.counts("web:v2")).toBe(paused);
  await scenario.annotate({ "lockstep.dev/paused": null });
  await scenario.settled();
  expect(scenario.counts("web:v2")).toBe("decode 2/2 prefill 4/4");
});

const scalings: Record<string, { to: number; want: string }> = {
  up: { to: 9, want: "decode 3/3 prefill 9/9" },
  down: { to: 3, want: "decode 3/3 prefill 3/3" },
  "to zero": { to: 0, want: "decode 3/3" },
};

test.each(Object.entries(scalings))(
  "CO10 scaling %s in mid-rollout",
  async (_name, { to, want }) => {
    const scenario = await groupScenario({
      sizes: { prefill: 6, decode: 3 },
      strategy: { maxUnavailableRatio: "20%", maxSkew: "20%" },
    });
    await scenario.settled();
    await scenario.setImage("web:v2");
    await scenario.until(() => scenario.counts("web:v2").includes("prefill 2/"));
    await scenario.scale("prefill", to);
    await scenario.settled();
    await scenario.atRest();
    expect(scenario.counts("web:v2")).toBe(want);
  },
);

test("CO8 a new image in mid-rollout takes over at once, for one role or both", async () => {
  const scenario = await groupScenario({
    sizes: { prefill: 6, decode: 3 },
    strategy: { maxUnavailableRatio: "20%", maxSkew: "20%" },
  });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.until(() => scenario.counts("web:v2").includes("prefill 2/"));
  await scenario.setImage("web:v3", "decode");
  await scenario.clock.runFor(6_000);
  await scenario.setImage("web:v4");
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.counts("web:v4")).toBe("decode 3/3 prefill 6/6");
  expect(new Set(Object.values(scenario.labels())).size).toBe(1);
});
