/** A simulated cluster in virtual time as a world to tell StatefulSet stories in. */
import { setScenario } from "./set-scenario.ts";
import type { SetWorld } from "./set-stage.ts";

const longestMs = 3_600_000;
const lookEveryMs = 500;

export async function virtualSetWorld(): Promise<SetWorld> {
  const { client, clock } = await setScenario({ withoutSet: true });
  return {
    client,
    opensNoGates: true,
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
