/** Cliques keep their promises whatever fails: crashes at every write, lost answers, late and broken watches. */
import { expect, test } from "vitest";
import { crashAfter, faultyTransport } from "../../src/sim/faults.ts";
import { seededRandom } from "../../src/sim/random.ts";
import { cliqueScenario } from "../builders/clique-scenario.ts";

const surging = {
  replicas: 3,
  minAvailable: 2,
  updateStrategy: { maxUnavailable: 0, maxSurge: 1 },
};

async function writesOfRollout(): Promise<number> {
  const scenario = await cliqueScenario({ cliques: [{ spec: surging }] });
  await scenario.settled();
  for (const key of Object.keys(scenario.writes)) delete scenario.writes[key];
  await scenario.setImage("web:v2");
  await scenario.settled();
  return Object.values(scenario.writes).reduce((sum, count) => sum + count, 0);
}

test("P1 P2 the operator dies after any single write: budget, surge and hostnames hold", async () => {
  const total = await writesOfRollout();
  expect(total).toBeGreaterThan(12);
  for (let position = 1; position <= total; position++) {
    const scenario = await cliqueScenario({ cliques: [{ spec: surging }] });
    await scenario.settled();
    const guarded = scenario.guard();
    await scenario.restart((transport) => crashAfter(transport, position));
    await scenario.setImage("web:v2");
    await scenario.clock.runFor(60_000);
    await scenario.restart();
    await scenario.settled();
    expect(guarded, `died after write ${position}`).toEqual({ fewest: 3, most: 4 });
    expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
  }
});

const storm = {
  conflict: 0.05,
  serverError: 0.05,
  lostAnswer: 0.05,
  lostRequest: 0.05,
  droppedWatch: 0.05,
  delayedEvent: 0.2,
  longestDelayMs: 3_000,
};

test.each(Array.from({ length: 10 }, (_, index) => index + 1))(
  "P1 P2 P7 in a storm of faults (seed %d) budget, surge and hostnames hold and the rollout ends",
  async (seed) => {
    const random = seededRandom(seed);
    const updateStrategy = { maxUnavailable: random.below(2) + 1, maxSurge: random.below(2) };
    const spec = { replicas: 5, minAvailable: 2, updateStrategy };
    const scenario = await cliqueScenario({ cliques: [{ spec }] }, (transport, clock) =>
      faultyTransport(transport, { faults: storm, random, clock }),
    );
    await scenario.settled();
    const guarded = scenario.guard();
    await scenario.setImage("web:broken");
    await scenario.clock.runFor(random.below(60_000));
    await scenario.setImage("web:v2");
    await scenario.settled();
    expect(guarded.fewest).toBeGreaterThanOrEqual(5 - updateStrategy.maxUnavailable);
    expect(guarded.most).toBeLessThanOrEqual(5 + updateStrategy.maxSurge);
    expect(scenario.drawing()).toEqual(
      [0, 1, 2, 3, 4].map((index) => `chat-0-web-${index} web:v2`),
    );
  },
);
