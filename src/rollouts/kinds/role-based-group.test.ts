/** A RoleBasedGroup seen and steered, from objects as its controller writes them. */
import { expect, test } from "vitest";
import type { Pod } from "../../api/pod.ts";
import type { IntOrPercent } from "../../api/int-or-percent.ts";
import { nextPartition } from "../steering/role-partitions.ts";
import { roleBasedGroupSteering } from "../steering/role-based-group.ts";
import { podsOf } from "../view.ts";
import { explain, explainPod } from "../why.ts";
import { rolloutView } from "../compose.ts";
import type { Group } from "./role-based-group.ts";
import { roleBasedGroupRollout } from "./role-based-group.ts";

const kind = { ...roleBasedGroupRollout, steering: roleBasedGroupSteering };
const prefix = "rolebasedgroup.workloads.x-k8s.io";
const nowMs = Date.parse("2026-01-01T00:01:00Z");

const role = (name: string, tag: string, replicas = 2) => ({
  name,
  replicas,
  template: { spec: { containers: [{ name: "engine", image: `engine:${tag}` }] } },
});

const revision = (number: number, tag: string, hash: string) => ({
  metadata: { name: `chat-${hash}` },
  revision: number,
  data: {
    format: 1,
    hash,
    roleHashes: { prefill: `${hash}p`, decode: `${hash}d` },
    spec: {
      roles: ["prefill", "decode"].map((name) => {
        const { replicas: _size, ...rest } = role(name, tag);
        return rest;
      }),
    },
  },
});

const pod = (name: string, owner: string, hash: string, isReady = true): Pod => ({
  metadata: { name, labels: { [`${prefix}/role`]: owner, [`${prefix}/role-revision`]: hash } },
  spec: { containers: [{ name: "engine" }], nodeName: "node-1" },
  status: {
    phase: "Running",
    conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
    containerStatuses: isReady
      ? []
      : [
          {
            name: "engine",
            ready: false,
            restartCount: 0,
            image: "",
            imageID: "",
            state: { waiting: { reason: "ImagePullBackOff", message: "not found" } },
          },
        ],
  },
});

const group = (changes: Partial<Group["status"]> = {}, annotations = {}): Group => ({
  metadata: {
    name: "chat",
    namespace: "default",
    generation: 2,
    resourceVersion: "7",
    annotations,
  },
  spec: {
    roles: [role("prefill", "v2", 4), role("decode", "v2")],
    coordination: [
      {
        name: "pair",
        roles: ["prefill", "decode"],
        strategy: { maxUnavailableRatio: "50%", partition: "50%" },
      },
    ],
  },
  status: {
    observedGeneration: 2,
    conditions: [
      {
        type: "Progressing",
        status: "True",
        reason: "RoleFailing",
        message: "decode waits for chat-decode-1; chat-decode-1: ImagePullBackOff: not found",
        lastTransitionTime: "2026-01-01T00:00:30Z",
      },
    ],
    roleStatuses: [
      { name: "prefill", availableReplicas: 4, updatedReplicas: 1 },
      { name: "decode", availableReplicas: 1, updatedReplicas: 1 },
    ],
    currentRevision: "chat-a",
    updateRevision: "chat-b",
    ...changes,
  },
});

/** The StatefulSet of a role records revisions under the label of the group. */
const ofARole = {
  metadata: { name: "chat-prefill-77c" },
  revision: 3,
  data: { spec: { template: { spec: { containers: [] } } } },
};

const related = {
  revisions: [revision(1, "v1", "a"), revision(2, "v2", "b"), ofARole],
  pods: [
    pod("chat-prefill-0", "prefill", "ap"),
    pod("chat-prefill-1", "prefill", "ap"),
    pod("chat-prefill-2", "prefill", "ap"),
    pod("chat-prefill-3", "prefill", "bp"),
    pod("chat-decode-0", "decode", "ad"),
    pod("chat-decode-1", "decode", "bd", false),
  ],
};

const viewOf = (object: Group) =>
  rolloutView(kind, { object, related, nowMs, events: [], gaps: [] });

test("CO2 CO3 budget and partition are those of the coordination that updates the role", () => {
  const { spec, ...rest } = group();
  const [pair] = spec.coordination ?? [];
  const near = {
    name: "near",
    roles: ["prefill", "decode"],
    strategy: { affinityScheduling: { ratios: { prefill: 2, decode: 1 } } },
  };
  const scaling = { ...near, name: "together", strategy: { scaling: { maxSkew: "10%" } } };
  const coordination = [near, scaling, ...(pair === undefined ? [] : [pair])];
  const view = viewOf({ ...rest, spec: { ...spec, coordination } });
  expect(view.progress).toMatchObject({ total: 3 });
  expect(view.nodes.map(({ budget }) => budget?.unavailable.allowed)).toEqual([2, 1]);
  expect(view.coordinations?.map(({ name }) => name)).toEqual(["pair"]);
  const alone = viewOf({ ...rest, spec: { ...spec, coordination: [near, scaling] } });
  expect(alone.progress).toMatchObject({ total: 6 });
  expect(alone.coordinations).toBeUndefined();
});

test("CO2 a rollout that is taken back concerns every pod, whatever the partition keeps", () => {
  const { status, ...rest } = group();
  const back = { ...rest, status: { ...status, updateRevision: "chat-a" } } as Group;
  expect(viewOf(back).progress).toMatchObject({ total: 6 });
});

test("CO6 roles with their pods, revisions and budgets, and why they wait", () => {
  const view = viewOf(group());
  expect(view).toMatchObject({
    state: "Progressing",
    counts: { unit: "pod", desired: 6, available: 5, updated: 2 },
    // The partition keeps half of each role.
    progress: { done: 1, total: 3 },
    changes: "decode engine image v1 -> v2, prefill engine image v1 -> v2",
    current: { name: "chat-a", number: 1 },
    target: { name: "chat-b", number: 2 },
  });
  expect(
    view.nodes.map(({ label, health, budget }) => [label, health, budget?.unavailable]),
  ).toEqual([
    ["prefill", "available", { used: 0, allowed: 2 }],
    ["decode", "broken", { used: 1, allowed: 1 }],
  ]);
  const why = explain(view);
  expect(why).toMatchObject({
    rule: { number: "CO6" },
    waitsFor: [{ name: "chat-decode-1", cause: "ImagePullBackOff: not found" }],
  });
  expect(why.commands.map(({ command }) => command)).toEqual([
    "lockstep undo rolebasedgroup/chat --to-revision 1",
    "lockstep set image rolebasedgroup/chat decode/engine=IMAGE",
  ]);
});

test("CO6 an outdated pod that serves waits for the role that fails, and what frees that frees it", () => {
  const view = viewOf(group());
  const why = (name: string) =>
    explainPod(
      view,
      podsOf(view.nodes).find((node) => node.name === name)!,
    );
  expect(why("chat-prefill-0")).toMatchObject({
    state: "Healthy",
    rule: { number: "CO6" },
    freedBy: "an image that can be pulled",
    commands: explain(view).commands,
  });
  // It has what was asked for.
  expect(why("chat-prefill-3").freedBy).not.toContain("image");
});

test("RG8 roles that no coordination updates halt nobody", () => {
  const { spec, ...rest } = group();
  const alone = viewOf({ ...rest, spec: { ...spec, coordination: [] } });
  expect(explain(alone)).toMatchObject({
    rule: { number: "RG8" },
    waitsFor: [{ name: "chat-decode-1" }],
  });
});

test("CO9 pauses of steps are no pace to make an estimate of", () => {
  const { spec, ...rest } = group();
  const healthy = { ...related, pods: [pod("chat-decode-1", "decode", "bd")] };
  const startedWith = (pause: object) => {
    const strategy = { steps: [{ roles: { decode: "50%" }, ...pause }] };
    const coordination = [{ name: "pair", roles: ["prefill", "decode"], strategy }];
    const object = { ...rest, spec: { ...spec, coordination } };
    const view = rolloutView(kind, { object, related: healthy, nowMs, events: [], gaps: [] });
    return view.progress?.startedAt;
  };
  expect(startedWith({})).toBe("2026-01-01T00:00:30Z");
  expect(startedWith({ pause: { seconds: 60 } })).toBeUndefined();
});

test("RG5 how long the way there took is no pace of the way back", () => {
  const healthy = {
    ...related,
    pods: [pod("chat-decode-0", "decode", "ad"), pod("chat-decode-1", "decode", "bd")],
  };
  const startedOf = (changes: Partial<Group["status"]>) => {
    const object = group(changes);
    const view = rolloutView(kind, { object, related: healthy, nowMs, events: [], gaps: [] });
    return view.progress?.startedAt;
  };
  expect(startedOf({})).toBe("2026-01-01T00:00:30Z");
  expect(startedOf({ updateRevision: "chat-a" })).toBeUndefined();
});

test("CO9 a step that waits for a person is passed by what the status says", () => {
  const awaiting = group({
    conditions: [
      { type: "Progressing", status: "False", reason: "AwaitingPromotion", message: "step 1 of 2" },
    ],
    coordinationState: [{ name: "pair", promotion: "pair:b:1" }],
  });
  expect(viewOf(awaiting).state).toBe("Paused");
  expect(explain(viewOf(awaiting)).commands[0]?.command).toBe(
    "lockstep promote rolebasedgroup/chat",
  );
  const steer = roleBasedGroupSteering.promote({ object: awaiting, related, nowMs }, false);
  expect(steer).toMatchObject({
    patch: { body: { metadata: { annotations: { "lockstep.dev/promote": "pair:b:1" } } } },
  });
});

test("undo restores the roles of a revision and keeps their sizes", () => {
  const steer = roleBasedGroupSteering.undo({ object: group(), related, nowMs }, undefined);
  expect(steer).toMatchObject({
    kind: "change",
    takeBack: "lockstep undo rolebasedgroup/chat --to-revision 2",
    patch: {
      type: "merge",
      body: {
        metadata: { resourceVersion: "7" },
        spec: { roles: [role("prefill", "v1", 4), role("decode", "v1", 2)], coordination: null },
      },
    },
  });
});

test("undo says which coordination settings come back with a revision", () => {
  const now = group();
  const [first, ...others] = related["revisions"] as ReturnType<typeof revision>[];
  const strategy = { maxSkew: "1%", partition: "80%" };
  const spec = { ...first?.data.spec, coordination: [{ name: "pair", strategy }] };
  const recorded = { ...first, data: { ...first?.data, spec } };
  const changed = { ...related, revisions: [recorded, ...others] } as unknown as typeof related;
  expect(roleBasedGroupSteering.undo({ object: now, related: changed, nowMs }, 1)).toMatchObject({
    notes: [
      expect.stringContaining('comes back with it: pair {"maxSkew":"1%","partition":"80%"}; now'),
    ],
  });
});

test.each<[IntOrPercent, readonly number[], IntOrPercent]>([
  ["50%", [4, 2], "25%"],
  ["25%", [4, 2], "0%"],
  ["80%", [200, 100], "79%"],
  // Below 100% one unit of each role goes.
  ["100%", [4, 2], "99%"],
  ["30%", [1], "0%"],
  [3, [4, 2], 2],
  // More than there is keeps all.
  [9, [4, 2], 3],
  [1, [], 0],
])("CO2 the next partition below %s of %j is %s", (from, sizes, want) => {
  expect(nextPartition(from, sizes)).toBe(want);
});

test("set image, restart and a full promotion hold only while things are where they were seen", () => {
  const subject = { object: group(), related, nowMs };
  const change = [{ component: "decode", container: "engine", image: "engine:v3" }];
  expect(roleBasedGroupSteering.setImage(subject, change)).toMatchObject({
    patch: {
      operations: [
        { op: "test", path: "/spec/roles/1/template/spec/containers/0/name", value: "engine" },
        {
          op: "replace",
          path: "/spec/roles/1/template/spec/containers/0/image",
          value: "engine:v3",
        },
      ],
    },
  });
  expect(roleBasedGroupSteering.promote(subject, true)).toMatchObject({
    patch: {
      operations: [
        { op: "test", path: "/spec/coordination/0/strategy/partition", value: "50%" },
        { op: "replace", path: "/spec/coordination/0/strategy/partition", value: 0 },
      ],
    },
  });
  expect(roleBasedGroupSteering.promote(subject, false)).toMatchObject({
    did: "promoted: the partition of pair is 25% now, it was 50%",
    patch: {
      operations: [
        { op: "test", path: "/spec/coordination/0/strategy/partition", value: "50%" },
        { op: "replace", path: "/spec/coordination/0/strategy/partition", value: "25%" },
      ],
    },
  });
  const restart = roleBasedGroupSteering.restart(subject);
  expect(JSON.stringify(restart)).toContain(
    '"kubectl.kubernetes.io/restartedAt":"2026-01-01T00:01:00Z"',
  );
});
