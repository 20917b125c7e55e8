/** A dead operator is seen: nothing goes on, and every command says so before it repeats what was reported last. */
import { beforeAll, describe, expect, test } from "vitest";
import { microTimeText, timeText } from "../../src/api/time-text.ts";
import { attentionText } from "../../src/dashboard/page/attention.js";
import { summaryOf } from "../../src/dashboard/page-view.ts";
import { RolloutHub } from "../../src/dashboard/rollout-hub.ts";
import { rolloutKinds } from "../../src/rollouts/kinds.ts";
import { scopeAnnotations } from "../../src/rollouts/operator.ts";
import { leaseResource } from "../../src/runtime/leader.ts";
import { cliOf } from "../builders/cli.ts";
import type { StatefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const namespaces = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
};

/** As an operator leaves it that was killed. */
async function leaveLease({ client, clock }: StatefulSetScenario, controllers: readonly string[]) {
  const namespace = "lockstep-system";
  await client.create(namespaces, { metadata: { name: namespace } });
  const scope = { controllers, statefulSetMode: "full", namespaces: [] };
  await client.create(leaseResource, {
    metadata: { namespace, name: "lockstep", annotations: { ...scopeAnnotations(scope) } },
    spec: {
      holderIdentity: "gpu-7_1",
      leaseDurationSeconds: 15,
      renewTime: microTimeText(clock.now()),
    },
  });
}

const absence =
  /no operator has been at work since \S+Z: gpu-7_1 held the lease\s+lockstep-system\/lockstep and renews it no more/;

describe("OP11 the operator was killed in the middle of a rollout", () => {
  let world: StatefulSetScenario;
  const ask = async (line: string): Promise<string> => (await cliOf(world).lockstep(line)).text;

  beforeAll(async () => {
    world = await statefulSetScenario({ replicas: 3, spec: rolling(1) });
    await world.settled();
    await cliOf(world).lockstep("set image sts/web app=web:broken");
    await world.clock.runFor(20_000);
    await world.stopOperator();
    await leaveLease(world, ["statefulset"]);
  });

  test("nothing is said before a minute has passed", async () => {
    await world.clock.runFor(50_000);
    for (const line of ["why sts/web", "status sts/web", "list"]) {
      expect(await ask(line)).not.toContain("no operator");
    }
  });

  test("why says it first, with what to do; so does its data", async () => {
    const watching = await cliOf(world).start("watch sts/web");
    await world.clock.runFor(30_000);
    const text = await ask("why sts/web");
    expect(text).toMatch(absence);
    expect(text).toMatch(/rule +OP11 Absence/);
    expect(text).toMatch(/type +kubectl get pods -n lockstep-system/);
    expect(text).not.toContain("needs no help");
    const data = JSON.parse(await ask("why sts/web -o json")) as Record<string, unknown>;
    expect(data["operator"]).toMatchObject({ lastHolder: "gpu-7_1", ended: "expired" });
    // Whoever looked on already learns it, too.
    expect(watching.text()).toMatch(absence);
    watching.interrupt();
  });

  test("status says it in place of the reason, and what was reported last behind it", async () => {
    const text = await ask("status sts/web");
    expect(text).toMatch(absence);
    expect(text.replaceAll(/\s+/g, " ")).toContain("as last reported: waiting for web-2");
    expect(text).toContain("to free it: kubectl get pods -n lockstep-system");
  });

  test("a pod that is asked about says so too", async () => {
    expect(await ask("why pod/web-0")).toMatch(absence);
  });

  test("list says it once below the table", async () => {
    const text = await ask("list");
    expect(text).toMatch(/^statefulset\/web .* no operator has been at work since \S+Z$/m);
    expect(text.split("\n").at(-1)).toMatch(absence);
    expect(text.split("\n").at(-1)).toMatch(/what to do: lockstep why statefulset\/web$/);
  });
});

test("OP11 a page that is open learns that the operator is gone, and that one is back", async () => {
  const world = await statefulSetScenario({ replicas: 3, spec: rolling(1) });
  await world.settled();
  const { client, clock } = world;
  const onProblem = (problem: unknown): never => {
    throw problem;
  };
  const kinds = rolloutKinds.filter(({ word }) => word === "statefulset");
  const hub = new RolloutHub({ client, clock, kinds, leaseClock: clock, onProblem });
  hub.start();
  await clock.runFor(1_000);
  const announced: unknown[] = [];
  hub.onChange((change) => announced.push(change));
  const noted = async () => [
    ...hub.list().flatMap(({ notes }) => notes),
    ...((await hub.followed("statefulset/default/web"))?.view.notes ?? []),
  ];
  await leaveLease(world, ["statefulset"]);
  await clock.runFor(50_000);
  expect(await noted()).toEqual([]);
  announced.length = 0;
  await clock.runFor(30_000);
  const gone = expect.stringMatching(absence) as unknown;
  expect(await noted()).toEqual([gone, gone]);
  expect(announced).toHaveLength(2);
  const key = { namespace: "lockstep-system", name: "lockstep" };
  await client.patch(leaseResource, key, {
    type: "merge",
    body: { spec: { renewTime: microTimeText(clock.now()) } },
  });
  await clock.runFor(16_000);
  expect(await noted()).toEqual([]);
  hub.stop();
});

test("OP11 a set that another operator runs is not said to be left alone", async () => {
  const world = await statefulSetScenario({ replicas: 2, spec: rolling(1) });
  await world.settled();
  await leaveLease(world, ["podcliqueset"]);
  await world.clock.runFor(120_000);
  for (const line of ["why sts/web", "status sts/web", "list"]) {
    expect((await cliOf(world).lockstep(line)).text).not.toContain("operator");
  }
});

test("OP11 the list of the page says since when rollouts wait for an operator", async () => {
  const world = await statefulSetScenario({ replicas: 3, spec: rolling(1) });
  await world.settled();
  const { client, clock } = world;
  await cliOf(world).lockstep("set image sts/web app=web:broken");
  await clock.runFor(20_000);
  await world.stopOperator();
  await leaveLease(world, ["statefulset"]);
  const kinds = rolloutKinds.filter(({ word }) => word === "statefulset");
  const onProblem = (): void => undefined;
  const hub = new RolloutHub({ client, clock, kinds, leaseClock: clock, onProblem });
  hub.start();
  const heldUntil = timeText(clock.now() + 15_000);
  await clock.runFor(30_000);
  expect(hub.list().map((view) => summaryOf(view).leftSince)).toEqual([undefined]);
  await clock.runFor(60_000);
  const items = hub.list().map(summaryOf);
  expect(items.map(({ leftSince }) => leftSince)).toEqual([heldUntil]);
  expect(attentionText(items)).toBe(`no operator has been at work since ${heldUntil}`);
  expect(attentionText([{}])).toBe("1 rollout cannot go on");
  hub.stop();
});

describe("OP11 the lease went with its namespace", () => {
  let world: StatefulSetScenario;
  const ask = async (line: string): Promise<string> =>
    (await cliOf(world).lockstep(line)).text.replaceAll(/\s+/g, " ");
  const hint = "no operator holds a lease: lockstep-system/lockstep does not exist";

  beforeAll(async () => {
    world = await statefulSetScenario({ replicas: 3, spec: rolling(1) });
    await world.settled();
    await cliOf(world).lockstep("set image sts/web app=web:v2");
    await world.clock.runFor(10_000);
    await world.stopOperator();
  });

  test("nothing is said of what was reported on within the last minute", async () => {
    await world.clock.runFor(30_000);
    for (const line of ["why sts/web", "status sts/web", "list"]) {
      expect(await ask(line)).not.toContain("no operator");
    }
  });

  test("what waits is no longer said to need no help, nor how long it takes", async () => {
    await world.clock.runFor(60_000);
    const why = await ask("why sts/web");
    expect(why).toContain(`${hint}, so nobody may go on with this; ignore that if`);
    expect(why).toContain(
      "freed by an operator, if none is at work (there is no lease lockstep-system/lockstep); else the next step",
    );
    const status = await ask("status sts/web");
    expect(status).toContain(`Progressing`);
    expect(status).toContain(`note: ${hint}`);
    expect(status).not.toMatch(/about \S+ left/);
    expect(await ask("list")).toContain(hint);
  });

  test("nothing is said of what rests", async () => {
    const rested = await statefulSetScenario({ replicas: 2, spec: rolling(1) });
    await rested.settled();
    await rested.clock.runFor(120_000);
    expect((await cliOf(rested).lockstep("status sts/web")).text).not.toContain("operator");
  });
});
