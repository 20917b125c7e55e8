/** Rollouts: budgets, broken updates, OnDelete, pause, minReadySeconds, and pods that will not go. */
import { expect } from "vitest";
import type { StatefulSet } from "../../../src/api/apps.ts";
import { rolling } from "../../builders/stateful-set-scenario.ts";
import type { StatefulSetScripts } from "./script.ts";

const parallel = { podManagementPolicy: "Parallel" } as const;

const conditionOf = ({ status }: StatefulSet, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);

export const updates: StatefulSetScripts = {
  "ST2 five replicas, two at a time under OrderedReady: never more than two are down": async (
    stage,
  ) => {
    await stage.createAndWait({ replicas: 5, spec: rolling(2) });
    const guard = stage.guard();
    await stage.setImage("web:v2");
    const { status } = await stage.rolledOut();
    expect(status).toMatchObject({ updatedReplicas: 5, currentReplicas: 5 });
    expect(guard.fewest).toBe(3);
    expect(await stage.drawing()).toBe("0:v2 1:v2 2:v2 3:v2 4:v2");
  },

  "ST4 ST8 six replicas from 2 on, partition 3, two at a time: the upper three go": async (
    stage,
  ) => {
    const spec = { ...parallel, ...rolling(2, 3), ordinals: { start: 2 } };
    await stage.createAndWait({ replicas: 6, spec });
    const guard = stage.guard();
    await stage.setImage("web:v2");
    await stage.looksLike("2:v1 3:v1 4:v1 5:v2 6:v2 7:v2");
    const { status } = await stage.statusIs(
      "it reports three and three",
      ({ status: now }) => now?.updatedReplicas === 3 && now.readyReplicas === 6,
    );
    expect(status?.currentReplicas).toBe(3);
    expect(status?.currentRevision).not.toBe(status?.updateRevision);
    expect(guard.fewest).toBe(4);
  },

  "ST6 ST21 a broken update stops at the budget, says why, and a good one recovers": async (
    stage,
  ) => {
    await stage.createAndWait({ replicas: 5, spec: { ...parallel, ...rolling(2) } });
    const guard = stage.guard();
    await stage.setImage("web:broken");
    const stalled = await stage.statusIs(
      "it says that it is stalled",
      (set) => conditionOf(set, "Stalled")?.status === "True",
    );
    expect(conditionOf(stalled, "Stalled")?.message).toMatch(/web.*-[34].*ImagePull/);
    expect(await stage.drawing()).toBe("0:v1 1:v1 2:v1 3:broken! 4:broken!");
    await stage.setImage("web:v3");
    await stage.rolledOut();
    expect(await stage.drawing()).toBe("0:v3 1:v3 2:v3 3:v3 4:v3");
    expect(guard.fewest).toBe(3);
  },

  "ST5 ST6 a broken update recovers under OrderedReady as well": async (stage) => {
    await stage.createAndWait({ replicas: 3, spec: rolling(1) });
    const guard = stage.guard();
    await stage.setImage("web:broken");
    await stage.looksLike("0:v1 1:v1 2:broken!");
    await stage.setImage("web:v3");
    await stage.rolledOut();
    expect(guard.fewest).toBe(2);
  },

  "ST17 OnDelete: what is deleted by hand comes back old before a change and new after it": async (
    stage,
  ) => {
    await stage.createAndWait({ replicas: 3, spec: { updateStrategy: { type: "OnDelete" } } });
    await stage.deletePod(1);
    await stage.world.until("it is there again", async () => stage.log.length >= 5);
    await stage.looksLike("0:v1 1:v1 2:v1");
    await stage.setImage("web:v2");
    await stage.statusIs(
      "it has seen the change",
      ({ metadata, status }) => status?.observedGeneration === metadata.generation,
    );
    await stage.world.pass();
    expect(await stage.drawing()).toBe("0:v1 1:v1 2:v1");
    for (const ordinal of [1, 0, 2]) {
      await stage.deletePod(ordinal);
      await stage.world.until(`${ordinal} is new`, async () =>
        (await stage.drawing()).includes(`${ordinal}:v2`),
      );
    }
    const { status } = await stage.rolledOut();
    expect(status?.currentRevision).toBe(status?.updateRevision);
  },

  "ST18 ST22 a pod below the partition that a finalizer holds is replaced by an old one": async (
    stage,
  ) => {
    await stage.createAndWait({ replicas: 2, spec: rolling(1, 1) });
    await stage.patchPod(0, { metadata: { finalizers: ["test.lockstep.dev/hold"] } });
    await stage.setImage("web:v2");
    await stage.looksLike("0:v1 1:v2");
    const { uid } = (await stage.pod(0)).metadata;
    await stage.deletePod(0);
    await stage.world.pass();
    expect((await stage.pod(0)).metadata.uid).toBe(uid);
    await stage.patchPod(0, { metadata: { finalizers: null } });
    await stage.world.until("its successor serves", async () => stage.log.length >= 6);
    await stage.looksLike("0:v1 1:v2");
    expect((await stage.pod(0)).metadata.uid).not.toBe(uid);
  },

  "ST20 pausing holds an update, resuming ends it": async (stage) => {
    const paused = (value: string | null) =>
      stage.patch({ metadata: { annotations: { "lockstep.dev/paused": value } } });
    await stage.createAndWait({ replicas: 3, spec: { ...parallel, ...rolling(1) } });
    await paused("true");
    await stage.setImage("web:v2");
    await stage.statusIs(
      "it says so",
      (set) => conditionOf(set, "Progressing")?.reason === "Paused",
    );
    await stage.world.pass();
    expect(await stage.drawing()).toBe("0:v1 1:v1 2:v1");
    await paused(null);
    await stage.rolledOut();
    expect(await stage.drawing()).toBe("0:v2 1:v2 2:v2");
  },

  "ST16 minReadySeconds decides who is available, and a change of it counts at once": async (
    stage,
  ) => {
    const minReady = (seconds: number) => stage.patch({ spec: { minReadySeconds: seconds } });
    const available = (count: number) => (set: StatefulSet) =>
      set.status?.observedGeneration === set.metadata.generation &&
      set.status?.readyReplicas === 2 &&
      (set.status.availableReplicas ?? 0) === count;
    await stage.create({ replicas: 2, spec: { ...parallel, minReadySeconds: 3_600 } });
    await stage.statusIs("two ready, none available", available(0));
    await minReady(1);
    await stage.statusIs("two available", available(2));
    await minReady(3_600);
    await stage.statusIs("none any more", available(0));
    await minReady(0);
    await stage.statusIs("two again", available(2));
  },

  "RO6 ST15 a third template in mid-rollout takes over at once": async (stage) => {
    await stage.createAndWait({ replicas: 4, spec: { ...parallel, ...rolling(1) } });
    const guard = stage.guard();
    await stage.setImage("web:v2");
    await stage.world.until("it has begun", async () => stage.log.length > 4);
    await stage.setImage("web:v3");
    const { status } = await stage.rolledOut();
    expect(status).toMatchObject({ currentReplicas: 4, updatedReplicas: 4 });
    expect(await stage.drawing()).toBe("0:v3 1:v3 2:v3 3:v3");
    expect(guard.fewest).toBe(3);
  },
};
