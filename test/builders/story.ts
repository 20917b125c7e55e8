/** A story is a scenario that can be told calmly once and, with faults in the way, once per seed. */
import { describe, expect, test } from "vitest";
import { faultyTransport } from "../../src/sim/faults.ts";
import { seededRandom } from "../../src/sim/random.ts";
import type { Between, Scenario, ScenarioOptions } from "./pod-clique-set-scenario.ts";
import { cliqueScenario } from "./pod-clique-set-scenario.ts";

export interface Story {
  /** Starts with the names of what it proves: `RU9 one replica after the other`. */
  readonly name: string;
  readonly options: ScenarioOptions;
  /** What is done and what must come of it. Holds with faults too: nothing in it depends on exact moments. */
  tell(scenario: Scenario, mood: Mood): Promise<void>;
}

export interface Mood {
  /** No faults: only then is every write expected to succeed and every moment exact. */
  readonly isCalm: boolean;
  /** What stands between the operator and the API server: for those who restart it. */
  readonly between: Between;
}

const faults = {
  conflict: 0.04,
  serverError: 0.04,
  lostAnswer: 0.04,
  lostRequest: 0.04,
  droppedWatch: 0.04,
  delayedEvent: 0.04,
  longestDelayMs: 400,
};

/** `LOCKSTEP_SEEDS=50 vitest run test/scenarios/catalogue` tells each story fifty times. */
const seeds = Array.from(
  { length: Number(process.env["LOCKSTEP_SEEDS"] ?? 1) },
  (_, index) => index + 1,
);

export function tellAll(stories: readonly Story[]): void {
  describe.each(stories.map((story) => ({ name: story.name, story })))("$name", ({ story }) => {
    test("calmly", async () => {
      const scenario = await cliqueScenario(story.options);
      await story.tell(scenario, { isCalm: true, between: (transport) => transport });
      await atRest(scenario);
      expect(scenario.watcher.violations.slice(0, 3)).toEqual([]);
      expect(scenario.operatorProblems).toEqual([]);
    });
    test.each(seeds)("in a storm of faults, seed %d", async (seed) => {
      const random = seededRandom(seed);
      const between: Between = (transport, clock) =>
        faultyTransport(transport, { faults, random, clock });
      const scenario = await cliqueScenario({ ...story.options, between });
      await story.tell(scenario, { isCalm: false, between });
      await atRest(scenario);
      expect(scenario.watcher.violations.slice(0, 3)).toEqual([]);
    });
  });
}

/** Long enough for whatever is still on its way. */
const restMs = 20_000;

async function atRest({ clock, promises }: Scenario): Promise<void> {
  await clock.runFor(restMs);
  promises.judgeRest();
}
