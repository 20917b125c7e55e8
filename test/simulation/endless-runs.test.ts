/** A run that would never end is a failure of liveness: who goes in circles is stopped, and the next seed is played. */
import { expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { customDefinitions } from "../../src/cli/definitions.ts";
import type { Client } from "../../src/runtime/client.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { sleep } from "../../src/runtime/clock.ts";
import { sweep } from "../../src/simulation/sweep.ts";
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
