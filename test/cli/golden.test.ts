/** Golden outputs of every verb in every state, on a terminal and into a pipe. */
import { expect, test } from "vitest";
import { askedOf, podCliqueSetStages } from "./pod-clique-set-stages.ts";
import { placementStages } from "./placement-stages.ts";
import { roleBasedGroupStages } from "./role-based-group-stages.ts";
import { statefulSetStages } from "./stateful-set-stages.ts";
import { transcriptOf } from "./transcript.ts";

test.each(Object.entries(statefulSetStages))("a StatefulSet, %s", async (state, stage) => {
  const asked = { rollout: "statefulset/web", image: "app=web:v3" };
  const text = await transcriptOf(await stage(), asked);
  await expect(text).toMatchFileSnapshot(`golden/statefulset-${state}.txt`);
});

test.each(Object.entries(podCliqueSetStages))("a PodCliqueSet, %s", async (state, stage) => {
  const text = await transcriptOf(await stage(), askedOf(state));
  await expect(text).toMatchFileSnapshot(`golden/podcliqueset-${state}.txt`);
});

test.each(Object.entries(roleBasedGroupStages))("a RoleBasedGroup, %s", async (state, stage) => {
  const asked = { rollout: "rolebasedgroup/chat", image: "decode/app=web:v3" };
  const text = await transcriptOf(await stage(), asked);
  await expect(text).toMatchFileSnapshot(`golden/rolebasedgroup-${state}.txt`);
});

test.each(Object.entries(placementStages))("a Placement, %s", async (state, stage) => {
  const text = await transcriptOf(await stage(), { rollout: "placement/web", image: "app=web:v3" });
  await expect(text).toMatchFileSnapshot(`golden/placement-${state}.txt`);
});
