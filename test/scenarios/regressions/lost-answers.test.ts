/** Answers that never come: what was asked for may have happened all the same, and must not happen twice. */
import { expect, test } from "vitest";
import { podResource } from "../../../src/api/pod.ts";
import { ConnectionLost } from "../../../src/sim/faults.ts";
import type { Fault } from "../../../src/simulation/faults.ts";
import { isAbout, refusing, seenLate } from "../../../src/simulation/faults.ts";
import { podCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";

const conflict = { kind: "Status", status: "Failure", reason: "Conflict", code: 409 };

/** The first pod is made but nobody hears of it; the second try is refused; pods are seen late. */
const lostThenRefused: Fault = (transport, clock) => {
  let tries = 0;
  return {
    ...seenLate(podResource, 3_000)(transport, clock),
    async request(request) {
      const isMaking = request.method === "POST" && isAbout(request, podResource);
      tries += isMaking ? 1 : 0;
      if (isMaking && tries === 2) return { status: 409, warnings: [], body: conflict };
      const response = await transport.request(request);
      if (isMaking && tries === 1) throw new ConnectionLost();
      return response;
    },
  };
};

test("a refusal of the second try does not make the first one undone: one pod, one hostname", async () => {
  const scenario = await podCliqueSetScenario({ cliques: { front: {} }, faults: lostThenRefused });
  await scenario.settled();
  expect(await scenario.pods()).toHaveLength(1);
});

test("a clique whose status could never be written still knows what it was before its first update", async () => {
  const statuses = refusing(
    ({ method, path }) => method === "PATCH" && /podcliques\/[^/]+\/status$/.test(path),
  );
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 3, minAvailable: 1, updateStrategy: { partition: 2 } } },
    faults: statuses.faults,
  });
  await scenario.clock.runFor(20_000);
  await scenario.setImages({ front: "front:v2" });
  await scenario.clock.runFor(60_000);
  statuses.stop();
  await scenario.settled();
  await scenario.deletePod("chat-0-front-0");
  await scenario.clock.runFor(60_000);
  expect(statuses.asked).not.toEqual([]);
  expect(scenario.drawing()).toEqual([
    "chat-0-front-0 front:v1",
    "chat-0-front-1 front:v1",
    "chat-0-front-2 front:v2",
  ]);
});
