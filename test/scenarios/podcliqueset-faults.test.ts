/** Budgets of PodCliqueSets hold whatever fails: lost answers, refused writes, broken and late watches. */
import { expect, test } from "vitest";
import { seededRandom } from "../../src/sim/random.ts";
import { storm, stormy } from "../../src/simulation/faults.ts";
import type { PodCliqueSetOptions } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import {
  oneRevisionPerReplica,
  setReplicasServing,
} from "../builders/pod-clique-set-invariants.ts";

const pair: PodCliqueSetOptions = {
  cliques: { front: {}, lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"] } },
};
const everything = { front: 1, lead: 1, work: 1 };
const versionOf = (image: string): string => image.split(":")[1] ?? "";
const imagesOf = (version: string) => ({
  front: `front:${version}`,
  lead: `lead:${version}`,
  work: `work:${version}`,
});

/** Nothing comes late here, or what is seen in between would not be what is there. */
const refusals = { ...storm, delayedEvent: 0 };

const strategies: Record<string, Record<string, unknown>> = {
  RollingUpdate: { type: "RollingUpdate" },
  "ReplicaRecreate 1/0": {
    type: "ReplicaRecreate",
    rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
  },
  "ReplicaRecreate 0/1": {
    type: "ReplicaRecreate",
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
  },
};

const cases = Object.keys(strategies).flatMap((name) => [1, 2].map((seed) => ({ name, seed })));

test.each(cases)("RO1 RO7 $name in a storm of faults (seed $seed)", async ({ name, seed }) => {
  const random = seededRandom(seed);
  const strategy = strategies[name] ?? {};
  const scenario = await podCliqueSetScenario({
    ...pair,
    replicas: 3,
    strategy,
    faults: stormy(random, refusals),
  });
  await scenario.settled();
  const isSurging = name.endsWith("0/1");
  scenario.always(setReplicasServing(isSurging ? 3 : 2, everything));
  if (strategy["type"] === "ReplicaRecreate") {
    scenario.always(oneRevisionPerReplica(versionOf));
  }
  await scenario.setImages(imagesOf("broken"));
  await scenario.clock.runFor(random.below(60_000));
  await scenario.setImages(imagesOf("v2"));
  await scenario.settled();
  const versions = scenario.drawing().map((line) => versionOf(line.split(" ")[1] ?? ""));
  expect([...new Set(versions)]).toEqual(["v2"]);
});
