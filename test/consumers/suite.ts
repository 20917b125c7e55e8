/** What consumers see while decisions are rewritten by the planner's writes, one by one, on any API server. */
import { atLeastOne } from "../builders/must.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clusterManagementAddOnResource } from "../../src/api/ocm/addon.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import type {
  DecisionGroup,
  DecisionUpdateStrategy,
  DecisionWrite,
  ObservedDecision,
} from "../../src/planner/index.ts";
import { planPlacement } from "../../src/planner/index.ts";
import type { Client } from "../../src/runtime/client.ts";
import { seededRandom } from "../../src/sim/random.ts";
import { clusters, writesOf } from "../builders/placement.ts";
import { createClusters, createManagement, DecisionWriter } from "../builders/placement-objects.ts";
import type { SelectionChange } from "./changes.ts";
import { losingRows, randomSelection, rows, scenarios, smallFleet, smallLimit } from "./changes.ts";
import { Consumers } from "./consumers.ts";
import type { Connection, Report } from "./messages.ts";

export interface ConsumerServer {
  readonly client: Client;
  readonly connection: Connection;
  stop(): Promise<void>;
}

const namespace = "default";
const namesIn = (groups: readonly DecisionGroup[]): string[] =>
  groups.flatMap((group) => [...group.clusters]);
const listedIn = (decisions: readonly ObservedDecision[]): Set<string> =>
  new Set(decisions.flatMap((decision) => [...decision.clusters]));

/** One Placement, its decisions, and the consumers that follow them. */
class Stage {
  readonly #client: Client;
  readonly #writer: DecisionWriter;
  readonly #consumers: Consumers;
  readonly #placement: string;
  readonly #limit: number;
  #events = 0;

  private constructor(
    client: Client,
    placement: string,
    parts: { consumers: Consumers; limit: number },
  ) {
    this.#client = client;
    this.#placement = placement;
    this.#writer = new DecisionWriter(client, { namespace, name: placement });
    this.#consumers = parts.consumers;
    this.#limit = parts.limit;
  }

  static async start(
    { client, consumers }: { client: Client; consumers: Consumers },
    placement: string,
    { limit = 100 } = {},
  ): Promise<Stage> {
    await consumers.ask({ ask: "follow", placement });
    const stage = new Stage(client, placement, { consumers, limit });
    await stage.#writer.createPlacement();
    return stage;
  }

  /** Reaches this selection write by write; the consumers have checked each before the next. */
  async select(
    groups: readonly DecisionGroup[],
    strategy: DecisionUpdateStrategy = "RollingUpdate",
  ): Promise<Report> {
    for (const write of await this.plan(groups, strategy)) await this.write(write);
    return this.report();
  }

  /** What is to be written now; from here on everything listed that stays selected must be seen. */
  async plan(
    groups: readonly DecisionGroup[],
    strategy: DecisionUpdateStrategy = "RollingUpdate",
  ): Promise<DecisionWrite[]> {
    const observed = await this.#writer.observed();
    const listed = listedIn(observed);
    const selected = namesIn(groups);
    const staying = selected.filter((name) => listed.has(name));
    await this.#consumers.ask({ ask: "expect", staying, selected });
    const selection = { kind: "selected", groups } as const;
    const snapshot = { placement: this.#placement, observed, selection };
    return writesOf(planPlacement(snapshot, { strategy, maxClustersPerDecision: this.#limit }));
  }

  async write(write: DecisionWrite): Promise<void> {
    await this.#writer.write(write);
    this.#events += 1;
    await this.#consumers.ask({ ask: "seen", events: this.#events });
  }

  /** The add-on is exactly where these groups say. */
  installed(groups: readonly DecisionGroup[]): Promise<Report> {
    return this.#consumers.ask({ ask: "installed", of: namesIn(groups) });
  }

  report(): Promise<Report> {
    return this.#consumers.ask({ ask: "report" });
  }

  async end(): Promise<void> {
    const labelSelector = `cluster.open-cluster-management.io/placement=${this.#placement}`;
    await this.#client.deleteCollection(placementDecisionResource, { namespace, labelSelector });
    await this.#client.delete(placementResource, { namespace, name: this.#placement });
  }
}

export function describeConsumers(
  where: string,
  start: () => Promise<ConsumerServer>,
  { sequences }: { readonly sequences: number },
): void {
  describe(`consumers in a process of their own, ${where}`, () => {
    let server: ConsumerServer;
    let parts: { client: Client; consumers: Consumers };
    let count = 0;
    const next = (): string => `web-${count++}`;
    beforeAll(async () => {
      server = await start();
      await createClusters(server.client, clusters(0, 250));
      const { client, connection } = server;
      parts = { client, consumers: await Consumers.start({ connection, namespace }) };
    }, 600_000);
    afterAll(async () => {
      await parts.consumers.stop();
      await server.stop();
    });

    test.each(Object.entries(rows))(
      "PL1 RollingUpdate, %s: no cluster is missed after any write",
      async (_name, change) => {
        const stage = await Stage.start(parts, next());
        await stage.select(change.from);
        const { losses, events } = await stage.select(change.to);
        expect(losses).toEqual([]);
        expect(events).toBeGreaterThan(1);
        await stage.end();
      },
    );

    test.each(losingRows)(
      "PL8 All, %s: the same consumers do miss clusters",
      async (_name, change) => {
        const stage = await Stage.start(parts, next());
        await stage.select(change.from);
        const { losses } = await stage.select(change.to, "All");
        expect(losses.join("\n")).toMatch(/^the union misses \d+ \(.+\) after MODIFIED/);
        await stage.end();
      },
    );

    test.each(Object.entries(scenarios))(
      "AD1 %s: add-ons keep their uids through every write",
      async (_name, change) => {
        const name = next();
        const stage = await Stage.start(parts, name);
        await createManagement(server.client, { name, placements: [{ namespace, name }] });
        await stage.select(change.from);
        await stage.installed(change.from);
        for (const write of atLeastOne(await stage.plan(change.to))) {
          await stage.write(write);
          expect((await stage.report()).losses).toEqual([]);
        }
        expect((await stage.installed(change.to)).losses).toEqual([]);
        await removeAddOn(server.client, stage, name);
      },
    );

    test("AD1 under All an add-on is deleted and comes back as another one", async () => {
      const name = next();
      const stage = await Stage.start(parts, name);
      await createManagement(server.client, { name, placements: [{ namespace, name }] });
      const { from, to }: SelectionChange =
        scenarios["scenario 1: a cluster in front moves the hundredth"]!;
      await stage.select(from);
      await stage.installed(from);
      const [first, ...rest] = await stage.plan(to, "All");
      await stage.write(first!);
      // The installer acts on what it sees, as any consumer does: the hundredth cluster is listed nowhere now.
      await stage.installed([
        { name: "", clusters: clusters(0, 150).filter((each) => each !== "c00100") },
      ]);
      for (const write of rest) await stage.write(write);
      const { losses } = await stage.installed(to);
      expect(losses).toContain("the add-on of c00100 changed its uid: DELETED");
      await removeAddOn(server.client, stage, name);
    });

    test(`PL1 AD12 ${sequences} random changes, interrupted after any write or by any failed one`, async () => {
      const random = seededRandom(11);
      const name = next();
      const stage = await Stage.start(parts, name, { limit: smallLimit });
      await createManagement(server.client, { name, placements: [{ namespace, name }] });
      let interrupted = 0;
      for (let sequence = 0; sequence < sequences; sequence++) {
        const groups = randomSelection(random);
        const writes = await stage.plan(groups);
        // The operator crashes here, or the write fails, or it is applied and its answer lost: all of them plan again
        // from what the server holds.
        const stopAfter = random.below(3) === 0 ? random.below(writes.length + 1) : writes.length;
        for (const write of writes.slice(0, stopAfter)) await stage.write(write);
        if (stopAfter < writes.length) interrupted += 1;
        else if (sequence % 5 === 0) await stage.installed(groups);
        expect((await stage.report()).losses, `after change ${sequence}`).toEqual([]);
      }
      expect(interrupted).toBeGreaterThan(sequences / 10);
      await stage.select([{ name: "", clusters: smallFleet }]);
      expect((await stage.installed([{ name: "", clusters: smallFleet }])).losses).toEqual([]);
      await removeAddOn(server.client, stage, name);
    }, 1_800_000);
  });
}

/** Takes the selection away, so that the add-ons of one test are gone before the next. */
async function removeAddOn(client: Client, stage: Stage, name: string): Promise<void> {
  await stage.select([]);
  await stage.installed([]);
  await client.delete(clusterManagementAddOnResource, { name });
  await stage.end();
}
