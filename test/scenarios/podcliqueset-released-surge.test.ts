/** A surge that was given up stays given up for its target, whoever runs the operator by then. */
import { expect, test } from "vitest";
import type { PodCliqueSetScenarioOptions } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { onePodPerNode } from "../builders/workloads.ts";

const surging = { maxUnavailable: 0, maxSurge: 1 };
const strategy = {
  type: "RollingUpdate",
  progressDeadlineSeconds: 30,
  onStuck: "ReleaseSurge",
};

const cases: Record<string, { given: PodCliqueSetScenarioOptions; surge: string; lost: string }> = {
  "of a clique": {
    given: {
      ...onePodPerNode(2),
      strategy,
      cliques: { front: { replicas: 2, minAvailable: 1, updateStrategy: surging } },
    },
    surge: "chat-0-front-2",
    lost: "chat-0-front-0",
  },
  "of a scaling group": {
    given: {
      ...onePodPerNode(2),
      strategy,
      cliques: { front: {} },
      groups: {
        pair: { cliques: ["front"], replicas: 2, minAvailable: 1, updateStrategy: surging },
      },
    },
    surge: "chat-0-pair-2-front-0",
    lost: "chat-0-pair-0-front-0",
  },
};

test.each(Object.entries(cases))(
  "PS10 a released surge %s is not made again",
  async (_of, { given, surge, lost }) => {
    const scenario = await podCliqueSetScenario(given);
    await scenario.settled();
    const surges = (): number =>
      scenario.timeline.take().filter((line) => line.includes(`+${surge} `)).length;
    surges();
    await scenario.setImages({ front: "front:v2" });
    await scenario.clock.runFor(20_000);
    expect(surges()).toBe(1);
    await scenario.clock.runFor(60_000);
    expect(scenario.drawing().filter((line) => line.startsWith(surge))).toEqual([]);

    // A pod that is lost comes back on the target: the rollout has moved, and nothing is stuck any more.
    await scenario.deletePod(lost);
    await scenario.clock.runFor(10_000);
    await scenario.restart();
    await scenario.clock.runFor(120_000);
    expect(surges()).toBe(0);

    await scenario.setImages({ front: "front:v3" });
    await scenario.clock.runFor(20_000);
    expect(surges()).toBe(1);
  },
);
