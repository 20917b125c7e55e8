/** A Placement in every state that the command line knows: it has no partition, and waits for nobody but people. */
import type { ObjectKey } from "../../src/api/object.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import type { PlacementScenario } from "../builders/placement-scenario.ts";
import { inGroupsOf, placementObject, placementScenario } from "../builders/placement-scenario.ts";
import type { Stage } from "./transcript.ts";

const staged =
  (stage: (world: PlacementScenario) => Promise<void>, clusters = 6) =>
  async () => {
    const world = await placementScenario({ clusters, spec: inGroupsOf(3) });
    await world.settle();
    await stage(world);
    return world;
  };

export const paused = {
  metadata: {
    annotations: {
      "cluster.open-cluster-management.io/experimental-scheduling-disable": "true",
    },
  },
};

export const placementStages: Readonly<Record<string, Stage>> = {
  healthy: staged(async () => undefined),
  paused: staged(async ({ patchPlacement, addCluster, settle }) => {
    await patchPlacement(paused);
    await addCluster("c00000");
    await settle();
  }),
  // Decisions move within moments: what can be seen for longer is a Placement that nobody has reported on.
  progressing: staged(async ({ stopOperator, client, patchPlacement }) => {
    await stopOperator();
    await patchPlacement({ metadata: { finalizers: null } });
    await client.delete(placementResource, { namespace: "default", name: "web" });
    // As the garbage collector does, which this world is without.
    for (const { metadata } of (await client.list(placementDecisionResource)).items) {
      await client.delete(placementDecisionResource, metadata as ObjectKey);
    }
    await client.create(placementResource, placementObject("web", inGroupsOf(3)));
  }),
  "without-clusters": staged(async () => undefined, 0),
  rejected: staged(async ({ patchPlacement, settle }) => {
    await patchPlacement({ spec: { prioritizerPolicy: { mode: "Some" } } });
    await settle();
  }),
  deleting: staged(async ({ client, patchPlacement, clock }) => {
    await patchPlacement({ metadata: { finalizers: ["example.com/backup"] } });
    await client.delete(placementResource, { namespace: "default", name: "web" });
    await clock.runFor(2_000);
  }),
};
