/** What the promises of Placements take for true: an operator may act on the strategy of a moment ago. */
import { afterEach, expect, test } from "vitest";
import { ocmLabels } from "../../src/api/ocm/labels.ts";
import { managedClusterResource } from "../../src/api/ocm/managed-cluster.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import { apiVersionOf } from "../../src/api/resource.ts";
import { customDefinitions } from "../../src/cli/definitions.ts";
import { PlacementPromises } from "../../src/simulation/promises/placement-promises.ts";
import type { SimulatedWorld } from "../../src/simulation/world.ts";
import { simulatedWorld } from "../../src/simulation/world.ts";
import { clusterOf, inGroupsOf, placementObject } from "../builders/placement-scenario.ts";

const namespace = "default";
const key = { namespace, name: "web" };
const decisionKey = { namespace, name: "web-decision-1" };

let world: SimulatedWorld;
afterEach(() => world.stop());

/** Three clusters that are all selected, and a decision that is written by hand. Nobody else is there. */
async function watched(type: "All" | "RollingUpdate") {
  const violations: string[] = [];
  const report = (text: string): number => violations.push(text);
  const onProblem = (problem: unknown): number => report(String(problem));
  world = await simulatedWorld({ seed: 1, nodes: 0, definitions: customDefinitions(), onProblem });
  const { client, clock } = world;
  const steady = { now: () => clock.monotonic() };
  const promises = new PlacementPromises(
    { client, clock: steady, report },
    { holdsAllToIt: false },
  );
  for (const name of ["c1", "c2", "c3"])
    await client.create(managedClusterResource, clusterOf(name));
  await client.create(placementResource, placementObject("web", inGroupsOf(3, type)));
  await client.create(placementDecisionResource, {
    apiVersion: apiVersionOf(placementDecisionResource),
    kind: placementDecisionResource.kind,
    metadata: { ...decisionKey, labels: { [ocmLabels.placement]: "web" } },
  });
  const list = async (...names: string[]): Promise<void> => {
    const body = {
      status: { decisions: names.map((clusterName) => ({ clusterName, reason: "" })) },
    };
    const patch = { type: "merge", body } as const;
    await client.patch(placementDecisionResource, decisionKey, patch, { subresource: "status" });
    await clock.runFor(1);
  };
  const setStrategy = (next: "All" | "RollingUpdate") =>
    client.patch(placementResource, key, { type: "merge", body: { spec: inGroupsOf(3, next) } });
  await list("c1", "c2", "c3");
  return { promises, violations, list, setStrategy, passes: (ms: number) => clock.runFor(ms) };
}

test.each([
  { afterMs: 2_000, want: [] },
  { afterMs: 12_000, want: [expect.stringContaining("web lists c2 no more")] },
])(
  "PL1 a rolling update that was asked for $afterMs ms ago may not be known yet, but soon it is",
  async ({ afterMs, want }) => {
    const { list, setStrategy, passes, violations } = await watched("All");
    await passes(30_000);
    await setStrategy("RollingUpdate");
    await passes(afterMs);
    await list("c1", "c3");
    expect(violations).toEqual(want);
  },
);

test("PL1 whoever updates in place is promised nothing from then on", async () => {
  const { list, setStrategy, passes, violations } = await watched("RollingUpdate");
  await passes(30_000);
  await setStrategy("All");
  await list("c1", "c3");
  expect(violations).toEqual([]);
});

test("PL1 at rest a cluster that is not listed is missed, as soon as that is promised at all", async () => {
  const { promises, list, setStrategy, violations } = await watched("All");
  await list("c1", "c3");
  promises.checkAtRest();
  expect(violations).toEqual([]);
  await setStrategy("RollingUpdate");
  promises.checkAtRest();
  expect(violations).toEqual(["web lists 2 clusters at rest, 3 wanted"]);
});
