/** A RoleBasedGroup in every state that the command line knows. */
import type { RoleBasedGroupSpec } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import type {
  RoleBasedGroupOptions,
  GroupScenario,
} from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import type { Stage } from "./transcript.ts";

export const stagedGroup = (
  strategy: RoleBasedGroupOptions["strategy"] = {},
): RoleBasedGroupOptions => ({
  strategy: { maxUnavailableRatio: "50%", ...strategy },
});

/** The server checks no templates of roleTemplates. */
export const withEmptyTemplate = (spec: RoleBasedGroupSpec): RoleBasedGroupSpec => ({
  ...spec,
  roles: spec.roles.map(({ template: _template, ...role }) => ({
    ...role,
    templateRef: { name: "engine" },
  })),
  roleTemplates: [{ name: "engine", template: {} }],
});

const staged =
  (
    stage: (world: GroupScenario) => Promise<void>,
    strategy: RoleBasedGroupOptions["strategy"] = {},
  ) =>
  async () => {
    const world = await groupScenario(stagedGroup(strategy));
    await world.settled();
    await stage(world);
    return world;
  };

export const roleBasedGroupStages: Readonly<Record<string, Stage>> = {
  healthy: staged(async ({ clock }) => {
    await clock.runFor(10_000);
  }),
  progressing: staged(
    async ({ setImage, clock }) => {
      await setImage("web:v2");
      await clock.runFor(6_500);
    },
    { maxSkew: "25%" },
  ),
  // For as long as somebody looks.
  starting: staged(
    async ({ setImage, clock }) => {
      await setImage("web:never-ready");
      await clock.runFor(30_000);
    },
    { maxSkew: "25%" },
  ),
  "paused-starting": staged(
    async ({ setImage, annotate, clock }) => {
      await setImage("web:never-ready");
      await clock.runFor(30_000);
      await annotate({ "lockstep.dev/paused": "true" });
      await clock.runFor(20_000);
    },
    { maxSkew: "25%" },
  ),
  paused: staged(async ({ setImage, annotate, clock }) => {
    await setImage("web:v2");
    await clock.runFor(3_000);
    await annotate({ "lockstep.dev/paused": "true" });
    await clock.runFor(20_000);
  }),
  "at-partition": staged(
    async ({ setImage, settled, clock }) => {
      await setImage("web:v2");
      await clock.runFor(1_000);
      await settled();
    },
    { partition: "50%" },
  ),
  "at-a-step": staged(
    async ({ setImage, clock }) => {
      await setImage("web:v2");
      await clock.runFor(60_000);
    },
    { steps: [{ roles: { decode: "50%" }, pause: {} }, { roles: { prefill: "100%" } }] },
  ),
  stalled: staged(
    async ({ setImage, clock }) => {
      await setImage("web:broken");
      await clock.runFor(90_000);
    },
    { progressDeadlineSeconds: 30 },
  ),
  rejected: staged(async ({ change, clock }) => {
    await change(withEmptyTemplate);
    await clock.runFor(10_000);
  }),
  deleting: staged(async ({ client, clock }) => {
    const key = { namespace: "default", name: "chat" };
    const body = { metadata: { finalizers: ["example.com/backup"] } };
    await client.patch(roleBasedGroupResource, key, { type: "merge", body });
    await client.delete(roleBasedGroupResource, key);
    await clock.runFor(2_000);
  }),
};
