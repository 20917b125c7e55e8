/** A StatefulSet in every state that the command line knows. */
import { statefulSetResource } from "../../src/api/apps.ts";
import { holdLease } from "../../src/cli/up-lease.ts";
import type { StatefulSetOptions, StatefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";
import type { Stage } from "./transcript.ts";

export const stagedStatefulSet = (partition = 0): StatefulSetOptions => {
  const spec = { ...rolling(2, partition), podManagementPolicy: "Parallel" as const };
  return { replicas: 5, spec };
};

const start = async (partition = 0): Promise<StatefulSetScenario> => {
  const world = await statefulSetScenario(stagedStatefulSet(partition));
  await holdLease(world.client, world.clock, ["statefulset"]);
  await world.settled();
  return world;
};

const staged =
  (stage: (world: StatefulSetScenario) => Promise<void>, partition = 0) =>
  async () => {
    const world = await start(partition);
    await stage(world);
    return world;
  };

const paused = { metadata: { annotations: { "lockstep.dev/paused": "true" } } };

export const statefulSetStages: Readonly<Record<string, Stage>> = {
  healthy: staged(async () => undefined),
  progressing: staged(async ({ setImage, clock }) => {
    await setImage("web:v2");
    await clock.runFor(7_200);
  }),
  paused: staged(async ({ patch, setImage, clock }) => {
    await setImage("web:v2");
    await clock.runFor(3_000);
    await patch(paused);
    await clock.runFor(20_000);
  }),
  "at-partition": staged(async ({ setImage, settled, clock }) => {
    await setImage("web:v2");
    await clock.runFor(1_000);
    await settled();
  }, 3),
  stalled: staged(async ({ setImage, clock }) => {
    await setImage("web:broken");
    await clock.runFor(90_000);
  }),
  "awaiting-delete": staged(async ({ patch, setImage, settled, clock }) => {
    await patch({ spec: { updateStrategy: { type: "OnDelete", rollingUpdate: null } } });
    await setImage("web:v2");
    await clock.runFor(5_000);
    await settled();
  }),
  deleting: staged(async ({ client, patch, clock }) => {
    await patch({ metadata: { finalizers: ["example.com/backup"] } });
    await client.delete(statefulSetResource, { namespace: "default", name: "web" });
    await clock.runFor(2_000);
  }),
};
