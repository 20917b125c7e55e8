/**
 * The table of changes, each made by one request: the Placement controller does the writing. A range of names is an
 * expression here, so that thousands of clusters join and leave in the same moment.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clusterManagementAddOnResource } from "../../src/api/ocm/addon.ts";
import type { PlacementSpec } from "../../src/api/ocm/placement.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import type { DecisionGroup, DecisionUpdateStrategy } from "../../src/planner/index.ts";
import type { Client } from "../../src/runtime/client.ts";
import { clusters, settled } from "../builders/placement.ts";
import { createClusters, createManagement, placementOf } from "../builders/placement-objects.ts";
import { losingRows, rows } from "./changes.ts";
import type { Consumers } from "./consumers.ts";

export interface RowParts {
  readonly client: Client;
  readonly consumers: Consumers;
}

const key = { namespace: "default", name: "rows" };
/** The other tests bring the first 250 along. */
const more = clusters(251, 3_500);
const atOnce = 20;

async function createFleet(client: Client): Promise<void> {
  for (let at = 0; at < more.length; at += atOnce) {
    const some = more.slice(at, at + atOnce);
    await Promise.all(some.map((each) => createClusters(client, [each])));
  }
}

function specOf(groups: readonly DecisionGroup[], type: DecisionUpdateStrategy): PlacementSpec {
  const names = groups.flatMap((group) => group.clusters);
  const celExpressions = [
    `managedCluster.metadata.name >= "${names[0]}"`,
    `managedCluster.metadata.name <= "${names.at(-1)}"`,
  ];
  const clustersPerDecisionGroup = groups.length > 1 ? groups[0]!.clusters.length : "100%";
  return {
    predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }],
    decisionStrategy: { groupStrategy: { clustersPerDecisionGroup }, updateStrategy: { type } },
  };
}

const sizesOf = (groups: readonly DecisionGroup[]): Record<string, number> =>
  Object.fromEntries(
    settled(groups).map(({ name, clusters: listed }) => [
      name.replace("web", key.name),
      listed.length,
    ]),
  );

class RowWorld {
  readonly #parts: RowParts;
  #selected: ReadonlySet<string> = new Set();

  constructor(parts: RowParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { client, consumers } = this.#parts;
    await createFleet(client);
    await consumers.ask({ ask: "follow", placement: key.name });
    await client.create(placementResource, placementOf(key, { numberOfClusters: 0 }));
    await createManagement(client, { name: key.name, placements: [key] });
  }

  async stop(): Promise<void> {
    const { client } = this.#parts;
    await client.delete(clusterManagementAddOnResource, { name: key.name });
    await client.delete(placementResource, key);
  }

  /** What broke the promise on the way there. */
  async select(
    groups: readonly DecisionGroup[],
    strategy: DecisionUpdateStrategy = "RollingUpdate",
  ): Promise<readonly string[]> {
    const { client, consumers } = this.#parts;
    const selected = groups.flatMap((group) => group.clusters);
    const staying = selected.filter((name) => this.#selected.has(name));
    const before = await consumers.ask({ ask: "expect", staying, selected });
    const body = { spec: { ...specOf(groups, strategy), numberOfClusters: null } };
    await client.patch(placementResource, key, { type: "merge", body });
    await consumers.ask({ ask: "holds", sizes: sizesOf(groups), of: selected });
    const { losses } = await consumers.ask({ ask: "installed", of: selected });
    this.#selected = new Set(selected);
    return losses.slice(before.losses.length);
  }
}

export function testRows(parts: () => RowParts): void {
  describe("the table of changes, each made by one request", () => {
    let world: RowWorld;
    beforeAll(async () => {
      world = new RowWorld(parts());
      await world.start();
    }, 120_000);
    afterAll(() => world.stop());

    test.each(Object.entries(rows))("PL1 PL12 AD1 %s", async (_name, { from, to }) => {
      await world.select(from);
      expect(await world.select(to)).toEqual([]);
    });

    test.each(losingRows)("PL8 All, %s", async (_name, { from, to }) => {
      await world.select(from);
      const losses = await world.select(to, "All");
      expect(losses.join("\n")).toMatch(/^the union misses \d+ \(.+\) after MODIFIED/m);
    });
  });
}
