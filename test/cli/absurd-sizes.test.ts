/** Commands that show a rollout whose size the operator refuses: they answer, and in words. */
import { expect, test } from "vitest";
import { cliOf } from "../builders/cli.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";

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

const refusal = (what: string): RegExp =>
  new RegExp(
    `would ask for ${what}, at most 20000 are possible: the operator would refuse it, too`,
  );

test.each(["RollingRecreate", "ReplicaRecreate"])(
  "OP8 a plan of a set of that size under %s is refused instead of played",
  async (type) => {
    const scenario = await podCliqueSetScenario({
      strategy: { type },
      cliques: { front: { minAvailable: 1 } },
    });
    await scenario.settled();
    const { lockstep } = cliOf(scenario);
    const replicas = await lockstep(`plan pcs/chat --set spec.replicas=${most}`);
    expect(replicas.code).toBe(1);
    expect(replicas.text).toMatch(refusal("2147483647 replicas"));
    const path = "spec.template.cliques.front.spec.replicas";
    const clique = await lockstep(`plan pcs/chat --set ${path}=${most}`);
    expect(clique.code).toBeGreaterThan(0);
    // Where it has a size of its own, a template does not change that: the set is played, and rejected as a whole.
    expect(clique.text).toMatch(/asks? for \d+ .*at most 20000 are possible/);
  },
);

test("OP8 nor is one of a StatefulSet or a group of that size", async () => {
  const set = cliOf(await statefulSetScenario({ replicas: 2 }));
  const ofSet = await set.lockstep(`plan sts/web --set spec.replicas=${most}`);
  expect([ofSet.code, ofSet.text]).toEqual([1, expect.stringMatching(refusal(`${most} pods`))]);
  const group = cliOf(await groupScenario({ sizes: { prefill: 1 } }));
  const ofGroup = await group.lockstep(`plan rbg/chat --set spec.roles.prefill.replicas=${most}`);
  expect([ofGroup.code, ofGroup.text]).toEqual([1, expect.stringMatching(refusal(`${most} pods`))]);
});
