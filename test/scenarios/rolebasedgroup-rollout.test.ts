/** A group from its creation through changes: objects, order, labels, status and events. */
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { ConfigMap } from "../../src/api/config-map.ts";
import { configMapResource } from "../../src/api/config-map.ts";
import { controllerRevisionResource, statefulSetResource } from "../../src/api/apps.ts";
import { serviceResource } from "../../src/api/service.ts";
import { imageOf } from "../../src/simulation/scenario-kind.ts";
import { namespace } from "../builders/scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";

const pair = { maxUnavailableRatio: "25%", maxSkew: "25%" };

test("RG1 a group is created with its sets, services and discovery file", async () => {
  const scenario = await groupScenario({
    strategy: pair,
    roles: { prefill: { servicePorts: [{ name: "http-main", port: 8000 }, { port: 9000 }] } },
  });
  await scenario.settled();
  const { client } = scenario;
  const [decode, prefill] = (await scenario.sets()).toSorted((a, b) =>
    (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1,
  );
  expect(prefill).toMatchObject({
    metadata: { name: "chat-prefill", ownerReferences: [{ kind: "RoleBasedGroup", name: "chat" }] },
    spec: {
      replicas: 4,
      serviceName: "s-chat-prefill",
      podManagementPolicy: "Parallel",
      updateStrategy: { rollingUpdate: { partition: 0, maxUnavailable: 1 } },
      selector: {
        matchLabels: {
          "rolebasedgroup.workloads.x-k8s.io/name": "chat",
          "rolebasedgroup.workloads.x-k8s.io/role": "prefill",
        },
      },
    },
  });
  expect(decode?.metadata.name).toBe("chat-decode");
  const service = await client.get(serviceResource, { namespace, name: "s-chat-decode" });
  expect(service["spec"]).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
  const config = await client.get<ConfigMap>(configMapResource, { namespace, name: "chat" });
  expect(parse(config.data?.["config.yaml"] ?? "")).toEqual({
    group: { name: "chat", size: 2, roles: ["prefill", "decode"] },
    roles: {
      prefill: {
        size: 4,
        instances: [0, 1, 2, 3].map((ordinal) => ({
          address: `chat-prefill-${ordinal}.s-chat-prefill`,
          ports: { http_main: 8000, port9000: 9000 },
        })),
      },
      decode: {
        size: 2,
        instances: [0, 1].map((ordinal) => ({ address: `chat-decode-${ordinal}.s-chat-decode` })),
      },
    },
  });
  const [pod] = scenario.timeline.pods();
  const [container] = pod?.spec.containers ?? [];
  expect(container?.env?.map(({ name }) => name)).toEqual([
    "GROUP_NAME",
    "RBG_GROUP_NAME",
    "ROLE_NAME",
    "RBG_ROLE_NAME",
    "ROLE_INDEX",
    "RBG_ROLE_INDEX",
  ]);
  expect(container?.volumeMounts).toMatchObject([
    { name: "rbg-cluster-config", mountPath: "/etc/rbg", readOnly: true },
  ]);
  await scenario.atRest();
});

test("RG2 a role is started once the roles that it depends on are ready", async () => {
  const scenario = await groupScenario({
    sizes: { router: 1, prefill: 2, decode: 2 },
    strategy: pair,
    roles: {
      router: { dependencies: ["decode"] },
      decode: { dependencies: ["prefill"] },
      prefill: { template: { spec: { containers: [{ name: "app", image: "slow:v1" }] } } },
    },
  });
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()).toEqual(["prefill-0 slow:v1!", "prefill-1 slow:v1!"]);
  expect((await scenario.condition("Progressing"))?.message).toContain(
    "router is started once decode is ready; decode is started once prefill is ready",
  );
  await scenario.settled();
  expect(scenario.timeline.moments()).toMatchInlineSnapshot(`
    "0s
      +prefill-0 slow:v1
      +prefill-1 slow:v1
    61s
      +decode-0 web:v1
      +decode-1 web:v1
    64s
      +router-0 web:v1"
  `);
  // A coordinated update does not wait for dependencies.
  scenario.timeline.take();
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect(scenario.timeline.moments()).toMatchInlineSnapshot(`
    "0s
      -decode-1
      -prefill-1
      -router-0
    1s
      +decode-1 web:v2
      +prefill-1 web:v2
      +router-0 web:v2
    4s
      -decode-0
      -prefill-0
    5s
      +decode-0 web:v2
      +prefill-0 web:v2"
  `);
});

test("RG3 what no role has any more is removed, and what a role gets is added", async () => {
  const scenario = await groupScenario({ sizes: { prefill: 2, decode: 1 } });
  await scenario.settled();
  await scenario.change((spec) => ({
    ...spec,
    roles: [
      ...spec.roles.filter(({ name }) => name !== "decode"),
      { ...spec.roles[0]!, name: "verify", replicas: 1 },
    ],
  }));
  await scenario.settled();
  await scenario.clock.runFor(20_000);
  expect(scenario.drawing()).toEqual(["prefill-0 web:v1", "prefill-1 web:v1", "verify-0 web:v1"]);
  const services = (await scenario.client.list(serviceResource, { namespace })).items;
  const names = services
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== "kubernetes");
  expect(new Set(names)).toEqual(new Set(["s-chat-prefill", "s-chat-verify"]));
});

test("RG4 an image change moves both roles side by side, highest ordinals first", async () => {
  const scenario = await groupScenario({ strategy: pair });
  await scenario.settled();
  scenario.timeline.take();
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.timeline.moments()).toMatchInlineSnapshot(`
    "0s
      -decode-1
      -prefill-3
    1s
      +decode-1 web:v2
      +prefill-3 web:v2
    4s
      -prefill-2
    5s
      +prefill-2 web:v2
    8s
      -decode-0
      -prefill-1
    9s
      +decode-0 web:v2
      +prefill-1 web:v2
    12s
      -prefill-0
    13s
      +prefill-0 web:v2"
  `);
  const reasons = (await scenario.events("chat")).map((text) => text.replace(/:.*/, ""));
  expect(reasons).toEqual([
    "RolesStarting",
    "RolloutProgressing",
    "RolloutCompleted",
    "RolloutStarted",
    "RolloutProgressing",
  ]);
});

test("RG5 going back gives every pod the label it had, and records no third revision", async () => {
  const scenario = await groupScenario({ strategy: pair });
  await scenario.settled();
  await scenario.atRest();
  const before = scenario.labels();
  expect(new Set(Object.values(before)).size).toBe(1);
  await scenario.setImage("web:v2");
  await scenario.settled();
  await scenario.atRest();
  const between = scenario.labels();
  expect(new Set([...Object.values(before), ...Object.values(between)]).size).toBe(2);
  await scenario.setImage("web:v1");
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.labels()).toEqual(before);
  const { items } = await scenario.client.list(controllerRevisionResource, { namespace });
  const ours = items.filter(
    ({ metadata }) => metadata.ownerReferences?.[0]?.kind === "RoleBasedGroup",
  );
  expect(new Set(ours.map((each) => each["revision"]))).toEqual(new Set([2, 3]));
  const { status } = await scenario.group();
  expect(status?.currentRevision).toBe(status?.updateRevision);
});

test("RG6 an edit of one role restarts only that role; the other is relabelled in proportion", async () => {
  const scenario = await groupScenario({
    sizes: { prefill: 6, decode: 3 },
    strategy: { maxUnavailableRatio: "20%", maxSkew: "20%" },
  });
  await scenario.settled();
  await scenario.atRest();
  const [old] = Object.values(scenario.labels());
  const seen: string[] = [];
  scenario.timeline.always(() => {
    const counts = new Map<string, number>();
    for (const [name, value] of Object.entries(scenario.labels())) {
      if (value === undefined) continue;
      const key = `${name.split("-")[0]} ${value === old ? "old" : "new"}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const text = [...counts]
      .map(([key, count]) => `${key} ${count}`)
      .toSorted()
      .join(", ");
    if (seen.at(-1) !== text) seen.push(text);
  });
  scenario.timeline.take();
  await scenario.setImage("web:v2", "prefill");
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.timeline.lines().filter((line) => line.includes("decode"))).toEqual([]);
  expect(seen).toMatchInlineSnapshot(`
    [
      "decode old 3, prefill old 5",
      "decode old 3, prefill new 1, prefill old 5",
      "decode new 1, decode old 2, prefill new 1, prefill old 5",
      "decode new 1, decode old 2, prefill new 1, prefill old 4",
      "decode new 1, decode old 2, prefill new 2, prefill old 4",
      "decode new 1, decode old 2, prefill new 2, prefill old 3",
      "decode new 1, decode old 2, prefill new 3, prefill old 3",
      "decode new 1, decode old 2, prefill new 3, prefill old 2",
      "decode new 1, decode old 2, prefill new 4, prefill old 2",
      "decode new 2, decode old 1, prefill new 4, prefill old 2",
      "decode new 2, decode old 1, prefill new 4, prefill old 1",
      "decode new 2, decode old 1, prefill new 5, prefill old 1",
      "decode new 2, decode old 1, prefill new 5",
      "decode new 2, decode old 1, prefill new 6",
      "decode new 3, prefill new 6",
    ]
  `);
});

test("RG7 the spec's settings reach the sets, and a hand on a set is undone", async () => {
  const scenario = await groupScenario({ sizes: { prefill: 3 } });
  await scenario.settled();
  const key = { namespace, name: "chat-prefill" };
  const patch = { type: "merge", body: { spec: { replicas: 1 } } } as const;
  await scenario.client.patch(statefulSetResource, key, patch);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  expect(scenario.drawing()).toHaveLength(3);
  expect(scenario.timeline.pods().map(imageOf)).toEqual(["web:v1", "web:v1", "web:v1"]);
});
