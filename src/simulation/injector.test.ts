/** Faults of one connection. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { WatchEvent } from "../runtime/transport.ts";
import { VirtualClock } from "../runtime/virtual-clock.ts";
import { seededRandom } from "../sim/random.ts";
import { Injector, struckTransport } from "./injector.ts";

const warnings: Error[] = [];
const onWarning = (warning: Error): void => void warnings.push(warning);
beforeEach(() => process.on("warning", onWarning));
afterEach(() => process.off("warning", onWarning));

const pods: readonly WatchEvent[] = Array.from({ length: 20 }, (_, at) => ({
  type: "ADDED",
  object: { metadata: { name: `web-${at}` } },
}));

test("any number of slow events may be on their way in one watch, in order and without a warning", async () => {
  const clock = new VirtualClock();
  const transport = struckTransport(
    {
      request: () => Promise.reject(new Error("nobody asks")),
      stream: (_request, onEvent) => Promise.resolve(pods.forEach(onEvent)),
    },
    {
      injector: new Injector({ random: seededRandom(1), rates: { slowWatch: 1 } }),
      clock,
      onCrash: () => undefined,
      isCutOff: () => false,
      held: () => undefined,
    },
  );
  const seen: WatchEvent[] = [];
  const watching = transport.stream(
    { method: "GET", path: "/api/v1/pods" },
    (event) => void seen.push(event),
  );
  await clock.settle();
  expect(seen).toEqual([]);
  await clock.runUntilIdle();
  await watching;
  expect(seen).toEqual(pods);
  expect(warnings).toEqual([]);
});
