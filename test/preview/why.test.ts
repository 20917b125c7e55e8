/** `lockstep why` of every kind in every state, and of their pods. */
import { describe, expect, test } from "vitest";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import { edited } from "../../src/preview/edit.ts";
import type { Explanation } from "../../src/rollouts/why.ts";
import { cliOf } from "../builders/cli.ts";
import { inGroupsOf, placementObject, placementScenario } from "../builders/placement-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import type { GroupScenario, GroupScenarioOptions } from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";

type World = Parameters<typeof cliOf>[0];

async function why(world: World, what: string): Promise<Explanation> {
  const { code, text } = await cliOf(world).lockstep(`why ${what} -o json`);
  expect({ code, text: code === 0 ? "" : text }).toEqual({ code: 0, text: "" });
  return JSON.parse(text) as Explanation;
}

const half = { prefill: "50%", decode: "50%" };
const all = { prefill: "100%", decode: "100%" };
const awaiting = { steps: [{ roles: half, pause: {} }, { roles: all }] };

interface GroupCase {
  readonly options?: GroupScenarioOptions;
  readonly after?: (world: GroupScenario) => Promise<unknown>;
  readonly seconds?: number;
  readonly want: object;
}

const command = (text: string): object => ({ command: expect.stringContaining(text) as string });

const groups: Readonly<Record<string, GroupCase>> = {
  "RO7 a finished group": {
    want: { state: "Healthy", waitsFor: [], rule: { number: "RO7" }, commands: [] },
  },
  "RO5 a group on its way names the pod that it waits for": {
    after: (world) => world.setImage("web:v2"),
    seconds: 2,
    want: {
      state: "Progressing",
      waitsFor: [{ name: expect.stringMatching(/^chat-(prefill|decode)-\d$/) as string }, {}],
      doing: expect.stringContaining("prefill app image v1 -> v2") as string,
    },
  },
  "RO12 a paused group is freed by a resume": {
    after: async (world) => {
      await world.annotate({ "lockstep.dev/paused": "true" });
      await world.setImage("web:v2");
    },
    seconds: 20,
    want: {
      state: "Paused",
      rule: { number: "RO12" },
      commands: [command("lockstep resume rolebasedgroup/chat")],
    },
  },
  "CO9 a step that waits for a promotion": {
    options: { strategy: awaiting },
    after: (world) => world.setImage("web:v2"),
    seconds: 60,
    want: {
      state: "Paused",
      rule: { number: "CO9" },
      commands: [command("lockstep promote rolebasedgroup/chat"), command("lockstep undo")],
    },
  },
  "RO13 a partition that is reached": {
    options: { strategy: { partition: "50%" } },
    after: (world) => world.setImage("web:v2"),
    seconds: 60,
    want: { state: "AtPartition", rule: { number: "RO13" } },
  },
  "CO6 a role that fails, and what to do about it": {
    options: { strategy: { maxSkew: "25%" } },
    after: (world) => world.setImage("web:broken", "decode"),
    seconds: 60,
    want: {
      waitsFor: [
        {
          name: expect.stringContaining("chat-decode-") as string,
          health: "broken",
          cause: expect.stringMatching(/ImagePull/) as string,
        },
      ],
      freedBy: "an image that can be pulled",
      commands: [command("lockstep undo rolebasedgroup/chat"), command("lockstep set image")],
    },
  },
};

test.each(Object.entries(groups))("%s", async (_what, { options, after, seconds = 0, want }) => {
  const world = await groupScenario(options);
  await world.settled();
  await after?.(world);
  await world.clock.runFor(seconds * 1000);
  expect(await why(world, "rbg/chat")).toMatchObject(want);
});

test("CO6 a pod of a role says why it was replaced, and why another one was not", async () => {
  const world = await groupScenario({ strategy: awaiting });
  await world.settled();
  await world.setImage("web:v2");
  await world.clock.runFor(60_000);
  expect(await why(world, "pod/chat-prefill-3")).toMatchObject({
    object: { kind: "Pod", name: "chat-prefill-3" },
    state: "Healthy",
    doing: expect.stringMatching(/was created for revision .* in place of a pod of/) as string,
    notes: [
      expect.stringContaining("it belongs to rolebasedgroup/chat, which is Paused") as string,
      expect.stringContaining("last heard of the pod before it: Killing: ") as string,
    ],
  });
  expect(await why(world, "pod/chat-prefill-0")).toMatchObject({
    doing: expect.stringContaining("is outdated") as string,
  });
});

/** A set of pods, and one of replicas: what each says in the same state. */
const states: Readonly<Record<string, SetCase>> = {
  "RO7 healthy": {
    want: {
      state: "Healthy",
      since: expect.any(String) as string,
      waitsFor: [],
      rule: { number: "RO7" },
      freedBy: "nothing: it has all that was asked for",
      commands: [],
    },
  },
  "RO12 paused": {
    pause: true,
    image: "web:v2",
    want: {
      state: "Paused",
      rule: { number: "RO12" },
      commands: [command("lockstep resume")],
    },
  },
  "RO1 on its way": {
    image: "web:v2",
    seconds: 2,
    want: {
      state: "Progressing",
      since: expect.any(String) as string,
      doing: expect.stringContaining("app image v1 -> v2") as string,
      waitsFor: [{ name: expect.stringMatching(/-\d$/) as string }],
    },
  },
  "RO7 finished": {
    image: "web:v2",
    seconds: 120,
    want: { state: "Healthy", doing: expect.stringContaining("revision 2 (") as string },
  },
  "RO3 stalled": {
    image: "web:broken",
    seconds: 900,
    want: {
      state: "Stalled",
      since: expect.any(String) as string,
      waitsFor: [
        { health: "broken", cause: expect.stringContaining("ImagePullBackOff") as string },
      ],
      freedBy: "an image that can be pulled",
      commands: [command("lockstep undo"), command("lockstep set image")],
    },
  },
};

interface SetCase {
  readonly pause?: boolean;
  readonly image?: string;
  readonly seconds?: number;
  readonly want: object;
}

const pausing = { metadata: { annotations: { "lockstep.dev/paused": "true" } } };

describe("a StatefulSet", () => {
  test.each(Object.entries(states))("%s", async (_what, { pause, image, seconds = 30, want }) => {
    const world = await statefulSetScenario();
    await world.settled();
    if (pause === true) await world.patch(pausing);
    if (image !== undefined) await world.setImage(image);
    await world.clock.runFor(seconds * 1000);
    expect(await why(world, "sts/web")).toMatchObject(want);
  });
});

describe("a PodCliqueSet", () => {
  const web = { containers: [{ name: "app", image: "web:v1" }] };
  const start = async () => {
    const strategy = { type: "RollingUpdate", progressDeadlineSeconds: 600 } as const;
    const cliques = { front: { replicas: 2, podSpec: web } };
    const world = await podCliqueSetScenario({ strategy, cliques });
    await world.settled();
    return world;
  };
  const change = async (
    world: World & Pick<GroupScenario, "client">,
    fields: readonly string[],
  ) => {
    const key = { namespace: "default", name: "chat" };
    const current = await world.client.get(podCliqueSetResource, key);
    await world.client.update(podCliqueSetResource, edited(current, { images: [], fields }));
  };
  const image = "spec.template.cliques.front.spec.podSpec.containers.app.image";

  test.each(Object.entries(states))(
    "%s",
    async (_what, { pause, image: to, seconds = 30, want }) => {
      const world = await start();
      const paused = pause === true ? ["spec.updateStrategy.paused=true"] : [];
      await change(world, [...paused, ...(to === undefined ? [] : [`${image}=${to}`])]);
      await world.clock.runFor(seconds * 1000);
      expect(await why(world, "pcs/chat")).toMatchObject(want);
    },
  );

  test("PS11 rejected: what is wrong, and that the accepted spec stays in force", async () => {
    const world = await start();
    await change(world, [
      `spec.template.cliques.front.annotations={"notes":"${"x".repeat(256 * 1024)}"}`,
    ]);
    await world.clock.runFor(30_000);
    expect(await why(world, "pcs/chat")).toMatchObject({
      state: "Rejected",
      since: expect.any(String) as string,
      doing: expect.stringContaining("Too long") as string,
      rule: { number: "PS11" },
      freedBy: "a corrected spec",
      commands: [command("kubectl edit podcliqueset/chat")],
    });
  });

  test("RO7 a pod says what it was created for, and in place of what", async () => {
    const world = await start();
    await change(world, [`${image}=web:v2`]);
    await world.clock.runFor(120_000);
    expect(await why(world, "pod/chat-0-front-0")).toMatchObject({ doing: replaced });
  });
});

const replacedPod = (of: string): string =>
  expect.stringMatching(
    new RegExp(
      String.raw`was created for revision 2 \(.*\) in place of a pod of 1 \(.*\): (${of} )?app image v1 -> v2$`,
    ),
  ) as string;
const replaced = replacedPod("front");

describe("why web-1 was replaced, when all is over", () => {
  const rolledOut = async () => {
    const world = await statefulSetScenario();
    await world.settled();
    await world.setImage("web:v2");
    await world.clock.runFor(120_000);
    return world;
  };

  test("RO7 by an update: the pod before it is older than the revision", async () => {
    expect(await why(await rolledOut(), "pod/web-1")).toMatchObject({
      state: "Healthy",
      doing: replaced,
      notes: [
        expect.stringContaining("it belongs to statefulset/web, which is Healthy") as string,
        expect.stringMatching(/^last heard of the pod before it: Killing: Stopping/) as string,
      ],
    });
  });

  test("RO4 not by an update: only its end is reported", async () => {
    const world = await rolledOut();
    await world.deletePod("web-1");
    await world.clock.runFor(60_000);
    expect(await why(world, "pod/web-1")).toMatchObject({
      doing: expect.stringMatching(/was created for revision 2 \([^)]*\)$/) as string,
      notes: [expect.anything(), expect.stringContaining("Killing: Stopping container") as string],
    });
  });

  test("RO9 a pod that replaced nothing has nothing before it", async () => {
    const world = await rolledOut();
    await world.patch({ spec: { replicas: 4 } });
    await world.clock.runFor(60_000);
    const { doing, notes } = await why(world, "pod/web-3");
    expect(doing).toMatch(/was created for revision 2 \([^)]*\)$/);
    expect(notes).toHaveLength(1);
  });
});

test("RG6 a pod whose role did not change was not replaced", async () => {
  const world = await groupScenario({ strategy: { maxSkew: "25%" } });
  await world.settled();
  await world.clock.runFor(30_000);
  await world.setImage("web:v2", "decode");
  await world.clock.runFor(120_000);
  const { doing } = await why(world, "pod/chat-prefill-3");
  expect(doing).toMatch(
    /^chat-prefill-3 moved on to revision 2 \(.*\) as it is: it was there before/,
  );
  expect(await why(world, "pod/chat-decode-0")).toMatchObject({ doing: replacedPod("decode") });
});

test("PL1 a Placement that lists all it selects, and one that nothing is bound to", async () => {
  const world = await placementScenario({ clusters: 4, spec: inGroupsOf(2) });
  await world.settle();
  expect(await why(world, "placement/web")).toMatchObject({ state: "Healthy", waitsFor: [] });
  const unbound = await placementScenario({ clusters: 4, isUnbound: true, spec: null });
  await unbound.client.create(placementResource, placementObject("web"));
  await unbound.settle();
  const explained = await why(unbound, "placement/web");
  expect(JSON.stringify(explained)).toMatch(/ManagedClusterSetBinding/);
});
