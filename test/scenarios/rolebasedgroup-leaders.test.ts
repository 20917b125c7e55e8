/** Roles under LeaderWorkerSet. There is no controller for it here: the tests do by hand what it would do. */
import { expect, test } from "vitest";
import type { LeaderWorkerSet } from "../../src/api/leader-worker-set.ts";
import { leaderWorkerSetLabels, leaderWorkerSetResource } from "../../src/api/leader-worker-set.ts";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import { podResource } from "../../src/api/pod.ts";
import type { GroupScenario, GroupScenarioOptions } from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { leaderWorkerSetDefinition } from "../builders/leader-worker-definition.ts";
import { namespace } from "../builders/scenario.ts";

const workload = { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet" };

/** Until the kind is served, the watch of it fails. */
const unserved = { expected: [/404 page not found/] };

const withLeaders = (options: GroupScenarioOptions = {}) =>
  groupScenario({
    sizes: { decode: 2 },
    roles: {
      decode: {
        workload,
        leaderWorkerSet: {
          size: 2,
          patchLeaderTemplate: { metadata: { labels: { part: "leader" } } },
          patchWorkerTemplate: { spec: { containers: [{ name: "app", args: ["--worker"] }] } },
        },
      },
    },
    ...unserved,
    ...options,
  });

const install = ({ client }: GroupScenario) =>
  client.create(customResourceDefinitionResource, leaderWorkerSetDefinition);

const leadersOf = ({ client }: GroupScenario) =>
  client.get<LeaderWorkerSet>(leaderWorkerSetResource, { namespace, name: "chat-decode" });

/** One pod of a LeaderWorkerSet, made from its template as it is now. */
async function makePod(world: GroupScenario, group: number, worker: number): Promise<void> {
  const set = await leadersOf(world);
  const { leaderTemplate, workerTemplate } = set.spec.leaderWorkerTemplate;
  const { metadata, spec } = (worker === 0 ? leaderTemplate : undefined) ?? workerTemplate;
  const name = `chat-decode-${group}${worker === 0 ? "" : `-${worker}`}`;
  const labels = {
    ...metadata?.labels,
    [leaderWorkerSetLabels.groupIndex]: String(group),
    [leaderWorkerSetLabels.workerIndex]: String(worker),
  };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name, namespace, labels }, spec };
  await world.client.create(podResource, pod as never);
}

const partitionOf = async (world: GroupScenario): Promise<number | undefined> =>
  (await leadersOf(world)).spec.rolloutStrategy?.rollingUpdateConfiguration?.partition;

test("RW5 the status says that a cluster lacks the kind; once it is installed, the role starts", async () => {
  const world = await withLeaders();
  await world.clock.runFor(20_000);
  const { message } = (await world.condition("Progressing")) ?? {};
  expect(message).toContain(
    "role decode is to be run by a LeaderWorkerSet, which this cluster does not serve: install LeaderWorkerSet",
  );
  // Nothing but a person can help.
  expect(await world.condition("Stalled")).toMatchObject({ status: "True", reason: "NeedsChange" });
  await install(world);
  await world.clock.runFor(120_000);
  expect(await world.condition("Stalled")).toMatchObject({ status: "False" });
  expect(await leadersOf(world)).toMatchObject({
    metadata: { ownerReferences: [{ kind: "RoleBasedGroup", name: "chat" }] },
    spec: {
      replicas: 2,
      leaderWorkerTemplate: {
        size: 2,
        restartPolicy: "RecreateGroupOnPodRestart",
        leaderTemplate: { metadata: { labels: { part: "leader" } } },
        workerTemplate: { spec: { containers: [{ name: "app", args: ["--worker"] }] } },
      },
      rolloutStrategy: { rollingUpdateConfiguration: { partition: 0, maxUnavailable: 1 } },
    },
  });
});

test("RW5 a leader counts with all of its workers, and a new template starts behind a closed partition", async () => {
  const world = await withLeaders();
  await install(world);
  await world.clock.runFor(120_000);
  await makePod(world, 0, 0);
  await makePod(world, 1, 0);
  await makePod(world, 1, 1);
  await world.atRest();
  const ready = async () => (await world.group()).status?.roleStatuses?.[0]?.readyReplicas;
  expect(await ready()).toBe(1);
  await makePod(world, 0, 1);
  await world.settled();
  expect(await ready()).toBe(2);
  const closed: (number | undefined)[] = [];
  await world.setImage("web:v2");
  await world.until(async () => {
    closed.push(await partitionOf(world));
    return closed.at(-1) === 1;
  });
  // One of two may be down, so the higher one is let through, and no more before that one serves again.
  await world.clock.runFor(60_000);
  expect(await partitionOf(world)).toBe(1);
  for (const name of ["chat-decode-1", "chat-decode-1-1"]) {
    await world.client.delete(podResource, { namespace, name }, { gracePeriodSeconds: 0 });
  }
  await makePod(world, 1, 0);
  await makePod(world, 1, 1);
  await world.until(async () => (await partitionOf(world)) === 0);
});

test("RW6 a role that something else runs now leaves no LeaderWorkerSet behind", async () => {
  const world = await withLeaders();
  await install(world);
  await world.clock.runFor(120_000);
  await leadersOf(world);
  await world.restart();
  await world.change((spec) => ({
    ...spec,
    roles: spec.roles.map(({ leaderWorkerSet: _gone, ...role }) => ({
      ...role,
      workload: { apiVersion: "v1", kind: "Pod" },
    })),
  }));
  await world.clock.runFor(120_000);
  await expect(leadersOf(world)).rejects.toThrow(/not found/);
  await world.settled();
});
