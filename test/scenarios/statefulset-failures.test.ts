/** What refused writes do to a set: nothing is lost or done twice, and the first failure is reported. */
import { expect, test } from "vitest";
import type { ControllerRevision } from "../../src/api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../src/api/apps.ts";
import { podResource } from "../../src/api/pod.ts";
import type { Matches } from "../../src/simulation/faults.ts";
import { heldBack, refusing } from "../../src/simulation/faults.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const parallel = { podManagementPolicy: "Parallel" } as const;
const policies = ["OrderedReady", "Parallel"] as const;
const namespace = "default";

/** What StatefulSet controllers write, by what it is for. */
const writes = {
  "creating pods": ({ method, path }) => method === "POST" && path.endsWith("/pods"),
  "deleting pods": ({ method, path }) => method === "DELETE" && path.includes("/pods/"),
  "repairing pods": ({ method, path }) => method === "PATCH" && path.includes("/pods/"),
  "writing status": ({ method, path }) => method === "PATCH" && path.endsWith("/status"),
  "recording revisions": ({ method, path }) =>
    method === "POST" && path.endsWith("/controllerrevisions"),
} as const satisfies Record<string, Matches>;

const ofRollout = [
  "creating pods",
  "deleting pods",
  "writing status",
  "recording revisions",
] as const;

test.each(ofRollout)("RO7 %s fails three times and the set gets there", async (what) => {
  const { faults, asked } = refusing(writes[what], 3);
  const scenario = await statefulSetScenario({
    replicas: 3,
    spec: { ...parallel, ...rolling(1) },
    faults,
  });
  await scenario.clock.runFor(30_000);
  const guarded = scenario.guard();
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(asked).toHaveLength(3);
  expect(guarded.fewest).toBe(2);
  expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
});

test.each(policies)("RO7 %s: repairing a label fails, and is done later", async (policy) => {
  const { faults, asked } = refusing(writes["repairing pods"], 2);
  const scenario = await statefulSetScenario({
    replicas: 3,
    spec: { podManagementPolicy: policy },
    faults,
  });
  await scenario.settled();
  const body = { metadata: { labels: { "statefulset.kubernetes.io/pod-name": null } } };
  await scenario.client.patch(podResource, { namespace, name: "web-1" }, { type: "merge", body });
  await scenario.clock.runFor(30_000);
  expect(asked).toHaveLength(2);
  const { labels } = (await scenario.pod("web-1")).metadata;
  expect(labels?.["statefulset.kubernetes.io/pod-name"]).toBe("web-1");
});

test.each(policies)("RO7 %s: deletes of a scale-in fail, and are done later", async (policy) => {
  const { faults, asked } = refusing(writes["deleting pods"], 2);
  const scenario = await statefulSetScenario({
    replicas: 3,
    spec: { podManagementPolicy: policy },
    faults,
  });
  await scenario.settled();
  await scenario.patch({ spec: { replicas: 0 } });
  await scenario.settled();
  expect(asked).toHaveLength(2);
  expect(scenario.drawing()).toEqual([]);
});

const reported: [what: string, refuses: Matches, want: string | undefined][] = [
  ["nothing", () => false, undefined],
  ["the step", writes["creating pods"], "POST refused"],
  ["the status", writes["writing status"], "PATCH refused"],
  [
    "both",
    (request) => writes["creating pods"](request) || writes["writing status"](request),
    "POST refused",
  ],
];

const statusWrite = { method: "PATCH", path: "/apis/apps/v1/.../web/status" } as const;

test.each(reported)(
  "RO7 where %s fails the status is tried once per look, and the step's failure wins",
  async (_what, refuses, want) => {
    const { faults } = refusing(refuses);
    const scenario = await statefulSetScenario({ replicas: 1, faults });
    await scenario.clock.settle();
    const problems = scenario.operatorProblems as Error[];
    const messages = problems.map(({ message }) => message);
    expect([...new Set(messages)]).toEqual(want === undefined ? [] : [want]);
    // A status that was written once is written again only when there is more to say.
    const looks = refuses(statusWrite) ? problems.length : 1;
    expect(scenario.writes["patch statefulsets/status"]).toBe(looks);
  },
);

test("ST15 a delete that fails leaves currentReplicas alone; the one that works counts", async () => {
  const refusal = refusing(writes["deleting pods"]);
  const scenario = await statefulSetScenario({
    replicas: 3,
    image: "stubborn:v1",
    spec: { ...parallel, ...rolling(1) },
    faults: refusal.faults,
  });
  await scenario.settled();
  await scenario.setImage("stubborn:v2");
  await scenario.clock.runFor(10_000);
  const { status } = await scenario.set();
  expect(status).toMatchObject({ currentReplicas: 3 });
  expect(status?.currentRevision).not.toBe(status?.updateRevision);
  expect((await scenario.events("web")).some((text) => text.startsWith("FailedStep"))).toBe(true);
  refusal.stop();
  await scenario.clock.runFor(20_000);
  expect((await scenario.set()).status).toMatchObject({ currentReplicas: 2 });
});

const failedCases = policies.flatMap((policy) =>
  (["Failed", "Succeeded"] as const).flatMap((phase) =>
    [0, 1].map((refusals) => [policy, phase, refusals] as const),
  ),
);

test.each(failedCases)(
  "ST22 %s: a pod that %s is deleted once, with %i refusals once more each, and made once",
  async (podManagementPolicy, phase, refusals) => {
    const { faults } = refusing(writes["deleting pods"], refusals);
    const scenario = await statefulSetScenario({
      replicas: 3,
      spec: { podManagementPolicy },
      faults,
    });
    await scenario.settled();
    for (const key of Object.keys(scenario.writes)) delete scenario.writes[key];
    await scenario.client.patch(
      podResource,
      { namespace, name: "web-0" },
      { type: "merge", body: { status: { phase } } },
      { subresource: "status" },
    );
    await scenario.clock.runFor(30_000);
    expect(scenario.writes).toMatchObject({ "delete pods": 1 + refusals, "create pods": 1 });
    expect((await scenario.pod("web-0")).status?.phase).toBe("Running");
  },
);

test("RO7 where a quota lets in two of four pods, the status counts two", async () => {
  let made = 0;
  const overQuota: Matches = (request) => writes["creating pods"](request) && ++made > 2;
  const refusal = refusing(overQuota);
  const scenario = await statefulSetScenario({
    replicas: 4,
    spec: parallel,
    faults: refusal.faults,
  });
  await scenario.clock.runFor(30_000);
  expect((await scenario.set()).status).toMatchObject({ replicas: 2, readyReplicas: 2 });
  refusal.stop();
  await scenario.settled();
  expect((await scenario.set()).status).toMatchObject({ replicas: 4, readyReplicas: 4 });
});

const limits = [0, 2, 5, -2].flatMap((limit) =>
  [true, false].map((fails) => [limit, fails] as const),
);

test.each(limits)(
  "ST19 after ten updates a history of %i holds no more than that and those in use (status fails: %s)",
  async (revisionHistoryLimit, fails) => {
    const { faults } = refusing((request) => fails && writes["writing status"](request), 500);
    const scenario = await statefulSetScenario({
      replicas: 1,
      spec: { revisionHistoryLimit },
      faults,
    });
    for (let version = 1; version <= 10; version++) {
      await scenario.setImage(`web:v${version}`);
      await scenario.clock.runFor(10_000);
    }
    const { items } = await scenario.client.list<ControllerRevision>(controllerRevisionResource);
    const [least, most] = revisionHistoryLimit < 0 ? [10, 10] : [1, revisionHistoryLimit + 2];
    expect(items.length).toBeGreaterThanOrEqual(least);
    expect(items.length).toBeLessThanOrEqual(most);
  },
);

test("RO7 a set whose deletion is seen late gets no pods that would have to go at once", async () => {
  const sets = heldBack(statefulSetResource);
  const world = await statefulSetScenario({ replicas: 3, spec: parallel, faults: sets.faults });
  await world.settled();
  sets.hold();
  await world.client.delete(statefulSetResource, { namespace, name: "web" });
  await world.clock.runFor(20_000);
  expect(await world.pods()).toEqual([]);
  const made = world.writes["create pods"] ?? 0;
  expect(made).toBeLessThanOrEqual(6);
  await world.clock.runFor(20_000);
  expect(world.writes["create pods"]).toBe(made);
  sets.release();
  await world.clock.runFor(20_000);
  expect(await world.pods()).toEqual([]);
});
