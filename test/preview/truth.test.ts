/** A plan cannot lie: it says what happens when the same change is made for real, for every kind and strategy. */
import { expect, test } from "vitest";
import type { Condition } from "../../src/api/apps.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { groupScenarioKind, statefulSetScenarioKind } from "../../src/simulation/scenario-kinds.ts";
import { podCliqueSetScenarioKind } from "../builders/grove-kinds.ts";
import { placementScenario } from "../builders/placement-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { namespace, scenario } from "../builders/scenario.ts";
import type { Change, World } from "./planned-and-done.ts";
import { make, plannedAndDone, preview } from "./planned-and-done.ts";
import type { TruthCase } from "./truth-cases.ts";
import { groups, placements, podCliqueSets, statefulSets } from "./truth-cases.ts";

const kindsOf = {
  PodCliqueSet: [podCliqueSetScenarioKind],
  StatefulSet: [statefulSetScenarioKind("full")],
  RoleBasedGroup: [groupScenarioKind, statefulSetScenarioKind("full")],
} as const;

async function worldOf({ resource, object, pool }: TruthCase): Promise<World> {
  if (resource.kind === "Placement") {
    const fleet = await placementScenario({ clusters: 10, spec: null });
    await fleet.client.create(resource, object);
    return fleet;
  }
  const tight = { nodes: 1, shape: { gpus: 2, labels: { pool: pool ?? "" } } };
  return scenario({
    kinds: [...kindsOf[resource.kind as keyof typeof kindsOf]] as [typeof groupScenarioKind],
    cluster: { deployments: true, ...(pool === undefined ? {} : tight) },
    objects: [object],
  });
}

/** Of a repository that nobody has seen yet, where pods of several images run. */
function imagesOf({ resource }: TruthCase, tag: string): readonly string[] {
  const [within, newTag = ""] = tag.includes(":") ? tag.split(":") : [undefined, tag];
  const repository = resource.kind === "PodCliqueSet" ? "chat" : "web";
  const place = within === undefined ? "app" : `${within}/app`;
  return tag === "" ? [] : [`${place}=${repository}:${newTag}`];
}

const changeOf = (given: TruthCase): Change => ({
  resource: given.resource,
  name: given.object.metadata.name ?? "",
  images: imagesOf(given, given.tag),
  fields: given.fields ?? [],
});

const isStalled = async ({ client }: World, { resource, object }: TruthCase): Promise<boolean> => {
  const { status } = await client.get<KubeObject & { status?: { conditions?: Condition[] } }>(
    resource,
    { namespace, name: object.metadata.name ?? "" },
  );
  return (
    status?.conditions?.some((each) => each.type === "Stalled" && each.status === "True") ?? false
  );
};

/** How it ends, in the plan and for real. */
async function outcomeOf(given: TruthCase): Promise<object> {
  const world = await worldOf(given);
  await world.clock.runFor(120_000);
  const change = changeOf(given);
  // Of pods that all started together nobody knows how long they pulled their image.
  const isTogether = ["near", "batched", "grown"].includes(change.name);
  if (isTogether) await make(world, { ...change, images: imagesOf(given, "v1.1"), fields: [] });
  const { verdict, warnings } = await plannedAndDone(world, change);
  const code = given.code === undefined ? undefined : warnings[0]?.code;
  return { verdict, code, isStalled: await isStalled(world, given) };
}

const expected = ({ verdict, code }: TruthCase): object => ({
  verdict,
  code,
  isStalled: verdict === "stalls" && code !== "RolledBack",
});

test.each(Object.entries(podCliqueSets))("PS1 PodCliqueSet, %s", async (_name, given) => {
  expect(await outcomeOf(given)).toEqual(expected(given));
});

test.each(Object.entries(statefulSets))("ST1 StatefulSet, %s", async (_name, given) => {
  expect(await outcomeOf(given)).toEqual(expected(given));
});

test.each(Object.entries(groups))("CO1 RoleBasedGroup, %s", async (_name, given) => {
  expect(await outcomeOf(given)).toEqual(expected(given));
});

test.each(Object.entries(placements))("PL1 Placement, %s", async (_name, given) => {
  expect(await outcomeOf(given)).toEqual(expected(given));
});

test("PS1 nothing would change, and that is said", async () => {
  const world = await podCliqueSetScenario({ cliques: { front: {} } });
  await world.settled();
  const [given] = Object.values(podCliqueSets);
  const change = { ...changeOf(given as TruthCase), name: "chat", images: [] };
  const { plan, code } = await preview(world, change);
  expect(plan).toMatchObject({ verdict: "nothing", steps: [] });
  expect(plan.warnings.map((warning) => warning.code)).toEqual(["NothingChanges"]);
  expect(code).toBe(0);
});
