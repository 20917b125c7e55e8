/** A large set stays attentive while it is being made. */
import { expect, test } from "vitest";
import { slowly } from "../../src/simulation/faults.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";

test("PS19 a large set hears in the middle of its making that fewer are wanted", async () => {
  const scenario = await podCliqueSetScenario({
    replicas: 200,
    cliques: { work: { replicas: 1 } },
    // Six replicas at a time, three writes each: more than two seconds for all.
    faults: slowly(30),
  });
  await scenario.clock.runFor(500);
  await scenario.scale(10);
  await scenario.settled();
  const made = scenario.writes["create services"];
  expect(made).toBeGreaterThan(10);
  expect(made).toBeLessThan(100);
});
