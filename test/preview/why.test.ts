/** `lockstep why` of RoleBasedGroups and Placements in every state, and of their pods. */
import { expect, test } from "vitest";
import { placementResource } from "../../src/api/ocm/placement.ts";
import type { Explanation } from "../../src/rollouts/why.ts";
import { cliOf } from "../builders/cli.ts";
import { inGroupsOf, placementObject, placementScenario } from "../builders/placement-scenario.ts";
import type { GroupScenario, GroupScenarioOptions } from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";

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
    ],
  });
  expect(await why(world, "pod/chat-prefill-0")).toMatchObject({
    doing: expect.stringContaining("is outdated") as string,
  });
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
