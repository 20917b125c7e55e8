/** The scripts of a StatefulSet in virtual time; over HTTP and on a real API server the same ones run. */
import { expect, test } from "vitest";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";
import type { StatefulSetWorld } from "../builders/stateful-set-stage.ts";
import { statefulSetScripts } from "./statefulset-scripts/index.ts";
import { runIn } from "./statefulset-scripts/script.ts";

const longestMs = 3_600_000;
const lookEveryMs = 500;

async function virtualWorld(): Promise<StatefulSetWorld> {
  const { client, clock, expectComplaint } = await statefulSetScenario({ withoutSet: true });
  return {
    client,
    hasKubelets: true,
    expectComplaint,
    pass: () => clock.runFor(60_000),
    async until(what, look) {
      const endMs = clock.now() + longestMs;
      for (;;) {
        const found = await look();
        if (found !== undefined && found !== false) return found;
        if (clock.now() >= endMs) throw new Error(`${what}: not within an hour of virtual time`);
        await clock.runFor(lookEveryMs);
      }
    },
  };
}

test.each(Object.entries(statefulSetScripts))("%s", async (_name, script) => {
  expect(await runIn(await virtualWorld(), "web", script)).not.toEqual([]);
});
