/** `lockstep status --watch`, which scripts wait for: its last line is true. */
import { expect, test } from "vitest";
import type { Transport } from "../../src/runtime/transport.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { cliOf } from "../builders/cli.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

/** News of pods come later than those of the set. */
const withLatePods = (transport: Transport, clock: VirtualClock, lateMs: number): Transport => ({
  ...transport,
  request: (request) => transport.request(request),
  stream: (request, onEvent) =>
    transport.stream(request, (event) => {
      if (!request.path.includes("/pods")) return onEvent(event);
      clock.after(lateMs, () => onEvent(event));
    }),
});

test("counters and message of a line are of the same moment", async () => {
  const { clock, transport, setImage, settled } = await statefulSetScenario({
    replicas: 10,
    spec: { ...rolling(3), podManagementPolicy: "Parallel" },
  });
  await settled();
  await setImage("web:v2");
  const { text } = await cliOf({ clock, transport }).lockstep("status sts/web --watch");
  const lines = [
    ...text.matchAll(/^Progressing: (\d+)\/10 pods available, .* (\d+) pods? (?:is|are) down/gm),
  ].map(([, available = "", down = ""]) => [Number(available), Number(down)]);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.map(([, down]) => down)).toEqual(lines.map(([available = 0]) => 10 - available));
});

test("a healthy rollout ends with all of its pods, however late their news are", async () => {
  const { clock, transport, setImage, settled } = await statefulSetScenario({
    replicas: 3,
    spec: rolling(1),
  });
  await settled();
  await setImage("web:v2");
  const { lockstep } = cliOf({ clock, transport: withLatePods(transport, clock, 600) });
  const { code, text } = await lockstep("status sts/web --watch");
  expect(code).toBe(0);
  expect(text.split("\n").at(-1)).toMatch(/^Healthy: 3\/3 pods available, 3\/3 updated: /);
});
