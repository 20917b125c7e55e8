/** The strategy is switched in the middle of an update: what is under way is taken over, and the update ends. */
import { expect } from "vitest";
import {
  oneRevisionPerReplica,
  setReplicasServing,
} from "../../builders/pod-clique-set-invariants.ts";
import { imagesOf, versionOf } from "../../builders/pairs.ts";
import type { PodCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";

const types = ["RollingRecreate", "ReplicaRecreate", "OnDelete"] as const;
type StrategyType = (typeof types)[number];

const outdated = ({ drawing }: PodCliqueSetScenario): string[] =>
  drawing().filter((line) => !/:v2!?$/.test(line));

/** The set goes on by the second strategy from wherever the first one has got to. */
async function recordSwitch(scenario: PodCliqueSetScenario, to: StrategyType): Promise<void> {
  await scenario.settled();
  scenario.always(setReplicasServing(1, { front: 1, lead: 1, work: 1 }));
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(3_000);
  await scenario.patchStrategy({ type: to });
  await scenario.settled();
  if (to === "OnDelete") await deleteOutdated(scenario);
  expect(outdated(scenario)).toEqual([]);
}

/** What was torn down comes back, and nothing that stands is touched any more until somebody deletes it. */
async function deleteOutdated(scenario: PodCliqueSetScenario): Promise<void> {
  await scenario.clock.runFor(60_000);
  const left = outdated(scenario);
  await scenario.clock.runFor(120_000);
  expect(outdated(scenario)).toEqual(left);
  for (const line of left) await scenario.deletePod(line.split(" ")[0] ?? "");
  await scenario.clock.runFor(120_000);
}

/** Once whole replicas are recreated from the start, two revisions never meet in one. */
async function recordRecreation(scenario: PodCliqueSetScenario): Promise<void> {
  await scenario.settled();
  await scenario.patchStrategy({ type: "ReplicaRecreate" });
  await scenario.clock.runFor(3_000);
  scenario.always(oneRevisionPerReplica(versionOf));
  await scenario.setImages(imagesOf("v2"));
  await scenario.settled();
  expect(outdated(scenario)).toEqual([]);
}

const optionsOf = (type: StrategyType) => ({
  replicas: 2,
  strategy: { type },
  cliques: { front: { replicas: 2, minAvailable: 1 }, lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
});

const pairs = types.flatMap((from) =>
  types.filter((to) => to !== from).map((to) => ({ from, to })),
);

const scripts: readonly ScriptedScenario[] = [
  ...pairs.map(({ from, to }): ScriptedScenario => ({
    name: `PS7 RO6 ${from} becomes ${to} in mid-update`,
    options: optionsOf(from),
    run: (scenario) => recordSwitch(scenario, to),
  })),
  ...(["RollingRecreate", "OnDelete"] as const).map((from): ScriptedScenario => ({
    name: `PS14 ${from} becomes ReplicaRecreate before an update: cliques made without a finalizer are safe too`,
    options: optionsOf(from),
    run: recordRecreation,
  })),
];

runAll(scripts);
