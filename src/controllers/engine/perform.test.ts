/** The interpreter against the embedded API server: what is performed, in which order, and what stops it. */
import { expect, test } from "vitest";
import { simulation } from "../../../test/builders/simulation.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { Client } from "../../runtime/client.ts";
import { LiveAnswers, stillThere } from "./live-reads.ts";
import { NameConflictError, NameConflictProblem, perform, Performed } from "./perform.ts";
import { UnconfirmedDeletes } from "./unconfirmed-deletes.ts";
import type { CreateWrite, LiveRead, NameConflictAnswer, WritePlan } from "./write.ts";
import { createOf, deletesOf, keyOfObject, updateOf, writesOf } from "./write.ts";

const configMaps: Resource = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};

const configMap = (name: string, data = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});

const create = (name: string): CreateWrite => createOf(configMaps, configMap(name));

async function world() {
  const { client, clock } = await simulation({ nodes: 0 });
  const problems: string[] = [];
  const tools = {
    client,
    clock,
    deletes: new UnconfirmedDeletes(),
    ownerKey: "default/owner",
    answers: new LiveAnswers(),
    onProblem: (reason: string, problem: string) => problems.push(`${reason}: ${problem}`),
  };
  const names = async (): Promise<string[]> => {
    const { items } = await client.list(configMaps, { namespace: "default" });
    return items.map(({ metadata }) => metadata.name ?? "").toSorted();
  };
  const put = (name: string): Promise<KubeObject> => client.create(configMaps, configMap(name));
  return { client, clock, tools, names, put, problems };
}

/** Rejects some requests as an API server that is out of order would. */
const failing = (client: Client, isFailing: (name: string) => boolean): Client => ({
  ...client,
  create: (resource, object) =>
    isFailing(object.metadata.name ?? "")
      ? Promise.reject(new Error("out of order"))
      : client.create(resource, object),
});

const held = (isOpen: boolean): LiveRead => ({
  question: "may it go on",
  read: () => Promise.resolve({ isOpen }),
});

const namesOf = ({ writes }: Performed): string[] =>
  writes.map((write) => ("key" in write ? write.key.name : (write.object.metadata.name ?? "")));

test("writes in order are performed in order", async () => {
  const { tools } = await world();
  const performed = await perform(tools, [create("a"), { inOrder: [create("b"), create("c")] }]);
  expect(namesOf(performed)).toEqual(["a", "b", "c"]);
});

test("after a failure nothing of the same order is performed, and what was is known", async () => {
  const { client, tools, names } = await world();
  const performed = new Performed();
  const broken = { ...tools, client: failing(client, (name) => name === "b") };
  const plans = [create("a"), create("b"), create("c")];
  await expect(perform(broken, plans, performed)).rejects.toThrow("out of order");
  expect(namesOf(performed)).toEqual(["a"]);
  expect(await names()).not.toContain("c");
});

test("slow start stops before many writes fail like the first", async () => {
  const { client, tools } = await world();
  const asked: string[] = [];
  const broken = failing(client, (name) => asked.push(name) > 0);
  const sideBySide = ["a", "b", "c", "d"].map(create);
  const plan = { sideBySide, pace: { firstBatch: 1 } };
  await expect(perform({ ...tools, client: broken }, [plan])).rejects.toThrow("out of order");
  expect(asked).toEqual(["a"]);
});

test("a closed live read ends its own order and no other, and asks for a requeue", async () => {
  const { tools } = await world();
  const sideBySide = [{ inOrder: [create("a"), held(false), create("b")] }, create("c")];
  const performed = await perform(tools, [{ sideBySide }, create("d")]);
  expect(namesOf(performed).toSorted()).toEqual(["a", "c"]);
  expect(performed.requeueAfterMs).toBe(1_000);
});

test("an open live read lets the rest follow", async () => {
  const { tools } = await world();
  expect(namesOf(await perform(tools, [held(true), create("a")]))).toEqual(["a"]);
});

test("an answer that holds is not asked for again, until it is void", async () => {
  const { tools, clock } = await world();
  let asked = 0;
  const question: LiveRead = {
    question: "how many",
    read: () => {
      asked++;
      return Promise.resolve({ isOpen: true, holdsForMs: 5_000, names: new Set(["x"]) });
    },
  };
  await perform(tools, [question]);
  await clock.runFor(2_000);
  expect((await perform(tools, [question])).requeueAfterMs).toBe(3_000);
  expect(asked).toBe(1);
  expect([tools.answers.dropAbout("y"), tools.answers.dropAbout("x")]).toEqual([false, true]);
  await perform(tools, [question]);
  await clock.runFor(5_000);
  await perform(tools, [question]);
  expect(asked).toBe(3);
  tools.answers.retain([]);
  await perform(tools, [question]);
  expect(asked).toBe(4);
});

test("what a live read shows to be necessary is performed; a failure of one leaves the others", async () => {
  const { client, tools, names, problems } = await world();
  const question: LiveRead = {
    question: "what is missing",
    problemReason: "Missing",
    read: () => Promise.resolve({ isOpen: true, writes: ["a", "b", "c"].map(create) }),
    onError: () => ({ isOpen: true, holdsForMs: 100, problem: "b failed" }),
  };
  const broken = { ...tools, client: failing(client, (name) => name === "b") };
  const performed = await perform(broken, [question]);
  expect(await names()).toEqual(expect.arrayContaining(["a", "c"]));
  expect(performed.requeueAfterMs).toBe(100);
  await perform({ ...broken, answers: tools.answers }, [question]);
  expect(problems).toEqual(["Missing: b failed"]);
});

test("more than one reconcile begins is left for the next", async () => {
  const { tools } = await world();
  const plan = { sideBySide: ["a", "b", "c"].map(create), pace: { atOnce: 1, atMost: 2 } };
  const performed = await perform(tools, [plan]);
  expect([namesOf(performed), performed.isCutShort]).toEqual([["a", "b"], true]);
});

test("a name conflict is reported after everything beside it is done", async () => {
  const { tools, put, names } = await world();
  await put("a");
  const plan = { sideBySide: ["a", "b"].map(create), pace: { atOnce: 1 } };
  await expect(perform(tools, [plan])).rejects.toBeInstanceOf(NameConflictError);
  expect(await names()).toContain("b");
});

const answers: Record<
  string,
  { answer: NameConflictAnswer; performed: string[]; requeue?: number }
> = {
  "accepted as what was wanted": { answer: "accept", performed: ["next"] },
  "waited for": { answer: "wait", performed: ["next"], requeue: 1_000 },
  "answered with other writes": {
    answer: { writes: [create("instead")] },
    performed: ["instead", "next"],
    requeue: 1_000,
  },
};

test.each(Object.entries(answers))(
  "an object of the same name is %s",
  async (_what, { answer, performed: want, requeue }) => {
    const { tools, put } = await world();
    await put("a");
    const write = { ...create("a"), ifExists: () => answer };
    const performed = await perform(tools, [write, create("next")]);
    expect([namesOf(performed), performed.requeueAfterMs]).toEqual([want, requeue]);
  },
);

test("an object of the same name that only a person can remove is a problem in words", async () => {
  const { tools, put } = await world();
  await put("a");
  const write = { ...create("a"), ifExists: () => ({ problem: "remove a" }) };
  await expect(perform(tools, [write])).rejects.toEqual(new NameConflictProblem("remove a"));
});

test("P11 a patch that lost its race fails, or is skipped where the plan says so", async () => {
  const { tools, put, client } = await world();
  const stale = await put("a");
  await client.update(configMaps, { ...stale, data: { newer: "yes" } });
  const { resourceVersion } = stale.metadata;
  const body = { metadata: { resourceVersion }, data: { older: "yes" } };
  const patch = { type: "merge", body } as const;
  const write = { verb: "patch", resource: configMaps, key: keyOfObject(stale), patch } as const;
  await expect(perform(tools, [write])).rejects.toThrow("the object has been modified");
  const performed = await perform(tools, [{ ...write, ifChanged: "skip" }]);
  expect(performed.writes).toEqual([]);
  const gone = { ...write, key: { namespace: "default", name: "gone" } };
  await expect(perform(tools, [gone])).rejects.toThrow("not found");
  expect((await perform(tools, [{ ...gone, ifGone: "skip" }])).writes).toEqual([]);
});

test("P11 a delete hits one incarnation only, and an object that terminates is not deleted again", async () => {
  const { tools, put, client, names } = await world();
  const first = await put("a");
  await perform(tools, deletesOf(configMaps, [first]));
  await put("a");
  await perform(tools, deletesOf(configMaps, [first]));
  expect(await names()).toContain("a");
  const terminating = {
    metadata: { ...first.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  expect(deletesOf(configMaps, [terminating])).toEqual([]);
  expect(await client.get(configMaps, keyOfObject(first))).toBeDefined();
});

test("the latest answer of the server is known for every object that was written", async () => {
  const { tools, put } = await world();
  const before = await put("a");
  const performed = await perform(tools, [updateOf(configMaps, { ...before, data: { n: "1" } })]);
  const after = performed.latest(before);
  expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
  expect(performed.latest(configMap("other"))).toEqual(configMap("other"));
});

test("an owner that was deleted lets nothing follow", async () => {
  const { tools, put, client } = await world();
  const owner = await put("owner");
  const guarded = [stillThere(configMaps, owner), create("a")];
  expect(namesOf(await perform(tools, guarded))).toEqual(["a"]);
  await client.delete(configMaps, keyOfObject(owner));
  await put("owner");
  expect(namesOf(await perform(tools, [stillThere(configMaps, owner), create("b")]))).toEqual([]);
});

test("a plan can be listed without performing it", () => {
  const plan: WritePlan = {
    sideBySide: [{ inOrder: [create("a"), held(true), create("b")] }, create("c")],
  };
  const listed = writesOf([plan, create("d")]);
  expect(listed.map((write) => ("object" in write ? write.object.metadata.name : ""))).toEqual([
    "a",
    "b",
    "c",
    "d",
  ]);
});

test("what follows a creation carries what the server answered, and does not follow a refused one", async () => {
  const { client, tools, put } = await world();
  const follow = (name: string): CreateWrite => ({
    ...create(name),
    ifExists: () => "accept",
    andThen: (created) => [
      updateOf(configMaps, { ...created, data: { uid: created.metadata.uid } }),
    ],
  });
  await put("taken");
  await perform(tools, [follow("fresh"), follow("taken")]);
  const data = async (name: string): Promise<unknown> =>
    (await client.get(configMaps, { namespace: "default", name }))["data"];
  const { metadata } = await client.get(configMaps, { namespace: "default", name: "fresh" });
  expect(await data("fresh")).toEqual({ uid: metadata.uid });
  expect(await data("taken")).toBeUndefined();
});
