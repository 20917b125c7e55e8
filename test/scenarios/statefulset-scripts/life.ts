/** Pods and claims of a set: identity, ordinals, adoption and release, predecessors, retention. */
import { expect } from "vitest";
import { statefulSetResource } from "../../../src/api/apps.ts";
import type { VolumeClaim } from "../../../src/api/volume-claim.ts";
import { volumeClaimResource } from "../../../src/api/volume-claim.ts";
import type { StatefulSetStage } from "../../builders/stateful-set-stage.ts";
import type { StatefulSetScripts } from "./script.ts";

const namespace = "default";
const parallel = { podManagementPolicy: "Parallel" } as const;

const startAt = (stage: StatefulSetStage, start: number | null) =>
  stage.patch({ spec: { ordinals: start === null ? null : { start } } });

const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
} as unknown as VolumeClaim;

const claimsOf = async (stage: StatefulSetStage): Promise<string[]> => {
  const selection = { namespace, labelSelector: `app=${stage.name}` };
  const { items } = await stage.world.client.list<VolumeClaim>(volumeClaimResource, selection);
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata: { name = "", ownerReferences = [] } }) =>
      [name.replace(`data-${stage.name}-`, ""), ...ownerReferences.map(({ kind }) => kind)].join(
        " ",
      ),
    )
    .toSorted();
};

const claimsBecome = (stage: StatefulSetStage, want: readonly string[]): Promise<unknown> =>
  stage.world.until(`its claims are ${want.join(", ") || "gone"}`, async () => {
    const now = await claimsOf(stage);
    return now.join() === want.join();
  });

export const life: StatefulSetScripts = {
  "ST11 a pod keeps its name, hostname, service and index when it is made again": async (stage) => {
    await stage.createAndWait({ replicas: 2 });
    const identity = async () => {
      const { metadata, spec } = await stage.pod(1);
      return { labels: metadata.labels, hostname: spec.hostname, subdomain: spec.subdomain };
    };
    const before = await identity();
    expect(before).toMatchObject({
      labels: { "apps.kubernetes.io/pod-index": "1" },
      hostname: stage.podName(1),
      subdomain: stage.name,
    });
    await stage.deletePod(1);
    await stage.world.until("it is there again", async () => stage.log.length >= 4);
    await stage.looksLike("0:v1 1:v1");
    expect(await identity()).toEqual(before);
  },

  "ST13 an orphan is adopted, a pod without its labels released, with its labels adopted again":
    async (stage) => {
      // The released pod keeps the name until it is adopted again.
      stage.world.expectComplaint(new RegExp(`/${stage.podName(0)} exists already`));
      const { metadata } = await stage.createAndWait({ replicas: 1 });
      const owner = async () => (await stage.pod(0)).metadata.ownerReferences?.[0]?.uid;
      const { uid } = (await stage.pod(0)).metadata;
      await stage.patchPod(0, { metadata: { ownerReferences: null } });
      await stage.world.until("it is adopted", async () => (await owner()) === metadata.uid);
      await stage.patchPod(0, { metadata: { labels: { app: "other" } } });
      await stage.world.until("it is released", async () => (await owner()) === undefined);
      await stage.patchPod(0, { metadata: { labels: { app: stage.name } } });
      await stage.world.until("it is adopted again", async () => (await owner()) === metadata.uid);
      expect((await stage.pod(0)).metadata.uid).toBe(uid);
    },

  "ST14 a predecessor that is lost while its successor is unready comes back": async (stage) => {
    await stage.createAndWait({ replicas: 2, gated: true });
    await stage.setReady(1, false);
    await stage.looksLike("0:v1 1:v1!");
    await stage.deletePod(0);
    await stage.world.until("it is there again", async () => stage.log.length >= 4);
    await stage.looksLike("0:v1 1:v1!");
    await stage.setReady(1, true);
    await stage.rolledOut();
  },

  "ST8 the first ordinal is set, raised, lowered and removed": async (stage) => {
    await stage.createAndWait({ replicas: 2, spec: parallel });
    const becomes: [number | null, string][] = [
      [2, "2:v1 3:v1"],
      [4, "4:v1 5:v1"],
      [3, "3:v1 4:v1"],
      [null, "0:v1 1:v1"],
    ];
    for (const [start, want] of becomes) {
      await startAt(stage, start);
      await stage.looksLike(want);
    }
  },

  "ST14 replicas 2, 3, 0 and 2 again: the counters and the generation follow": async (stage) => {
    await stage.createAndWait({ replicas: 2 });
    for (const replicas of [3, 0, 2]) {
      await stage.scale(replicas);
      const { metadata, status } = await stage.rolledOut();
      expect(status?.observedGeneration).toBe(metadata.generation);
      expect(status?.replicas ?? 0).toBe(replicas);
    }
    await stage.setImage("web:v2");
    const { metadata, status } = await stage.rolledOut();
    expect(status?.observedGeneration).toBe(metadata.generation);
  },

  "ST12 claims go with what they belong to: pods that are scaled away, and the set": async (
    stage,
  ) => {
    const retention = { whenScaled: "Delete", whenDeleted: "Delete" } as const;
    const spec = {
      ...parallel,
      volumeClaimTemplates: [claim],
      persistentVolumeClaimRetentionPolicy: retention,
    };
    await stage.create({ replicas: 2, spec });
    await claimsBecome(stage, ["0 StatefulSet", "1 StatefulSet"]);
    await stage.scale(1);
    await claimsBecome(stage, ["0 StatefulSet"]);
    const keep = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } };
    await stage.patch({ spec: keep });
    await claimsBecome(stage, ["0"]);
    await stage.patch({ spec: { persistentVolumeClaimRetentionPolicy: retention } });
    await claimsBecome(stage, ["0 StatefulSet"]);
    await stage.world.client.delete(statefulSetResource, stage.key);
    await claimsBecome(stage, []);
  },

  "ST12 the claim of a pod that cannot start is made again when it vanishes": async (stage) => {
    const spec = { volumeClaimTemplates: [claim] };
    await stage.create({ replicas: 1, image: "web:broken", spec });
    await claimsBecome(stage, ["0"]);
    const key = { namespace, name: `data-${stage.podName(0)}` };
    const uid = async () =>
      (await stage.world.client.get(volumeClaimResource, key).catch(() => undefined))?.metadata.uid;
    const before = await uid();
    await stage.world.client.delete(volumeClaimResource, key);
    // A pod that uses the claim keeps it from going; a person who insists takes the finalizer away.
    const patch = { type: "merge", body: { metadata: { finalizers: null } } } as const;
    await stage.world.client.patch(volumeClaimResource, key, patch).catch(() => undefined);
    await stage.world.until("another one is there", async () => {
      const now = await uid();
      return now !== undefined && now !== before;
    });
  },
};
