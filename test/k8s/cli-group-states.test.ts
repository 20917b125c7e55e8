/** RoleBasedGroups and Placements in every state, on a real API server as on the embedded one. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../../src/api/ocm/managed-cluster.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import type {
  RoleBasedGroup,
  RoleBasedGroupSpec,
  WrittenCoordination,
} from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { clusters } from "../builders/placement.ts";
import {
  bindingOf,
  clusterOf,
  inGroupsOf,
  placementObject,
  setName,
  setOf,
} from "../builders/placement-scenario.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import { paused, placementStages } from "../cli/placement-stages.ts";
import {
  roleBasedGroupStages,
  stagedGroup,
  withEmptyTemplate,
} from "../cli/role-based-group-stages.ts";
import { namespace, until } from "./real-cluster.ts";
import type { RealStates } from "./real-states.ts";
import { realStates } from "./real-states.ts";

let states: RealStates;

beforeAll(async () => {
  states = await realStates({
    brokenImages: ["web:broken"],
    neverReadyImages: ["web:never-ready"],
  });
});

afterAll(() => states.stop());

const isHealthy = (rollout: string) => async (): Promise<boolean> =>
  (await states.lockstep(`status ${rollout}`)).text.startsWith(`${rollout}: Healthy`);

test("a RoleBasedGroup in every state that it knows", async () => {
  expect.hasAssertions();
  const asked = { rollout: "rolebasedgroup/chat", image: "decode/app=web:v3" };
  const seen = async (state: string): Promise<void> =>
    states.expectSame(`rolebasedgroup-${state}`, roleBasedGroupStages[state], asked);
  const key = { namespace, name: "chat" };
  const start = async (strategy?: WrittenCoordination["strategy"]): Promise<void> => {
    await states.client.create(roleBasedGroupResource, groupOf(stagedGroup(strategy)));
    await until("it is healthy", isHealthy("rolebasedgroup/chat"), 60_000);
  };
  const patch = (body: object) =>
    states.client.patch(roleBasedGroupResource, key, { type: "merge", body });
  const change = async (next: (spec: RoleBasedGroupSpec) => RoleBasedGroupSpec): Promise<void> => {
    const { spec } = await states.client.get<RoleBasedGroup>(roleBasedGroupResource, key);
    await patch({ spec: next(spec) });
  };
  const setImage = (image: string) =>
    change((spec) => ({
      ...spec,
      roles: spec.roles.map((role) => ({
        ...role,
        template: { spec: { containers: [{ name: "app", image }] } },
      })),
    }));
  const remove = () => states.remove(roleBasedGroupResource, "chat");

  await start();
  await seen("healthy");
  await change(withEmptyTemplate);
  await seen("rejected");
  await remove();
  await start({ maxSkew: "25%" });
  await setImage("web:never-ready");
  await seen("starting");
  await patch({ metadata: { annotations: { "lockstep.dev/paused": "true" } } });
  await seen("paused-starting");
  await remove();
  await start({ partition: "50%" });
  await setImage("web:v2");
  await seen("at-partition");
  await remove();
  await start({
    steps: [{ roles: { decode: "50%" }, pause: {} }, { roles: { prefill: "100%" } }],
  });
  await setImage("web:v2");
  await seen("at-a-step");
  await remove();
  await start({ progressDeadlineSeconds: 30 });
  await setImage("web:broken");
  await seen("stalled");
  await remove();
  await start();
  await states.deleteHeld(roleBasedGroupResource, "chat");
  await seen("deleting");
  await remove();
}, 600_000);

test("a Placement in every state that it knows", async () => {
  const { client } = states;
  const asked = { rollout: "placement/web", image: "app=web:v3" };
  const seen = async (state: string): Promise<void> =>
    states.expectSame(`placement-${state}`, placementStages[state], asked);
  const key = { namespace, name: "web" };
  const create = () => client.create(placementResource, placementObject("web", inGroupsOf(3)));
  const patch = (body: object) => client.patch(placementResource, key, { type: "merge", body });
  const isWithoutDecisions = async (): Promise<boolean> =>
    (await client.list(placementDecisionResource, { namespace })).items.length === 0;
  /** With its decisions, which the next Placement of the name would take over instead of reporting new ones. */
  const remove = async (): Promise<void> => {
    await states.remove(placementResource, "web");
    await until("its decisions are gone", isWithoutDecisions, 90_000);
  };

  await client.create(clusterSetResource, setOf(setName));
  await client.create(clusterSetBindingResource, bindingOf(setName));
  await create();
  await seen("without-clusters");
  await remove();
  for (const name of clusters(1, 6)) await client.create(managedClusterResource, clusterOf(name));
  await create();
  await seen("healthy");
  await patch({ spec: { prioritizerPolicy: { mode: "Some" } } });
  await seen("rejected");
  await remove();
  await create();
  await until("it is healthy", isHealthy("placement/web"));
  await patch(paused);
  await client.create(managedClusterResource, clusterOf("c00000"));
  await seen("paused");
  await client.delete(managedClusterResource, { name: "c00000" });
  await remove();
  await create();
  await until("it is healthy", isHealthy("placement/web"));
  await states.deleteHeld(placementResource, "web");
  await seen("deleting");
  await remove();
  await states.stopOperator();
  await create();
  await seen("progressing");
  await states.startOperator();
  await until("it is healthy", isHealthy("placement/web"));
  await remove();
  expect((await states.lockstep("list")).text).toBe("! no rollouts found in namespace default");
}, 300_000);
