/** Startup order: which containers run only after others are ready, by what the nodes report. */
import { expect } from "vitest";
import { labelKeys } from "../../../src/api/grove/labels.ts";
import type { Pod } from "../../../src/api/pod.ts";
import { isReady, podResource } from "../../../src/api/pod.ts";
import { untilQuiet, replicaOf, runStages } from "../../builders/gang-steps.ts";
import { must } from "../../builders/must.ts";
import type { PodCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";
import {
  onePodPerNode,
  workload3,
  workload4,
  workload5,
  workload6,
} from "../../builders/workloads.ts";

/** When the first container of each pod ran and when the pod was ready, in milliseconds, by clique. */
class Starts {
  readonly #started = new Map<string, Map<string, number>>();
  readonly #ready = new Map<string, Map<string, number>>();

  constructor({ client, clock }: PodCliqueSetScenario) {
    void client.watch<Pod>(podResource, { resourceVersion: "0" }, (event) => {
      if (event.type === "ERROR" || event.type === "BOOKMARK") return;
      if (hasRun(event.object)) note(this.#started, event.object, clock.now());
      if (isReady(event.object)) note(this.#ready, event.object, clock.now());
    });
  }

  /** No pod of the second ran before so many of the first were ready. */
  mustFollow(first: string, second: string, needed: number): void {
    const ready = moments(this.#ready, first);
    const started = moments(this.#started, second);
    const isInOrder = (started[0] ?? -Infinity) >= (ready[needed - 1] ?? Infinity);
    const message = `${second} runs after ${needed} of ${first} are ready`;
    must(isInOrder, message, () => ({ ready, started }));
  }
}

type Moments = Map<string, Map<string, number>>;

const hasRun = ({ status }: Pod): boolean =>
  status?.containerStatuses?.some(({ state }) => state?.running !== undefined) ?? false;

function note(all: Moments, { metadata }: Pod, nowMs: number): void {
  const clique = metadata.labels?.[labelKeys.podClique] ?? "";
  const known = all.get(clique) ?? new Map<string, number>();
  all.set(clique, known);
  if (!known.has(metadata.uid ?? "")) known.set(metadata.uid ?? "", nowMs);
}

const moments = (all: Moments, clique: string): number[] =>
  [...(all.get(clique)?.values() ?? [])].toSorted((a, b) => a - b);

const [a, b0, c0, b1, c1] = [
  "chat-0-pc-a",
  "chat-0-sg-x-0-pc-b",
  "chat-0-sg-x-0-pc-c",
  "chat-0-sg-x-1-pc-b",
  "chat-0-sg-x-1-pc-c",
];

type Check = (starts: Starts, scenario: PodCliqueSetScenario) => Promise<void> | void;

/** Ten pods on ten machines, checked when all of them are up. */
const allStarted = (name: string, workload: typeof workload3, check: Check): ScriptedScenario => ({
  name,
  options: workload(onePodPerNode(10)),
  async run(scenario) {
    const starts = new Starts(scenario);
    await untilQuiet(scenario);
    await check(starts, scenario);
  },
});

/** Where one of each is enough, a scaled gang asks nothing of those outside it. */
const oneOfEach: Check = async (starts, scenario) => {
  starts.mustFollow(a, b0, 1);
  starts.mustFollow(b0, c0, 1);
  starts.mustFollow(b1, c1, 1);
  expect(await parentsOf(scenario)).toEqual({ [b0]: [a], [c0]: [b0], [c1]: [b1] });
};

const scripts: readonly ScriptedScenario[] = [
  allStarted(
    "SO1 in order, all needed: pc-a, then both pc-b, then both pc-c",
    workload3,
    (starts) => {
      for (const b of [b0, b1]) {
        starts.mustFollow(a, b, 2);
        for (const c of [c0, c1]) starts.mustFollow(b, c, 1);
      }
    },
  ),
  allStarted(
    "SO2 in order, one of each needed: pc-a, pc-b, pc-c, and in the scaled gang pc-b before pc-c",
    workload4,
    oneOfEach,
  ),
  allStarted(
    "SO3 by name, all needed: pc-a, then both pc-c, then both pc-b",
    workload5,
    (starts) => {
      for (const c of [c0, c1]) {
        starts.mustFollow(a, c, 2);
        for (const b of [b0, b1]) starts.mustFollow(c, b, 3);
      }
    },
  ),
  allStarted(
    "SO4 by name, one of each needed: pc-a, pc-b, pc-c, and in the scaled gang pc-b before pc-c",
    workload6,
    oneOfEach,
  ),
  {
    name: "SO a gang whose last cliques would find no machine does not start its first ones",
    options: workload3(onePodPerNode(9)),
    run: (scenario) =>
      runStages(scenario, [
        { placed: {}, waiting: 10 },
        { nodes: 1, placed: replicaOf(0, 2, [1, 3], [1, 3]), waiting: 0 },
      ]),
  },
  {
    name: "SO a pod that is lost comes back after those before it, not before",
    options: workload3(onePodPerNode(10)),
    async run(scenario) {
      await untilQuiet(scenario);
      const starts = new Starts(scenario);
      await scenario.cordon(true);
      await scenario.deletePod(`${a}-0`);
      await scenario.deletePod(`${b1}-0`);
      await untilQuiet(scenario);
      await scenario.cordon(false);
      await untilQuiet(scenario);
      starts.mustFollow(a, b1, 2);
    },
  },
];

/** The cliques that each one waits for. */
async function parentsOf(
  scenario: PodCliqueSetScenario,
): Promise<Record<string, readonly string[]>> {
  const cliques = await scenario.cliques();
  return Object.fromEntries(
    cliques.flatMap(({ metadata, spec }) =>
      spec.startsAfter === undefined ? [] : [[metadata.name ?? "", spec.startsAfter]],
    ),
  );
}

runAll(scripts);
