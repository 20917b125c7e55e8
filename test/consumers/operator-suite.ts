/** What consumers see while the Placement controller rewrites decisions, crashes and fails, on any API server. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clusterManagementAddOnResource } from "../../src/api/ocm/addon.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../../src/api/ocm/managed-cluster.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import type { DecisionGroup } from "../../src/planner/index.ts";
import type { Client } from "../../src/runtime/client.ts";
import type { Transport } from "../../src/runtime/transport.ts";
import type { Random } from "../../src/sim/random.ts";
import { seededRandom } from "../../src/sim/random.ts";
import { clusters, groupsOf, settled } from "../builders/placement.ts";
import { createClusters, createManagement, placementOf } from "../builders/placement-objects.ts";
import { bindingOf, setOf } from "../builders/placement-scenario.ts";
import { Consumers } from "./consumers.ts";
import type { Trouble } from "./operator.ts";
import { Operator } from "./operator.ts";
import { testRows } from "./row-tests.ts";
import type { ConsumerServer } from "./suite.ts";

export interface OperatorServer extends ConsumerServer {
  /** A connection of the operator's own. */
  connect(): Transport;
}

const namespace = "default";
const name = "web";
const key = { namespace, name };
const chosen = "example.com/chosen";
const ring = "example.com/ring";
const canaries = clusters(1, 120);

interface Change {
  /** Clusters that are chosen, from the first number to the last. */
  readonly range: readonly [number, number];
  readonly groupSize: number | string;
  readonly hasCanary?: boolean;
}

/** Each begins where the one before it ended. */
const changes: Readonly<Record<string, Change>> = {
  "a cluster in front moves the hundredth": { range: [0, 150], groupSize: "100%" },
  "without it the hundredth moves back": { range: [1, 150], groupSize: "100%" },
  "a hundred more behind": { range: [1, 250], groupSize: "100%" },
  "groups of 50 instead of one": { range: [1, 250], groupSize: 50 },
  "canaries in groups of their own": { range: [1, 250], groupSize: 50, hasCanary: true },
  "one group again": { range: [1, 250], groupSize: "100%" },
  "one long canary group and one more": { range: [1, 250], groupSize: "100%", hasCanary: true },
  "back to the start": { range: [1, 150], groupSize: "100%" },
};

function groupsFor({
  range: [first, last],
  groupSize,
  hasCanary = false,
}: Change): DecisionGroup[] {
  const all = clusters(first, last);
  const size = typeof groupSize === "number" ? groupSize : all.length;
  if (!hasCanary) return groupsOf(all, size);
  const named = groupsOf(
    all.filter((each) => canaries.includes(each)),
    size,
  );
  const rest = all.filter((each) => !canaries.includes(each));
  return [...named.map((group) => ({ ...group, name: "canary" })), ...groupsOf(rest, size)];
}

const sizesOf = (change: Change): Record<string, number> =>
  Object.fromEntries(settled(groupsFor(change)).map((each) => [each.name, each.clusters.length]));

interface Troubled {
  readonly losses: readonly string[];
  readonly isHit: boolean;
}

class World {
  readonly consumers: Consumers;
  readonly #server: OperatorServer;
  #operator: Operator;
  #now: Change = { range: [1, 150], groupSize: "100%" };

  private constructor(server: OperatorServer, consumers: Consumers, operator: Operator) {
    this.#server = server;
    this.consumers = consumers;
    this.#operator = operator;
  }

  static async start(server: OperatorServer): Promise<World> {
    const { client, connection } = server;
    await client.create(clusterSetResource, setOf("everything", everything));
    await client.create(clusterSetBindingResource, bindingOf("everything"));
    for (const each of clusters(0, 250))
      await label(client, each, { [ring]: canaries.includes(each) ? "canary" : null });
    for (const each of clusters(1, 150)) await label(client, each, { [chosen]: "yes" });
    const operator = new Operator(() => server.connect());
    await operator.start();
    const consumers = await Consumers.start({ connection, namespace });
    await consumers.ask({ ask: "follow", placement: name });
    await consumers.ask({ ask: "expect", staying: [], selected: clusters(1, 150) });
    await client.create(
      placementResource,
      placementOf(key, specOf({ range: [1, 150], groupSize: "100%" }, "RollingUpdate")),
    );
    await createManagement(client, { name, placements: [key] });
    const world = new World(server, consumers, operator);
    await world.#settled();
    return world;
  }

  /** Makes a change and waits for its end; returns what broke a promise on the way. */
  async change(
    next: Change,
    strategy: "All" | "RollingUpdate" = "RollingUpdate",
  ): Promise<readonly string[]> {
    const before = await this.#begin(next, strategy);
    const { losses } = await this.#settled();
    return losses.slice(before);
  }

  /** What was lost before it. */
  async #begin(next: Change, strategy: "All" | "RollingUpdate"): Promise<number> {
    const listed = new Set(clusters(...this.#now.range));
    const selected = clusters(...next.range);
    const staying = selected.filter((each) => listed.has(each));
    const before = await this.consumers.ask({ ask: "expect", staying, selected });
    await this.#patch(next, strategy);
    await this.#choose(next);
    this.#now = next;
    return before.losses.length;
  }

  /** The operator dies when the surge is over, and the next one finds another strategy. */
  async switchInSurge(
    next: Change,
    surged: { readonly writes: number; readonly sizes: Readonly<Record<string, number>> },
  ): Promise<readonly string[]> {
    const operator = await this.#replaceOperator({ kind: "crash", at: surged.writes });
    const before = await this.#begin(next, "RollingUpdate");
    await operator.whenHit;
    const of = clusters(...next.range);
    await this.consumers.ask({ ask: "holds", sizes: surged.sizes, of });
    await this.#patch(next, "All");
    await this.#replaceOperator();
    const { losses } = await this.#settled();
    return losses.slice(before);
  }

  async #patch(next: Change, strategy: "All" | "RollingUpdate"): Promise<void> {
    const body = { spec: specOf(next, strategy) };
    await this.#server.client.patch(placementResource, key, { type: "merge", body });
  }

  /** The same while one write of the operator goes wrong, unless there are fewer writes. */
  async changeIn(trouble: Trouble, next: Change): Promise<Troubled> {
    const operator = await this.#replaceOperator(trouble);
    // Another operator takes over as soon as this one is dead.
    const revival =
      trouble.kind === "crash" ? operator.whenHit.then(() => this.#replaceOperator()) : undefined;
    const losses = await this.change(next);
    // Whatever is left of the trouble must not come with the next change.
    if (operator.isHit) await revival;
    if (this.#operator === operator) await this.#replaceOperator();
    return { losses, isHit: operator.isHit };
  }

  async #replaceOperator(trouble?: Trouble): Promise<Operator> {
    this.#operator.abandon();
    this.#operator = new Operator(() => this.#server.connect());
    await this.#operator.start(trouble);
    return this.#operator;
  }

  async stop(): Promise<void> {
    await this.#operator.stop();
    await this.#server.client.delete(clusterManagementAddOnResource, { name });
    await this.#server.client.delete(placementResource, key);
    await this.consumers.stop();
  }

  async #choose({ range }: Change): Promise<void> {
    const [wanted, held] = [range, this.#now.range].map((each) => new Set(clusters(...each)));
    for (const each of [...wanted!].filter((other) => !held!.has(other))) {
      await label(this.#server.client, each, { [chosen]: "yes" });
    }
    for (const each of [...held!].filter((other) => !wanted!.has(other))) {
      await label(this.#server.client, each, { [chosen]: null });
    }
  }

  async #settled() {
    const of = clusters(...this.#now.range);
    await this.consumers.ask({ ask: "holds", sizes: sizesOf(this.#now), of });
    return this.consumers.ask({ ask: "installed", of });
  }
}

const everything = { clusterSelector: { selectorType: "LabelSelector", labelSelector: {} } };

function label(
  client: Client,
  cluster: string,
  labels: Record<string, string | null>,
): Promise<unknown> {
  const patch = { type: "merge", body: { metadata: { labels } } } as const;
  return client.patch(managedClusterResource, { name: cluster }, patch);
}

const specOf = ({ groupSize, hasCanary = false }: Change, type: "All" | "RollingUpdate") => ({
  predicates: [
    { requiredClusterSelector: { labelSelector: { matchLabels: { [chosen]: "yes" } } } },
  ],
  decisionStrategy: {
    groupStrategy: {
      clustersPerDecisionGroup: groupSize,
      decisionGroups: hasCanary
        ? [
            {
              groupName: "canary",
              groupClusterSelector: { labelSelector: { matchLabels: { [ring]: "canary" } } },
            },
          ]
        : [],
    },
    updateStrategy: { type },
  },
});

const troubles = ["crash", "conflict", "error", "lost answer"] as const;

/** Any range near the start, in one group or in groups of any size, with or without canaries. */
const randomChange = (random: Random): Change => ({
  range: [random.below(6), 140 + random.below(12)],
  groupSize: random.below(3) === 0 ? "100%" : 20 + random.below(130),
  hasCanary: random.below(2) === 0,
});

export function describeOperator(
  where: string,
  start: () => Promise<OperatorServer>,
  { sequences }: { readonly sequences: number },
): void {
  describe(`the Placement controller and consumers in another process, ${where}`, () => {
    let server: OperatorServer;
    let world: World;
    const front = changes["a cluster in front moves the hundredth"]!;
    const without = changes["without it the hundredth moves back"]!;
    const by50 = changes["groups of 50 instead of one"]!;
    const whole = changes["one group again"]!;
    const by50WithCanaries: Change = { range: [1, 150], groupSize: 50, hasCanary: true };
    const one = changes["back to the start"]!;

    beforeAll(async () => {
      server = await start();
      await createClusters(server.client, clusters(0, 250));
      world = await World.start(server);
    }, 600_000);
    afterAll(async () => {
      await world.stop();
      await server.stop();
    });

    test.each(Object.entries(changes))("PL1 PL12 AD1 %s", async (_what, change) => {
      expect(await world.change(change)).toEqual([]);
    });

    test("PL8 under All the same change hides a cluster from the same consumers", async () => {
      const losses = await world.change(front, "All");
      expect(losses.join("\n")).toMatch(
        /^the union misses 1 \(c00100\) after MODIFIED web-decision-1/,
      );
      await world.change(without);
    });

    test("PL9 AD1 switched to All in the middle of a surge it hides no cluster, nor on its way back", async () => {
      const sizes = { "web-decision-1": 101, "web-decision-2": 51 };
      expect(await world.switchInSurge(front, { writes: 2, sizes })).toEqual([]);
      expect(await world.change(without)).toEqual([]);
    });

    test(`PL1 PL12 AD12 ${sequences} random changes, half of them while a write goes wrong`, async () => {
      const random = seededRandom(15);
      let hit = 0;
      for (let sequence = 0; sequence < sequences; sequence++) {
        const next = randomChange(random);
        const kind = troubles[random.below(troubles.length)]!;
        const trouble = { kind, at: 1 + random.below(8) };
        const isTroubled = random.below(2) === 0;
        const { losses, isHit } = isTroubled
          ? await world.changeIn(trouble, next)
          : { losses: await world.change(next), isHit: false };
        if (isHit) hit += 1;
        const given = JSON.stringify(isTroubled ? { ...next, ...trouble } : next);
        expect(losses, `change ${sequence}: ${given}`).toEqual([]);
      }
      expect(hit).toBeGreaterThan(sequences / 8);
      expect(await world.change(one)).toEqual([]);
    }, 1_800_000);

    test.each(troubles)(
      "PL1 PL12 AD12 %s at every write of a change, there and back",
      async (kind) => {
        for (const [there, back] of [
          [front, without],
          [by50, whole],
          [by50WithCanaries, one],
        ] as const) {
          expect(await world.change(back)).toEqual([]);
          for (let at = 1, isAnyHit = true; isAnyHit; at++) {
            isAnyHit = false;
            for (const next of [there, back]) {
              const { losses, isHit } = await world.changeIn({ kind, at }, next);
              expect(losses, `${kind} at write ${at}`).toEqual([]);
              isAnyHit ||= isHit;
            }
          }
        }
      },
      1_800_000,
    );

    testRows(() => ({ client: server.client, consumers: world.consumers }));
  });
}
