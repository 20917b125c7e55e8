/** What people read of a group whose role fails: the cause before all else, and no rule that is not at work. */
import { expect, test } from "vitest";
import { cliOf } from "../builders/cli.ts";
import type { GroupScenarioOptions } from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";

const name = "a-group-whose-name-takes-much-of-a-line";

async function withBrokenDecode(options: GroupScenarioOptions = {}) {
  const world = await groupScenario({ name, sizes: { prefill: 6, decode: 3 }, ...options });
  await world.settled();
  await world.setImage("web:v2", "prefill");
  await world.setImage("web:broken", "decode");
  await world.clock.runFor(20_000);
  return (line: string) => cliOf(world).lockstep(line);
}

test("a line of the list shows the cause, whatever the other roles wait for", async () => {
  const lockstep = await withBrokenDecode({ strategy: { maxSkew: "1%" } });
  const [, line] = (await lockstep("list")).text.split("\n");
  expect(line).toMatch(new RegExp(` ${name}-decode-2: (ErrImagePull|ImagePullBackOff): `));
});

test("CO6 a role that fails halts its partners", async () => {
  const lockstep = await withBrokenDecode({ strategy: { maxSkew: "1%" } });
  const { text } = await lockstep(`why rbg/${name}`);
  expect(text).toContain("CO6 A failing role halts its partners");
});

test("RG8 roles on their own halt nobody, and the one that fails is named first", async () => {
  const lockstep = await withBrokenDecode();
  const { text } = await lockstep(`why rbg/${name}`);
  expect(text).toContain(`doing      decode waits for ${name}-decode-2 (new)`);
  expect(text).toContain("rule       RG8 Failing role:");
  const [, line] = (await lockstep("list")).text.split("\n");
  expect(line).toMatch(new RegExp(` ${name}-decode-2: (ErrImagePull|ImagePullBackOff): `));
});
