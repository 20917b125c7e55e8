/** Groups and cliques scaled just before an update or in the middle of it: it ends with their new size. */
import { expect } from "vitest";
import { groupReplicasReady, podsReady } from "../../builders/pod-clique-set-invariants.ts";
import type { PodCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";
import {
  deletedPods,
  expectUpdated,
  isNew,
  isUpdating,
  ready,
} from "../../builders/update-steps.ts";
import { workload1, workloadImages } from "../../builders/workloads.ts";
import { atLeastOne } from "../../builders/must.ts";

/** In both replicas of the set. */
async function scaleGroups({ scaleGroup }: PodCliqueSetScenario, replicas: number): Promise<void> {
  for (const name of ["chat-0-sg-x", "chat-1-sg-x"]) await scaleGroup(name, replicas);
}

async function scaleCliques(
  { scaleClique }: PodCliqueSetScenario,
  replicas: number,
): Promise<void> {
  for (const name of ["chat-0-pc-a", "chat-1-pc-a"]) await scaleClique(name, replicas);
}

const startUpdate = ({ setImages }: PodCliqueSetScenario): Promise<void> =>
  setImages(workloadImages("v2"));

async function untilUnderWay(scenario: PodCliqueSetScenario): Promise<void> {
  await scenario.until(isUpdating(scenario, 0));
  await scenario.clock.runFor(2_000);
}

function expectDeletedOnce({ timeline }: PodCliqueSetScenario, pod: string): void {
  expect(deletedPods(timeline.take()).filter((name) => name === pod)).toHaveLength(1);
}

/** The size was asked of a group or clique, of which the set hears later: it may settle on the old one first. */
async function expectEnd(scenario: PodCliqueSetScenario, pods: number): Promise<void> {
  const { drawing, livePods } = scenario;
  await scenario.settled();
  await scenario.until(() => drawing().filter((line) => !line.endsWith("!")).length === pods);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  await expectUpdated(scenario, 2, pods);
  expect(livePods().filter((pod) => !isNew(pod))).toEqual([]);
}

async function expectGroups(scenario: PodCliqueSetScenario, replicas: number): Promise<void> {
  for (const { status } of atLeastOne(await scenario.groups())) {
    expect(status).toMatchObject({
      replicas,
      scheduledReplicas: replicas,
      availableReplicas: replicas,
      updatedReplicas: replicas,
    });
  }
}

async function expectCliques(scenario: PodCliqueSetScenario, replicas: number): Promise<void> {
  const cliques = (await scenario.cliques()).filter(({ spec }) => spec.roleName === "pc-a");
  expect(cliques).toHaveLength(2);
  for (const { status } of atLeastOne(cliques)) {
    expect(status).toMatchObject({
      replicas,
      readyReplicas: replicas,
      scheduledReplicas: replicas,
      updatedReplicas: replicas,
    });
  }
}

/** No more than one pod of pc-a and one replica of sg-x are down, whatever their number is. */
function guard({ always }: PodCliqueSetScenario, least: { a: number; x: number }): void {
  always(podsReady("pc-a", least.a - 1));
  always(groupReplicasReady(least.x - 1, 4));
}

const groups = { scale: scaleGroups, expectSize: expectGroups, podsEach: 8 };
const cliques = { scale: scaleCliques, expectSize: expectCliques, podsEach: 2 };

interface Scaling {
  readonly of: typeof groups;
  /** Replicas of the component before; two, where it is as the workload has it. */
  readonly from: number;
  readonly to: number;
  readonly when: "before" | "during";
}

/** Twenty pods with two replicas of each component; `podsEach` more, or fewer, for each replica beyond. */
const podsWith = ({ podsEach }: typeof groups, replicas: number): number =>
  20 + (replicas - 2) * podsEach;

const scaled = (name: string, { of, from, to, when }: Scaling): ScriptedScenario => ({
  name,
  options: workload1({ replicas: 2 }),
  async run(scenario) {
    await ready(scenario);
    if (from !== 2) {
      await of.scale(scenario, from);
      await scenario.until(() => scenario.drawing().length === podsWith(of, from));
      await ready(scenario);
    }
    guard(scenario, { a: 4, x: 4 });
    if (when === "before") await of.scale(scenario, to);
    await startUpdate(scenario);
    if (when === "during") {
      await untilUnderWay(scenario);
      await of.scale(scenario, to);
    }
    await expectEnd(scenario, podsWith(of, to));
    await of.expectSize(scenario, to);
  },
});

const during = "during";
const before = "before";
const lastIn = scaled("RU21 a clique is scaled in just before the update", {
  of: cliques,
  from: 3,
  to: 2,
  when: before,
});

runAll([
  scaled("RU14 a scaling group is scaled out in mid-update", {
    of: groups,
    from: 2,
    to: 3,
    when: during,
  }),
  scaled("RU15 a scaling group is scaled out just before the update", {
    of: groups,
    from: 2,
    to: 3,
    when: before,
  }),
  scaled("RU16 a scaling group is scaled in in mid-update", {
    of: groups,
    from: 3,
    to: 2,
    when: during,
  }),
  scaled("RU17 a scaling group is scaled in just before the update", {
    of: groups,
    from: 3,
    to: 2,
    when: before,
  }),
  scaled("RU18 a clique is scaled out in mid-update", {
    of: cliques,
    from: 2,
    to: 4,
    when: during,
  }),
  scaled("RU19 a clique is scaled out just before the update", {
    of: cliques,
    from: 2,
    to: 4,
    when: before,
  }),
  scaled("RU20 a clique is scaled in in mid-update", { of: cliques, from: 3, to: 2, when: during }),
  {
    ...lastIn,
    async run(scenario, weather) {
      await lastIn.run(scenario, weather);
      expectDeletedOnce(scenario, "chat-0-pc-a-2");
    },
  },
]);
