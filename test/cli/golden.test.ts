/** Golden outputs of every verb in every state, on a terminal and into a pipe. */
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { askedOf, podCliqueSetStages } from "./pod-clique-set-stages.ts";
import { placementStages } from "./placement-stages.ts";
import { roleBasedGroupStages } from "./role-based-group-stages.ts";
import { statefulSetStages } from "./stateful-set-stages.ts";
import type { Asked, StagedWorld } from "./transcript.ts";
import { stableTranscriptOf, transcriptOf } from "./transcript.ts";

async function expectGolden(name: string, world: StagedWorld, asked: Asked): Promise<void> {
  await expect(await transcriptOf(world, asked)).toMatchFileSnapshot(`golden/${name}.txt`);
  // What a real server was seen to say too: whoever changes a message sees it here, without one.
  const real = `../k8s/golden/${name}.txt`;
  if (!existsSync(new URL(real, import.meta.url))) return;
  await expect(await stableTranscriptOf(world, asked)).toMatchFileSnapshot(real);
}

test.each(Object.entries(statefulSetStages))("a StatefulSet, %s", async (state, stage) => {
  expect.hasAssertions();
  const asked = { rollout: "statefulset/web", image: "app=web:v3" };
  await expectGolden(`statefulset-${state}`, await stage(), asked);
});

test.each(Object.entries(podCliqueSetStages))("a PodCliqueSet, %s", async (state, stage) => {
  expect.hasAssertions();
  await expectGolden(`podcliqueset-${state}`, await stage(), askedOf(state));
});

test.each(Object.entries(roleBasedGroupStages))("a RoleBasedGroup, %s", async (state, stage) => {
  expect.hasAssertions();
  const asked = { rollout: "rolebasedgroup/chat", image: "decode/app=web:v3" };
  await expectGolden(`rolebasedgroup-${state}`, await stage(), asked);
});

test.each(Object.entries(placementStages))("a Placement, %s", async (state, stage) => {
  expect.hasAssertions();
  const asked = { rollout: "placement/web", image: "app=web:v3" };
  await expectGolden(`placement-${state}`, await stage(), asked);
});
