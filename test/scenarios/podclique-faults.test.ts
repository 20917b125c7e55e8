/** Cliques keep their promises whatever fails: crashes at every write, lost answers, late and broken watches. */
import { expect, test } from "vitest";
import { seededRandom } from "../../src/sim/random.ts";
import { crashAfterEveryWrite } from "../builders/crash-after-every-write.ts";
import { stormy } from "../../src/simulation/faults.ts";
import { podCliqueScenario } from "../builders/pod-clique-scenario.ts";
import { atLeastOne } from "../builders/must.ts";

const surging = {
  replicas: 3,
  minAvailable: 2,
  updateStrategy: { maxUnavailable: 0, maxSurge: 1 },
};

test("P1 P2 the operator dies after any single write: budget, surge and hostnames hold", async () => {
  const survived = await crashAfterEveryWrite(() =>
    podCliqueScenario({ cliques: [{ spec: surging }] }),
  );
  expect(survived.length).toBeGreaterThan(12);
  for (const { position, guarded, drawing } of atLeastOne(survived)) {
    expect(guarded, `died after write ${position}`).toEqual({ fewest: 3, most: 4 });
    expect(drawing.every((line) => line.endsWith("web:v2"))).toBe(true);
  }
});

test.each(Array.from({ length: 10 }, (_, index) => index + 1))(
  "P1 P2 P7 in a storm of faults (seed %d) budget, surge and hostnames hold and the rollout ends",
  async (seed) => {
    const random = seededRandom(seed);
    const updateStrategy = { maxUnavailable: random.below(2) + 1, maxSurge: random.below(2) };
    const spec = { replicas: 5, minAvailable: 2, updateStrategy };
    const scenario = await podCliqueScenario({ cliques: [{ spec }], faults: stormy(random) });
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
