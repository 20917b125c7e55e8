/** Scripted scenarios: each runs once calmly and, with faults in the way, once per seed. */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/sim/random.ts";
import type { Fault } from "../../src/simulation/faults.ts";
import { noFault, stormy } from "../../src/simulation/faults.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "./pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "./pod-clique-set-scenario.ts";

export interface ScriptedScenario {
  /** Starts with the names of what it proves: `RU9 one replica after the other`. */
  readonly name: string;
  readonly options: PodCliqueSetScenarioOptions;
  /** What is done and what must come of it. Holds with faults too: nothing in it depends on exact moments. */
  run(scenario: PodCliqueSetScenario, weather: Weather): Promise<void>;
}

export interface Weather {
  /** No faults: only then is every write expected to succeed and every moment exact. */
  readonly isCalm: boolean;
  /** What stands between the operator and the API server: for those who restart it. */
  readonly faults: Fault;
}

const mild = {
  conflict: 0.04,
  serverError: 0.04,
  lostAnswer: 0.04,
  lostRequest: 0.04,
  droppedWatch: 0.04,
  delayedEvent: 0.04,
  longestDelayMs: 400,
};

/** `LOCKSTEP_SEEDS=50 vitest run test/scenarios/catalogue` runs each of them fifty times. */
const seeds = Array.from(
  { length: Number(process.env["LOCKSTEP_SEEDS"] ?? 1) },
  (_, index) => index + 1,
);

export function runAll(scripts: readonly ScriptedScenario[]): void {
  describe.each(scripts.map((script) => ({ name: script.name, script })))("$name", ({ script }) => {
    test("calmly", async () => {
      expect(await run(script, { isCalm: true, faults: noFault })).toEqual([]);
    });
    test.each(seeds)("in a storm of faults, seed %d", async (seed) => {
      const faults = stormy(seededRandom(seed), mild);
      expect(await run(script, { isCalm: false, faults })).toEqual([]);
    });
  });
}

/** Returns what nobody expected of it. */
async function run(script: ScriptedScenario, weather: Weather): Promise<string[]> {
  const scenario = await podCliqueSetScenario({ ...script.options, faults: weather.faults });
  await script.run(scenario, weather);
  await scenario.atRest();
  return scenario.complaints();
}
