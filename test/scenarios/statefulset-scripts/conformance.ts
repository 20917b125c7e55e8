/** The eight conformance scenarios of Kubernetes' own suite. */
import { expect } from "vitest";
import type { Condition, StatefulSet } from "../../../src/api/apps.ts";
import { statefulSetResource } from "../../../src/api/apps.ts";
import type { KubeObject } from "../../../src/api/object.ts";
import { podResource } from "../../../src/api/pod.ts";
import { rolling } from "../../builders/stateful-set-scenario.ts";
import type { StatefulSetStage } from "../../builders/stateful-set-stage.ts";
import type { StatefulSetScripts } from "./script.ts";

const namespace = "default";

interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

const lowerPartition = (stage: StatefulSetStage, partition: number): Promise<StatefulSet> =>
  stage.patch({ spec: { updateStrategy: { rollingUpdate: { partition } } } });

export const conformance: StatefulSetScripts = {
  "ST14 ST19 an update waits for an unready pod, ends, and is rolled back to the old name": async (
    stage,
  ) => {
    const first = await stage.createAndWait({ replicas: 3, gated: true });
    const { currentRevision, updateRevision } = first.status ?? {};
    expect(currentRevision).toBe(updateRevision);
    await stage.setReady(1, false);
    await stage.looksLike("0:v1 1:v1! 2:v1");
    await stage.patch({ metadata: { annotations: { "lockstep.dev/broken-pods": "Wait" } } });
    await stage.setImage("web:v2");
    await stage.statusIs("it has seen the change", isSeen);
    await stage.world.pass();
    expect(await stage.drawing()).toBe("0:v1 1:v1! 2:v1");
    await stage.setReady(1, true);
    await stage.rolledOut();
    expect(await stage.drawing()).toBe("0:v2 1:v2 2:v2");
    await stage.setImage("web:v1");
    const back = await stage.rolledOut();
    expect(await stage.drawing()).toBe("0:v1 1:v1 2:v1");
    expect(back.status).toMatchObject({ currentRevision, updateRevision: currentRevision });
  },

  "ST18 a canary and then a phased rollout, pods deleted by hand return as their place is": async (
    stage,
  ) => {
    await stage.createAndWait({ replicas: 3, spec: rolling(1, 3) });
    await stage.setImage("web:v2");
    const { status } = await stage.statusIs(
      "the revisions differ",
      ({ status: now }) => now?.currentRevision !== now?.updateRevision,
    );
    await stage.world.pass();
    expect(await stage.drawing()).toBe("0:v1 1:v1 2:v1");
    await lowerPartition(stage, 2);
    await stage.looksLike("0:v1 1:v1 2:v2");
    await stage.deletePod(0);
    await stage.deletePod(2);
    await stage.world.until("both are there again", async () => stage.log.length >= 9);
    await stage.looksLike("0:v1 1:v1 2:v2");
    await lowerPartition(stage, 1);
    await stage.looksLike("0:v1 1:v2 2:v2");
    await lowerPartition(stage, 0);
    const end = await stage.rolledOut();
    expect(end.status?.currentRevision).toBe(status?.updateRevision);
    expect(await stage.drawing()).toBe("0:v2 1:v2 2:v2");
  },

  "ST14 ordered scaling goes up and down one by one and halts at an unready pod": async (stage) => {
    await stage.createAndWait({ replicas: 1, gated: true });
    await stage.setReady(0, false);
    await stage.looksLike("0:v1!");
    await stage.scale(3);
    await stage.world.pass();
    expect(await stage.drawing()).toBe("0:v1!");
    await stage.setReady(0, true);
    await stage.rolledOut();
    await stage.setReady(0, false);
    await stage.looksLike("0:v1! 1:v1 2:v1");
    await stage.scale(1);
    await stage.world.pass();
    expect(await stage.drawing()).toBe("0:v1! 1:v1 2:v1");
    await stage.setReady(0, true);
    await stage.looksLike("0:v1");
    await stage.scale(0);
    await stage.looksLike("");
    const names = [0, 1, 2].map(stage.podName);
    expect(stage.log).toEqual([
      ...names.map((name) => `+${name}`),
      ...names.toReversed().map((name) => `-${name}`),
    ]);
  },

  "ST14 burst scaling does not care whether pods are ready": async (stage) => {
    await stage.createAndWait({
      replicas: 1,
      gated: true,
      spec: { podManagementPolicy: "Parallel" },
    });
    await stage.setReady(0, false);
    await stage.looksLike("0:v1!");
    await stage.scale(3);
    await stage.looksLike("0:v1! 1:v1 2:v1");
    await stage.setReady(2, false);
    await stage.scale(0);
    await stage.looksLike("");
  },

  "ST22 a pod that fails is made again, as often as it takes": async (stage) => {
    await stage.createAndWait({ replicas: 2 });
    for (const phase of ["Failed", "Failed", "Succeeded"] as const) {
      const before = (await stage.pod(0)).metadata.uid;
      await stage.failPod(0, phase);
      await stage.world.until("another pod serves in its place", async () => {
        const { items } = await stage.world.client.list(podResource, { namespace });
        const now = items.find(({ metadata }) => metadata.name === stage.podName(0));
        return now !== undefined && now.metadata.uid !== before;
      });
      await stage.looksLike("0:v1 1:v1");
    }
    await stage.rolledOut();
  },

  "ST14 the scale subresource is followed: read, put, patched": async (stage) => {
    await stage.createAndWait({ replicas: 1, spec: { podManagementPolicy: "Parallel" } });
    const { client } = stage.world;
    const scale = await client.get<Scale>(statefulSetResource, stage.key, "scale");
    expect(scale.spec.replicas).toBe(1);
    const two = { ...scale, spec: { replicas: 2 } };
    await client.update(statefulSetResource, two, { subresource: "scale" });
    await stage.looksLike("0:v1 1:v1");
    const four = { type: "merge", body: { spec: { replicas: 4 } } } as const;
    await client.patch(statefulSetResource, stage.key, four, { subresource: "scale" });
    await stage.looksLike("0:v1 1:v1 2:v1 3:v1");
  },

  "ST24 sets are found, patched and deleted together by their label": async (stage) => {
    await stage.createAndWait({ replicas: 1 });
    const labels = { "test.lockstep.dev/script": stage.name };
    await stage.patch({ metadata: { labels }, spec: { replicas: 2 } });
    await stage.looksLike("0:v1 1:v1");
    const { client } = stage.world;
    const selection = { namespace, labelSelector: `test.lockstep.dev/script=${stage.name}` };
    const found = await client.list<StatefulSet>(statefulSetResource, selection);
    expect(found.items.map(({ metadata }) => metadata.name)).toEqual([stage.name]);
    await client.deleteCollection(statefulSetResource, selection);
    await stage.world.until("none is left", async () => {
      const left = await client.list(statefulSetResource, selection);
      return left.items.length === 0;
    });
    await stage.looksLike("");
  },

  "ST15 the status is read, put and patched by others, whose conditions survive": async (stage) => {
    await stage.createAndWait({ replicas: 1 });
    const { client } = stage.world;
    const status = { subresource: "status" };
    const condition = (type: string): Condition => ({
      type,
      status: "True",
      reason: "Story",
      message: type,
    });
    await stage.world.until("its status takes a condition by PUT", async () => {
      const live = await client.get<StatefulSet>(statefulSetResource, stage.key, "status");
      const conditions = [...(live.status?.conditions ?? []), condition("Put")];
      const next = { ...live, status: { ...live.status, replicas: 1, conditions } };
      return client.update<StatefulSet>(statefulSetResource, next, status).catch(() => undefined);
    });
    const body = { status: { conditions: [condition("Patched")] } };
    await client.patch(statefulSetResource, stage.key, { type: "strategic", body }, status);
    await stage.setImage("web:v2");
    const { status: end } = await stage.rolledOut();
    const types = end?.conditions?.map(({ type }) => type).toSorted();
    expect(types).toEqual(["Available", "Patched", "Progressing", "Put", "Reconciling", "Stalled"]);
  },
};

const isSeen = ({ metadata, status }: StatefulSet): boolean =>
  status?.observedGeneration === metadata.generation;
