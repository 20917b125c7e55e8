/** Gangs below what they need for longer than terminationDelay start over: how much of a set goes with them. */
import { expect, test } from "vitest";
import { crashAfter } from "../../../src/sim/faults.ts";
import {
  untilQuiet,
  changed,
  identities,
  lose,
  placedPods,
  replicaOf,
  uncordonAll,
} from "../../builders/gang-steps.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";
import {
  onePodPerNode,
  workload1Gt,
  workload2,
  workload2Gt,
  workload5Gt,
} from "../../builders/workloads.ts";

const whole = [1, 3] as const;
const full = replicaOf(0, 2, whole, whole);
const delaySeconds = 10;

const everyone = async (scenario: PodCliqueSetScenario): Promise<string[]> =>
  [...(await identities(scenario)).keys()].toSorted();

/** Loses pods and records who is another pod once all is quiet; nobody else goes before the delay is over. */
async function replacedAfterLosing(
  scenario: PodCliqueSetScenario,
  ...hostnames: readonly string[]
): Promise<string[]> {
  const before = await identities(scenario);
  scenario.timeline.take();
  await lose(scenario, ...hostnames);
  await untilQuiet(scenario);
  const gone = scenario.timeline.take().flatMap((line) => {
    const [, seconds, name = ""] = /^(\d+)s -(chat-\S+) /.exec(line) ?? [];
    return seconds === undefined ? [] : [{ seconds: Number(seconds), name }];
  });
  const [lost] = gone;
  const others = gone.filter(({ name }) => !hostnames.includes(name));
  // Conditions have whole seconds, so a breach may look up to one second older than it is.
  const earliest = (lost?.seconds ?? Infinity) + delaySeconds - 1;
  expect(others.filter(({ seconds }) => seconds < earliest)).toEqual([]);
  return changed(before, await identities(scenario));
}

async function comesBack(scenario: PodCliqueSetScenario): Promise<void> {
  await uncordonAll(scenario);
  await scenario.settled();
  await untilQuiet(scenario);
}

const groupPods = (replica: number): string[] => [
  `chat-0-sg-x-${replica}-pc-b-0`,
  ...[0, 1, 2].map((pod) => `chat-0-sg-x-${replica}-pc-c-${pod}`),
];

const scripts: readonly ScriptedScenario[] = [
  {
    name: "PS9 GT1 one pc-a lost where all are needed: the whole replica of the set starts over, no other",
    options: workload1Gt({ replicas: 2, ...onePodPerNode(20) }),
    async run(scenario, { isCalm }) {
      await scenario.settled();
      const first = (await everyone(scenario)).filter((name) => name.startsWith("chat-0-"));
      expect(await replacedAfterLosing(scenario, "chat-0-pc-a-0")).toEqual(first);
      const second = replicaOf(1, 2, whole, whole);
      expect(await placedPods(scenario)).toEqual({ placed: second, waiting: 10 });
      await comesBack(scenario);
      expect(await placedPods(scenario)).toEqual({ placed: { ...full, ...second }, waiting: 0 });
      const events = (await scenario.events("chat")).filter((e) => e.startsWith("GangTerminated"));
      // Faults may lose an event or write it twice.
      const [least, most] = isCalm ? [1, 1] : [0, Number.POSITIVE_INFINITY];
      expect(events.length).toBeGreaterThanOrEqual(least);
      expect(events.length).toBeLessThanOrEqual(most);
    },
  },
  {
    name: "GT2 one pc-c lost where all are needed: the whole replica of the set starts over",
    options: workload1Gt(onePodPerNode(10)),
    async run(scenario) {
      await scenario.settled();
      const all = await everyone(scenario);
      expect(await replacedAfterLosing(scenario, "chat-0-sg-x-0-pc-c-1")).toEqual(all);
      expect(await placedPods(scenario)).toEqual({ placed: {}, waiting: 10 });
      await comesBack(scenario);
      expect(await placedPods(scenario)).toEqual({ placed: full, waiting: 0 });
    },
  },
  {
    name: "GT3 one of two pc-a may be missing; without both the replica starts over",
    options: workload2Gt(onePodPerNode(10)),
    async run(scenario) {
      await scenario.settled();
      const all = await everyone(scenario);
      expect(await replacedAfterLosing(scenario, "chat-0-pc-a-0")).toEqual(["chat-0-pc-a-0"]);
      expect(await replacedAfterLosing(scenario, "chat-0-pc-a-1")).toEqual(all);
      await comesBack(scenario);
      expect(await placedPods(scenario)).toEqual({ placed: full, waiting: 0 });
    },
  },
  {
    name: "GT4 a replica of the group without pc-c starts over alone; if the other follows, all of the set's replica",
    options: workload2Gt(onePodPerNode(10)),
    async run(scenario) {
      await scenario.settled();
      const all = await everyone(scenario);
      const [c0, c1] = ["chat-0-sg-x-0-pc-c", "chat-0-sg-x-1-pc-c"];
      expect(await replacedAfterLosing(scenario, `${c0}-0`)).toEqual([`${c0}-0`]);
      expect(await replacedAfterLosing(scenario, `${c1}-0`)).toEqual([`${c1}-0`]);
      expect(await replacedAfterLosing(scenario, `${c0}-1`, `${c0}-2`)).toEqual(groupPods(0));
      // The machine of sg-x-0's pc-b went to the pc-c that was missing in sg-x-1.
      expect(await replacedAfterLosing(scenario, `${c1}-0`, `${c1}-1`, `${c1}-2`)).toEqual(all);
      await comesBack(scenario);
      expect(await placedPods(scenario)).toEqual({ placed: full, waiting: 0 });
    },
  },
  {
    name: "GT5 a pc-c lost where its replica of the group needs all: that replica starts over alone",
    options: workload5Gt(onePodPerNode(10)),
    async run(scenario) {
      await scenario.settled();
      expect(await replacedAfterLosing(scenario, "chat-0-sg-x-1-pc-c-2")).toEqual(groupPods(1));
      expect(await replacedAfterLosing(scenario)).toEqual([]);
      await comesBack(scenario);
      const [group] = await scenario.groups();
      expect(group?.status).toMatchObject({ availableReplicas: 2 });
      expect(await placedPods(scenario)).toEqual({ placed: full, waiting: 0 });
    },
  },
  {
    name: "GT6 a pod of a scaled gang that can be done without comes back alone",
    options: workload2Gt(onePodPerNode(10)),
    async run(scenario) {
      await scenario.settled();
      const lost = "chat-0-sg-x-1-pc-c-1";
      expect(await replacedAfterLosing(scenario, lost)).toEqual([lost]);
      await comesBack(scenario);
      expect(await placedPods(scenario)).toEqual({ placed: full, waiting: 0 });
    },
  },
  {
    name: "GT a set that never started is starting, not broken: nothing starts over however long it takes",
    options: workload2({ ...onePodPerNode(2), template: { terminationDelay: "10s" } }),
    async run(scenario) {
      await untilQuiet(scenario);
      const before = await identities(scenario);
      await scenario.clock.runFor(3_600_000);
      expect(changed(before, await identities(scenario))).toEqual([]);
      expect(before.size).toBe(10);
    },
  },
];

runAll(scripts);

/** A frontend, and two pairs of leader and worker of which one must serve. */
const pairs: PodCliqueSetScenarioOptions = {
  cliques: { front: {}, lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
  template: { terminationDelay: "10s" },
  ...onePodPerNode(5),
};

const deaths = {
  "a replica of the set": {
    lost: "chat-0-front-0",
    restarted: ["front-0", "pair-0-lead-0", "pair-0-work-0", "pair-1-lead-0", "pair-1-work-0"],
  },
  "a replica of a group": {
    lost: "chat-0-pair-1-lead-0",
    restarted: ["pair-1-lead-0", "pair-1-work-0"],
  },
};

test.each(Object.entries(deaths))(
  "GT the operator dies after any write while it restarts %s: all of that starts over, and once",
  async (_, { lost, restarted }) => {
    for (let position = 1; position <= 9; position += 1) {
      const scenario = await podCliqueSetScenario(pairs);
      await scenario.settled();
      await untilQuiet(scenario);
      const before = await identities(scenario);
      scenario.timeline.take();
      await lose(scenario, lost);
      await scenario.clock.runFor(9_000);
      await scenario.restart((transport) => crashAfter(transport, position));
      await scenario.clock.runFor(30_000);
      await scenario.restart();
      await untilQuiet(scenario);
      const replaced = changed(before, await identities(scenario));
      await comesBack(scenario);
      const made = scenario.timeline.take().filter((line) => line.includes(" +chat-0-"));
      // The pod that was lost came back once before everything started over.
      expect({ position, replaced, made: made.length }).toEqual({
        position,
        replaced: restarted.map((name) => `chat-0-${name}`),
        made: restarted.length + 1,
      });
    }
  },
);
