/** Restart policies, settings without effect, rejected specs, objects that others left or own. */
import { expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { configMapResource } from "../../src/api/config-map.ts";
import { podResource } from "../../src/api/pod.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import type { GroupScenario } from "../builders/role-based-group-scenario.ts";
import { groupOf, groupScenario } from "../builders/role-based-group-scenario.ts";
import { namespace } from "../builders/scenario.ts";

/** As a kubelet reports a container that crashed and was started again, or a pod that ended. */
async function restartContainer(
  { client }: GroupScenario,
  name: string,
  phase = "Running",
): Promise<void> {
  const restartCount = phase === "Failed" ? 0 : 1;
  const container = { name: "app", ready: false, restartCount, image: "", imageID: "" };
  const body = {
    status: {
      phase,
      containerStatuses: [container],
      conditions: [{ type: "Ready", status: "False", reason: "ContainersNotReady" }],
    },
  };
  const patch = { type: "strategic", body } as const;
  await client.patch(podResource, { namespace, name }, patch, { subresource: "status" });
}

const policies = {
  None: [],
  RecreateRoleInstanceOnPodRestart: ["decode-0"],
  RecreateRBGOnPodRestart: ["decode-0", "decode-1", "prefill-0"],
} as const;

test.each(Object.entries(policies))("RG11 after a restart under %s", async (policy, replaced) => {
  const restartPolicy = policy as keyof typeof policies;
  const scenario = await groupScenario({
    sizes: { prefill: 1, decode: 2 },
    roles: { decode: { restartPolicy } },
    // That all go at once is what the policy asks for.
    expected: restartPolicy === "RecreateRBGOnPodRestart" ? [/taken out of service/] : [],
  });
  await scenario.settled();
  scenario.timeline.take();
  await restartContainer(scenario, "chat-decode-0");
  await scenario.clock.runFor(20_000);
  const deleted = scenario.timeline
    .lines()
    .flatMap((line) => /-(\S+)$/.exec(line.replace(/^\d+s /, ""))?.[1] ?? []);
  expect(deleted.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(replaced);
  const events = (await scenario.events("chat")).filter((text) => text.startsWith("PodRestarted"));
  expect(events).toHaveLength(replaced.length === 0 ? 0 : 1);
});

test("RG11 a pod that was never ready is left to its node", async () => {
  const scenario = await groupScenario({
    sizes: { decode: 1 },
    image: "web:never-ready",
    roles: { decode: { restartPolicy: "RecreateRBGOnPodRestart" } },
  });
  await scenario.clock.runFor(20_000);
  scenario.timeline.take();
  await restartContainer(scenario, "chat-decode-0");
  await scenario.clock.runFor(20_000);
  expect(scenario.timeline.lines()).toEqual([]);
});

test("RG11 what restarts again and again is replaced less and less often, also by a new operator", async () => {
  const crashing = {
    "sim.lockstep.dev/exit-after-seconds": "8",
    "sim.lockstep.dev/exit-code": "1",
  };
  const template = {
    metadata: { annotations: crashing },
    spec: { containers: [{ name: "app", image: "web:v1" }] },
  };
  const scenario = await groupScenario({
    sizes: { decode: 1 },
    roles: { decode: { restartPolicy: "RecreateRoleInstanceOnPodRestart", template } },
  });
  await scenario.clock.runFor(45_000);
  await scenario.restart();
  await scenario.clock.runFor(200_000);
  const deleted = scenario.timeline
    .lines()
    .flatMap((line) => /^(\d+)s -decode-0$/.exec(line)?.[1] ?? [])
    .map(Number);
  const waits = deleted.slice(1).map((second, index) => second - (deleted[index] ?? 0));
  expect(waits).toEqual([30, 60, 120]);
  expect((await scenario.group()).status?.restarts).toMatchObject([
    { name: "chat-decode-0", count: 4 },
  ]);
  const events = await scenario.events("chat");
  const text = "PodRestarted: a container of chat-decode-0 restarted again: the pod is replaced at";
  const times = ["00:00:41", "00:01:41", "00:03:41", "00:07:41"];
  expect(events.filter((event) => event.includes("restarted again"))).toEqual(
    times.map((time) => `${text} ${time} UTC`),
  );
});

const triggers = {
  "a pod that failed": { phase: "Failed", annotations: {}, replaced: 3 },
  "a role whose restarts are to be ignored": {
    phase: "Running",
    annotations: { "rbg.workloads.x-k8s.io/restart-trigger-policy": "Ignore" },
    replaced: 0,
  },
};

test.each(Object.entries(triggers))("RG11 %s", async (_name, { phase, annotations, replaced }) => {
  const template = {
    metadata: { annotations },
    spec: { containers: [{ name: "app", image: "web:v1" }] },
  };
  const scenario = await groupScenario({
    sizes: { prefill: 1, decode: 2 },
    roles: { decode: { restartPolicy: "RecreateRBGOnPodRestart", template } },
  });
  await scenario.settled();
  const uids = () => scenario.timeline.pods().map(({ metadata }) => metadata.uid);
  const before = new Set(uids());
  await restartContainer(scenario, "chat-decode-0", phase);
  await scenario.clock.runFor(20_000);
  expect(uids().filter((uid) => !before.has(uid))).toHaveLength(replaced);
});

test("RG7 settings without effect are an event each, once", async () => {
  const scenario = await groupScenario({
    sizes: { prefill: 1 },
    roles: { prefill: { engineRuntimes: [{ profileName: "patio" }] } },
  });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.settled();
  const events = await scenario.events("chat");
  expect(events.filter((text) => text.startsWith("SettingsWithoutEffect"))).toEqual([
    "SettingsWithoutEffect: spec.roles[prefill].engineRuntimes has no effect: write its containers into the template",
  ]);
});

test("RG10 a spec that cannot be followed changes nothing and says what is wrong", async () => {
  const scenario = await groupScenario({ sizes: { prefill: 2 } });
  await scenario.settled();
  scenario.timeline.take();
  // The server checks no templates of roleTemplates.
  await scenario.change((spec) => ({
    ...spec,
    roles: spec.roles.map(({ template: _template, ...role }) => ({
      ...role,
      templateRef: { name: "engine" },
    })),
    roleTemplates: [{ name: "engine", template: {} }],
  }));
  await scenario.clock.runFor(20_000);
  expect(scenario.timeline.lines()).toEqual([]);
  expect(await scenario.condition("Stalled")).toMatchObject({
    status: "True",
    reason: "InvalidSpec",
  });
  expect((await scenario.condition("Stalled"))?.message).toContain(
    "spec.roles[0].templateRef: Required value: the pods have no containers: add at least one",
  );
});

test("RG3 what an earlier group left behind is adopted, and its pods stay", async () => {
  const scenario = await groupScenario({ strategy: { maxSkew: "10%" } });
  await scenario.settled();
  const before = scenario.timeline.pods().map(({ metadata }) => metadata.uid);
  await scenario.client.delete(
    roleBasedGroupResource,
    { namespace, name: "chat" },
    { propagationPolicy: "Orphan" },
  );
  await scenario.clock.runFor(20_000);
  await scenario.client.create(roleBasedGroupResource, groupOf({ strategy: { maxSkew: "10%" } }));
  await scenario.settled();
  expect(scenario.timeline.pods().map(({ metadata }) => metadata.uid)).toEqual(before);
  expect((await scenario.events("chat")).some((text) => text.startsWith("OrphansAdopted"))).toBe(
    true,
  );
});

test("RG3 an object of somebody else that has a name of ours is reported and left alone", async () => {
  const scenario = await groupScenario({
    sizes: { prefill: 1 },
    name: "other",
    expected: [/ConfigMap default.chat exists already/],
  });
  await scenario.settled();
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "chat", namespace } };
  await scenario.client.create(configMapResource, {
    ...config,
    data: { mine: "yes" },
  });
  await scenario.client.create(roleBasedGroupResource, groupOf({ sizes: { prefill: 1 } }));
  await scenario.clock.runFor(20_000);
  expect((await scenario.events("chat")).find((text) => text.startsWith("NameTaken"))).toContain(
    "ConfigMap chat exists already and is controlled by nobody",
  );
  const sets = await scenario.client.list(statefulSetResource, { namespace });
  expect(sets.items.map(({ metadata }) => metadata.name)).toEqual(["other-prefill"]);
});
