/** The rollouts that the strategies promise, step by step: one file each, to be read like a story. */
import { expect, test } from "vitest";
import type { SetOptions } from "../builders/pod-clique-set-scenario.ts";
import { cliqueScenario } from "../builders/pod-clique-set-scenario.ts";

const surging = { maxUnavailable: 0, maxSurge: 1 };

function group(minAvailable: number): SetOptions {
  const prefill = {
    cliques: ["leader", "worker"],
    replicas: 3,
    minAvailable,
    updateStrategy: surging,
  };
  return { cliques: { leader: {}, worker: {} }, groups: { prefill } };
}

const disaggregated: SetOptions = {
  cliques: { frontend: {}, leader: {}, worker: {} },
  groups: { decode: { cliques: ["leader", "worker"] } },
};

const recreate = (maxUnavailable: number, maxSurge: number) => ({
  type: "ReplicaRecreate",
  rollingUpdate: { maxUnavailable, maxSurge },
});

const stories: Record<string, SetOptions> = {
  "scaling-group-surge-base-gang": group(3),
  "scaling-group-surge-scaled-gang": group(2),
  "clique-surge": { cliques: { agg: { replicas: 3, updateStrategy: surging } } },
  "replica-recreate-surge": { ...disaggregated, replicas: 3, strategy: recreate(0, 1) },
  "replica-recreate-no-surge": { ...disaggregated, replicas: 2, strategy: recreate(1, 0) },
  "rolling-update": { ...disaggregated, replicas: 2, strategy: { type: "RollingUpdate" } },
};

test.each(Object.entries(stories))("%s", async (name, options) => {
  const scenario = await cliqueScenario(options);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  scenario.watcher.take();
  const cliques = Object.keys(options.cliques);
  await scenario.setImages(Object.fromEntries(cliques.map((clique) => [clique, `${clique}:v2`])));
  await scenario.settled();
  expect(scenario.operatorProblems).toEqual([]);
  expect(scenario.watcher.violations).toEqual([]);
  await expect(`${scenario.watcher.story()}\n`).toMatchFileSnapshot(`./${name}.timeline.txt`);
});
