/** Roles that are scaled together: from nothing and later, and what happens where they cannot go on. */
import { expect, test } from "vitest";
import { podResource } from "../../src/api/pod.ts";
import type { WrittenCoordination } from "../../src/api/rbg/rolebasedgroup.ts";
import type { GroupScenario, GroupScenarioOptions } from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { namespace } from "../builders/scenario.ts";

const scaling = (
  maxSkew: string,
  progression: "OrderScheduled" | "OrderReady" = "OrderReady",
): WrittenCoordination["strategy"] => ({ scaling: { maxSkew, progression } });

/** Sizes that the workloads were asked for, in the order in which they were seen: `prefill/decode`. */
async function sizesUntil(
  scenario: GroupScenario,
  isDone: () => Promise<boolean> | boolean,
): Promise<readonly string[]> {
  const seen: string[] = [];
  await scenario.until(async () => {
    const sets = await scenario.sets();
    const sizeOf = (role: string): number =>
      sets.find(({ metadata }) => metadata.name === `chat-${role}`)?.spec.replicas ?? 0;
    const now = `${sizeOf("prefill")}/${sizeOf("decode")}`;
    if (now !== seen.at(-1)) seen.push(now);
    return isDone();
  });
  return seen;
}

const grown = async (options: GroupScenarioOptions) => {
  const scenario = await groupScenario(options);
  const sizes = await sizesUntil(scenario, scenario.isSettled);
  return { scenario, sizes };
};

const inBetween = (sizes: readonly string[]): readonly string[] =>
  sizes.filter((size) => !size.startsWith("0/") && !size.endsWith("/0"));

test("CO14 a new group grows in step, each step when all pods before it are ready", async () => {
  const sizes = { prefill: 4, decode: 2 };
  const { scenario, sizes: seen } = await grown({ sizes, strategy: scaling("25%") });
  expect(inBetween(seen)).toEqual(["1/1", "2/1", "3/2", "4/2"]);
  expect(await scenario.condition("Ready")).toMatchObject({ status: "True" });
  await scenario.atRest();
});

test("CO14 a group grows in step later, and shrinks at once", async () => {
  const sizes = { prefill: 2, decode: 1 };
  const { scenario } = await grown({ sizes, strategy: scaling("25%") });
  await scenario.change((spec) => ({
    ...spec,
    roles: spec.roles.map((role) => ({ ...role, replicas: role.name === "prefill" ? 8 : 4 })),
  }));
  const seen = await sizesUntil(scenario, scenario.isSettled);
  expect(seen).toEqual(["2/1", "4/2", "6/3", "8/4"]);
  await scenario.scale("prefill", 1);
  expect((await sizesUntil(scenario, scenario.isSettled)).at(1)).toBe("1/4");
  await scenario.atRest();
});

test("CO14 a role whose pods are not ready holds the others, and the group says so until it is stalled", async () => {
  const scenario = await groupScenario({
    sizes: { prefill: 4, decode: 4 },
    strategy: scaling("25%"),
    roles: {
      decode: { template: { spec: { containers: [{ name: "app", image: "web:broken" }] } } },
    },
  });
  await scenario.clock.runFor(60_000);
  const sets = await scenario.sets();
  expect(sets.map(({ metadata, spec }) => `${metadata.name} ${spec.replicas}`).toSorted()).toEqual([
    "chat-decode 1",
    "chat-prefill 1",
  ]);
  expect(await scenario.condition("Ready")).toMatchObject({
    status: "False",
    message: "prefill has 1 of 4 ready; decode has 0 of 4 ready",
  });
  expect((await scenario.condition("Progressing"))?.message).toContain(
    "pair waits until decode has every pod ready",
  );
  await scenario.clock.runFor(1_900_000);
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "True" });
  await scenario.setImage("web:v1", "decode");
  expect(inBetween(await sizesUntil(scenario, scenario.isSettled))).toEqual([
    "1/1",
    "2/2",
    "3/3",
    "4/4",
  ]);
});

test("CO14 a role that waits for another to be started is no reason for that one to wait", async () => {
  const { sizes } = await grown({
    sizes: { prefill: 2, decode: 2 },
    strategy: scaling("50%"),
    roles: { decode: { dependencies: ["prefill"] } },
  });
  expect(sizes).toEqual(["0/0", "1/0", "1/1", "2/2"]);
});

test("CO14 pods that Lockstep makes grow in step too, and a lost one comes back", async () => {
  const workload = { apiVersion: "v1", kind: "Pod" };
  const scenario = await groupScenario({
    sizes: { prefill: 4, decode: 2 },
    strategy: scaling("25%"),
    roles: { prefill: { workload }, decode: { workload } },
  });
  const seen: string[] = [];
  await scenario.until(async () => {
    const now = scenario.counts("web:v1");
    if (now !== seen.at(-1)) seen.push(now);
    return scenario.isSettled();
  });
  expect(seen.at(-1)).toBe("decode 2/2 prefill 4/4");
  expect(seen).toContain("decode 1/1 prefill 1/1");
  expect(seen.filter((each) => each.startsWith("decode 2/2 prefill 1"))).toEqual([]);
  await scenario.client.delete(podResource, { namespace, name: "chat-prefill-3" });
  await scenario.clock.runFor(30_000);
  expect(scenario.counts("web:v1")).toBe("decode 2/2 prefill 4/4");
  await scenario.atRest();
});

test("CO14 a rollout and a growing group get along", async () => {
  const strategy = { maxUnavailable: "25%", ...scaling("25%") };
  const { scenario } = await grown({ sizes: { prefill: 4, decode: 2 }, strategy });
  await scenario.setImage("web:v2");
  await scenario.change((spec) => ({
    ...spec,
    roles: spec.roles.map((role) => ({ ...role, replicas: role.name === "prefill" ? 8 : 4 })),
  }));
  await scenario.settled();
  expect(scenario.counts("web:v2")).toBe("decode 4/4 prefill 8/8");
  await scenario.atRest();
});

test("CO14 roles that are scaled together in a ring all grow: whoever is behind everybody is never held", async () => {
  const ring = ["prefill decode", "decode router", "router prefill"].map((pair, at) => ({
    name: `pair-${at}`,
    roles: pair.split(" "),
    strategy: scaling("0%"),
  }));
  const sizes = { prefill: 1, decode: 3, router: 7 };
  const { scenario } = await grown({ sizes, spec: { coordination: ring } });
  expect(await scenario.pods()).toHaveLength(11);
  expect(await scenario.condition("Ready")).toMatchObject({ status: "True" });
});
