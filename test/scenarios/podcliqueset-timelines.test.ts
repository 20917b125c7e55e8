/** The rollouts that the strategies promise, step by step: one file each, to be read like a story. */
import { expect, test } from "vitest";
import type {
  ScalingGroupOptions,
  PodCliqueSetOptions,
} from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";

const surging = { maxUnavailable: 0, maxSurge: 1 };

function group(minAvailable: number): PodCliqueSetOptions {
  const prefill = {
    cliques: ["leader", "worker"],
    replicas: 3,
    minAvailable,
    updateStrategy: surging,
  };
  return { cliques: { leader: {}, worker: {} }, groups: { prefill } };
}

const disaggregated: PodCliqueSetOptions = {
  cliques: { frontend: {}, leader: {}, worker: {} },
  groups: { decode: { cliques: ["leader", "worker"] } },
};

/** Two scaling groups of a leader and `workers` workers each. */
function twoGroups(
  workers: number,
  prefill: Partial<ScalingGroupOptions>,
  decode: Partial<ScalingGroupOptions>,
) {
  return {
    cliques: {
      "prefill-leader": {},
      "prefill-worker": { replicas: workers },
      "decode-leader": {},
      "decode-worker": { replicas: workers },
    },
    groups: {
      prefill: { cliques: ["prefill-leader", "prefill-worker"], ...prefill },
      decode: { cliques: ["decode-leader", "decode-worker"], ...decode },
    },
  };
}

const twoDown = { replicas: 4, updateStrategy: { maxUnavailable: 2, maxSurge: 0 } };

const recreate = (maxUnavailable: number, maxSurge: number) => ({
  type: "ReplicaRecreate",
  rollingUpdate: { maxUnavailable, maxSurge },
});

const rolling = {
  type: "RollingUpdate",
  rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
};

const stories: Record<string, PodCliqueSetOptions> = {
  "scaling-group-surge-base-gang": group(3),
  "scaling-group-surge-scaled-gang": group(2),
  "clique-surge": { cliques: { agg: { replicas: 3, updateStrategy: surging } } },
  "replica-recreate-surge": { ...disaggregated, replicas: 3, strategy: recreate(0, 1) },
  "replica-recreate-no-surge": { ...disaggregated, replicas: 2, strategy: recreate(1, 0) },
  "replica-recreate-both-at-once": { ...disaggregated, replicas: 2, strategy: recreate(2, 0) },
  "rolling-update": { ...disaggregated, replicas: 2, strategy: { type: "RollingUpdate" } },
  "scaling-groups-two-at-a-time": twoGroups(1, twoDown, twoDown),
  "single-node-aggregated": {
    strategy: rolling,
    cliques: {
      frontend: { replicas: 2 },
      "agg-worker": { replicas: 3, updateStrategy: surging },
    },
  },
  "multi-node-disaggregated": { ...twoGroups(1, {}, {}), replicas: 2, strategy: recreate(0, 1) },
  "multi-node-aggregated": {
    ...twoGroups(
      1,
      { replicas: 3, updateStrategy: { maxUnavailable: 1, maxSurge: 0 } },
      { replicas: 2, updateStrategy: surging },
    ),
    replicas: 2,
    strategy: rolling,
  },
};

test.each(Object.entries(stories))("%s", async (name, options) => {
  const scenario = await podCliqueSetScenario(options);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  scenario.timeline.take();
  const cliques = Object.keys(options.cliques);
  await scenario.setImages(Object.fromEntries(cliques.map((clique) => [clique, `${clique}:v2`])));
  await scenario.settled();
  await expect(`${scenario.timeline.moments()}\n`).toMatchFileSnapshot(`./${name}.timeline.txt`);
});

test("on-delete: one pod leaves a failed node, then scale-in takes outdated ones", async () => {
  const cliques = { worker: { replicas: 8, minAvailable: 1 } };
  const scenario = await podCliqueSetScenario({ cliques, strategy: { type: "OnDelete" } });
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  scenario.timeline.take();
  await scenario.setImages({ worker: "worker:v2" });
  await scenario.clock.runFor(10_000);
  await scenario.deletePod("chat-0-worker-7");
  await scenario.clock.runFor(10_000);
  await scenario.scaleClique("chat-0-worker", 6);
  await scenario.clock.runFor(10_000);
  await expect(`${scenario.timeline.moments()}\n`).toMatchFileSnapshot("./on-delete.timeline.txt");
});
