/** Commands that show a rollout whose size the operator refuses: they answer, and in words. */
import { expect, test } from "vitest";
import { cliOf } from "../builders/cli.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";

const most = 2_147_483_647;

test("OP8 a set with as many replicas as a number can say is shown by every command", async () => {
  const scenario = await podCliqueSetScenario({ cliques: { front: {} } });
  await scenario.settled();
  await scenario.scale(most);
  await scenario.clock.runFor(5_000);
  const { lockstep } = cliOf(scenario);
  for (const line of ["list", "status pcs/chat", "why pcs/chat", "watch pcs/chat --once"]) {
    expect((await lockstep(line)).text).toContain("the set asks for 4294967294 cliques and pods");
  }
});

test("OP8 a scaling group of that size is shown, too", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { lead: {} },
    groups: { pair: { cliques: ["lead"] } },
  });
  await scenario.settled();
  await scenario.scaleGroup("chat-0-pair", most);
  await scenario.clock.runFor(5_000);
  const { text } = await cliOf(scenario).lockstep("status pcs/chat");
  expect(text).toContain("at most 20000 are possible");
});
