/** What people do to a group with one command: undo from the middle, promote, set an image, restart. */
import { expect, test } from "vitest";
import type { KubeObject } from "../../src/api/object.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import type { Related, Steer } from "../../src/rollouts/kind.ts";
import { roleBasedGroupRollout } from "../../src/rollouts/kinds/role-based-group.ts";
import { roleBasedGroupSteering } from "../../src/rollouts/steering/role-based-group.ts";
import type { GroupScenario } from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { namespace } from "../builders/scenario.ts";

async function subjectOf({ client, clock, group }: GroupScenario) {
  const object: KubeObject = await group();
  const entries = Object.entries(roleBasedGroupRollout.related(object)).map(
    async ([name, { resource, labelSelector }]) =>
      [name, (await client.list(resource, { namespace, labelSelector })).items] as const,
  );
  const related: Related = Object.fromEntries(await Promise.all(entries));
  return { object, related, nowMs: clock.now() };
}

type Verb = (subject: Awaited<ReturnType<typeof subjectOf>>) => Steer;

async function steer(scenario: GroupScenario, verb: Verb): Promise<string> {
  const answer = verb(await subjectOf(scenario));
  if (answer.kind !== "change") return answer.kind === "nothing" ? answer.why : answer.problem;
  await scenario.client.patch(roleBasedGroupResource, { namespace, name: "chat" }, answer.patch);
  return answer.did;
}

const strategy = { maxUnavailableRatio: "25%", maxSkew: "25%" };
const image = (component: string | undefined, value: string): Verb => {
  const named = component === undefined ? {} : { component };
  return (subject) =>
    roleBasedGroupSteering.setImage(subject, [{ ...named, container: "app", image: value }]);
};

test("RG5 RG8 undo brings both roles back, from the middle and after a failed role, and keeps sizes", async () => {
  const scenario = await groupScenario({ strategy });
  await scenario.settled();
  await scenario.atRest();
  const before = scenario.labels();
  expect(await steer(scenario, image("prefill", "web:v2"))).toContain("image updated: prefill/app");
  expect(await steer(scenario, image("decode", "web:broken"))).toContain(
    "image updated: decode/app",
  );
  await scenario.until(async () => (await scenario.coordination())?.state === "Failing");
  await scenario.scale("decode", 3);
  const view = roleBasedGroupRollout.view(await subjectOf(scenario));
  expect(view.nodes.map(({ label, health }) => `${label} ${health}`)).toContain("decode broken");
  const did = await steer(scenario, (subject) => roleBasedGroupSteering.undo(subject, 1));
  expect(did).toContain("rolled back to revision 1");
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.counts("web:v1")).toBe("decode 3/3 prefill 4/4");
  expect(scenario.labels()).toMatchObject(before);
  expect(roleBasedGroupRollout.view(await subjectOf(scenario))).toMatchObject({
    state: "Healthy",
    counts: { desired: 7, available: 7, updated: 7 },
  });
});

test("RG5 undo without a number goes to the revision before, beside those that StatefulSets record", async () => {
  const scenario = await groupScenario({ strategy });
  await scenario.settled();
  await steer(scenario, image(undefined, "web:v2"));
  await scenario.settled();
  await steer(scenario, image("decode", "web:broken"));
  await scenario.until(async () => (await scenario.coordination())?.state === "Failing");
  const numbers = roleBasedGroupRollout
    .revisions(await subjectOf(scenario))
    .map(({ number }) => number);
  expect(numbers).toEqual([1, 2, 3]);
  expect(
    await steer(scenario, (subject) => roleBasedGroupSteering.undo(subject, undefined)),
  ).toContain("rolled back to revision 2");
  await scenario.settled();
  expect(scenario.counts("web:v2")).toBe("decode 2/2 prefill 4/4");
});

test("RG5 undo brings the coordination of that revision back, and both roles move back under it", async () => {
  const scenario = await groupScenario({ strategy });
  await scenario.settled();
  // One pod of both roles after the other, and only half of them.
  const careful = { maxUnavailableRatio: "1%", maxSkew: "1%", partition: "50%" };
  await scenario.change((spec) => ({
    ...spec,
    coordination: spec.coordination?.map((each) => ({ ...each, strategy: careful })),
    roles: spec.roles.map((role) => ({
      ...role,
      template: { spec: { containers: [{ name: "app", image: "web:v2" }] } },
    })),
  }));
  await scenario.settled();
  expect((await scenario.coordination())?.state).toBe("AtPartition");
  expect(scenario.counts("web:v2")).toBe("decode 1/2 prefill 2/4");
  const undo: Verb = (subject) => roleBasedGroupSteering.undo(subject, undefined);
  const answer = undo(await subjectOf(scenario));
  expect(answer).toMatchObject({
    kind: "change",
    notes: [expect.stringContaining("coordination comes back with it: pair") as string],
  });
  await steer(scenario, undo);
  await scenario.settled();
  await scenario.atRest();
  expect((await scenario.group()).spec.coordination?.[0]?.strategy).toEqual(strategy);
  expect((await scenario.coordination())?.state).toBe("Completed");
  expect(scenario.counts("web:v1")).toBe("decode 2/2 prefill 4/4");
});

test("RG9 promote passes the pause that waits, and only that", async () => {
  const scenario = await groupScenario({
    sizes: { prefill: 2, decode: 2 },
    strategy: {
      maxUnavailableRatio: "50%",
      steps: [
        { roles: { decode: "50%" }, pause: {} },
        { roles: { decode: "100%" }, pause: {} },
      ],
    },
  });
  await scenario.settled();
  const promote: Verb = (subject) => roleBasedGroupSteering.promote(subject, false);
  expect(await steer(scenario, promote)).toBe("has no partition and no pause to pass");
  await steer(scenario, image(undefined, "web:v2"));
  await scenario.settled();
  expect(scenario.counts("web:v2")).toBe("decode 1/2 prefill 0/2");
  expect(roleBasedGroupRollout.view(await subjectOf(scenario)).state).toBe("Paused");
  expect(await steer(scenario, promote)).toContain("promoted");
  await scenario.until(() => scenario.counts("web:v2") === "decode 2/2 prefill 0/2");
  await scenario.settled();
  expect(scenario.counts("web:v2")).toBe("decode 2/2 prefill 0/2");
  await steer(scenario, promote);
  await scenario.until(() => scenario.counts("web:v2") === "decode 2/2 prefill 2/2");
});

test("CO7 pause, resume and restart", async () => {
  const scenario = await groupScenario({ strategy });
  await scenario.settled();
  expect(await steer(scenario, (subject) => roleBasedGroupSteering.pause(subject))).toBe("paused");
  scenario.timeline.take();
  expect(await steer(scenario, (subject) => roleBasedGroupSteering.restart(subject))).toContain(
    "restarted",
  );
  await scenario.clock.runFor(20_000);
  expect(scenario.timeline.lines()).toEqual([]);
  expect(await steer(scenario, (subject) => roleBasedGroupSteering.resume(subject))).toBe(
    "resumed",
  );
  await scenario.until(async () => (await scenario.condition("Progressing"))?.status === "True");
  await scenario.settled();
  expect(scenario.timeline.lines().filter((line) => line.includes("+"))).toHaveLength(6);
});
