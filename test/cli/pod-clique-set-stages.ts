/** A PodCliqueSet in every state that the command line knows. */
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { PodCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import type { Asked, Stage } from "./transcript.ts";

export const stagedPodCliqueSet = (strategy: Record<string, unknown> = {}) => ({
  replicas: 2,
  strategy,
  cliques: { front: { replicas: 2 }, lead: {}, work: {} },
  groups: { decode: { cliques: ["lead", "work"], replicas: 2 } },
});

const start = async (strategy: Record<string, unknown> = {}): Promise<PodCliqueSetScenario> => {
  const world = await podCliqueSetScenario(stagedPodCliqueSet(strategy));
  await world.settled();
  return world;
};

const staged =
  (stage: (world: PodCliqueSetScenario) => Promise<void>, strategy?: Record<string, unknown>) =>
  async () => {
    const world = await start(strategy);
    await stage(world);
    return world;
  };

const toSecond = { front: "front:v2", work: "work:v2" };

export const podCliqueSetStages: Readonly<Record<string, Stage>> = {
  healthy: staged(async ({ clock }) => {
    await clock.runFor(10_000);
  }),
  progressing: staged(async ({ setImages, clock }) => {
    await setImages(toSecond);
    await clock.runFor(11_000);
  }),
  paused: staged(async ({ setImages, patchStrategy, clock }) => {
    await setImages(toSecond);
    await clock.runFor(11_000);
    await patchStrategy({ paused: true });
    await clock.runFor(30_000);
  }),
  "at-partition": staged(
    async ({ setImages, clock, settled }) => {
      await setImages(toSecond);
      await clock.runFor(1_000);
      await settled();
      await clock.runFor(10_000);
    },
    { type: "ReplicaRecreate", partition: 1 },
  ),
  stalled: staged(
    async ({ setImages, clock }) => {
      await setImages({ front: "front:broken" });
      await clock.runFor(90_000);
    },
    { type: "ReplicaRecreate", progressDeadlineSeconds: 30 },
  ),
  // For as long as somebody looks.
  starting: staged(async ({ setImages, clock }) => {
    await setImages({ front: "front:never-ready" });
    await clock.runFor(30_000);
  }),
  "paused-starting": staged(async ({ setImages, patchStrategy, clock }) => {
    await setImages({ front: "front:never-ready" });
    await clock.runFor(30_000);
    await patchStrategy({ paused: true });
    await clock.runFor(30_000);
  }),
  // Long before its deadline.
  broken: staged(async ({ setImages, clock }) => {
    await setImages({ front: "front:broken" });
    await clock.runFor(30_000);
  }),
  surging: staged(
    async ({ setImages, clock }) => {
      await setImages(toSecond);
      await clock.runFor(2_500);
    },
    { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  ),
  rejected: staged(async ({ patch, set, clock }) => {
    const { spec } = await set();
    const [first, ...rest] = spec.template.cliques;
    // More than an object may carry, which no rule of the definition adds up.
    const cliques = [{ ...first, annotations: { notes: "x".repeat(256 * 1024) } }, ...rest];
    await patch({ spec: { template: { cliques } } });
    await clock.runFor(10_000);
  }),
  "awaiting-delete": staged(
    async ({ setImages, clock }) => {
      await setImages(toSecond);
      await clock.runFor(30_000);
    },
    { type: "OnDelete" },
  ),
  deleting: staged(async ({ client, patch, clock }) => {
    await patch({ metadata: { finalizers: ["example.com/backup"] } });
    await client.delete(podCliqueSetResource, { namespace: "default", name: "chat" });
    await clock.runFor(2_000);
  }),
};

/** States in which the parts of a set are worth a look of their own. */
const withParts = new Set([
  "healthy",
  "progressing",
  "starting",
  "paused-starting",
  "at-partition",
  "awaiting-delete",
  "stalled",
  "deleting",
]);

export const askedOf = (state: string): Asked => ({
  rollout: "podcliqueset/chat",
  image: "front/app=front:v3",
  parts: withParts.has(state)
    ? ["podcliquescalinggroup/chat-0-decode", "podclique/chat-0-front"]
    : [],
});
