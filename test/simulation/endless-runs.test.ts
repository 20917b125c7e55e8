/** How long a run may take: who goes in circles is stopped, and who waits for a clock that was set back is not. */
import { expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { customDefinitions } from "../../src/cli/definitions.ts";
import type { Client } from "../../src/runtime/client.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { sleep } from "../../src/runtime/clock.ts";
import { seededRandom } from "../../src/sim/random.ts";
import type { Script } from "../../src/simulation/script.ts";
import { playScript, sweep } from "../../src/simulation/sweep.ts";
import { planted } from "./planted-kind.ts";

const inCircles = {
  "asks without a pause": (client: Client): Client => ({
    ...client,
    list: async () => {
      for (;;) await client.get(statefulSetResource, { namespace: "default", name: "web" });
    },
  }),
  "sets timers that are due at once": (client: Client, clock: Clock): Client => ({
    ...client,
    list: async () => {
      for (;;) await sleep(clock, 0);
    },
  }),
};

test.each(Object.entries(inCircles))("whoever %s is stopped", async (_what, plant) => {
  const kind = planted("statefulset", plant);
  const { failures, runs } = await sweep({
    subjects: [{ kind }],
    firstSeed: 1,
    runs: 2,
    definitions: customDefinitions(),
  });
  expect(runs).toBe(2);
  expect(failures.map(({ failure }) => failure?.what)).toEqual(["liveness", "liveness"]);
  expect(failures[0]?.failure?.texts[0]).toMatch(/^no end after \d+ requests and \d+ timers$/);
});

test("ST6 RO16 where the wall clock was set back by two hours, rest takes two hours longer", async () => {
  const kind = planted("statefulset", (client) => client);
  const [set] = kind.draw(seededRandom(1));
  const spec = {
    ...set!.spec,
    podManagementPolicy: "OrderedReady",
    replicas: 2,
    minReadySeconds: 3,
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
  };
  const jumps = [20_000, 21_000].map((atMs) => ({ atMs, what: "clockJump", value: 0 }) as const);
  const script: Script = {
    kind: "statefulset",
    seed: 1,
    nodes: 2,
    operators: 1,
    objects: [{ ...set!, spec }],
    rates: {},
    steps: jumps,
  };
  const outcome = await playScript({ definitions: customDefinitions() }, kind, script);
  expect(outcome.failure).toBeUndefined();
  expect(outcome.virtualMs).toBeGreaterThan(2 * 3_600_000);
});
