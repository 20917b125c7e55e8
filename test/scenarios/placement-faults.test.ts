/** No cluster disappears whatever fails: crashes after every write, every write failing in every way, changed minds. */
import { expect, test } from "vitest";
import { managedClusterResource } from "../../src/api/ocm/managed-cluster.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import type { Transport, TransportRequest } from "../../src/runtime/transport.ts";
import { ConnectionLost, crashAfter } from "../../src/sim/faults.ts";
import { seededRandom } from "../../src/sim/random.ts";
import type { Fault } from "../../src/simulation/faults.ts";
import { heldBack, isAbout, refusing, seenLate, stormy } from "../../src/simulation/faults.ts";
import { refused } from "../builders/memory-server.ts";
import { clusters } from "../builders/placement.ts";
import type { PlacementScenario } from "../builders/placement-scenario.ts";
import { inGroupsOf, placementScenario, rollingDecisions } from "../builders/placement-scenario.ts";

interface Row {
  /** First and last cluster, and how many make a group. */
  readonly from: readonly [number, number, number?];
  readonly to: readonly [number, number, number?];
  /** create + list + delete. */
  readonly calls: string;
}

const rows: Record<string, Row> = {
  "150, insert first": { from: [1, 150], to: [0, 150], calls: "0+3+0" },
  "151, delete first": { from: [0, 150], to: [1, 150], calls: "0+3+0" },
  "250, one group to groups of 50": { from: [1, 250], to: [1, 250, 50], calls: "2+7+0" },
  "250, groups of 50 to one": { from: [1, 250, 50], to: [1, 250], calls: "0+5+2" },
  "200, insert first": { from: [1, 200], to: [0, 200], calls: "1+5+0" },
  "201, delete first": { from: [0, 200], to: [1, 200], calls: "0+4+1" },
  "1000, insert first": { from: [1, 1000], to: [0, 1000], calls: "1+21+0" },
  "1000, insert 50 first": { from: [51, 1050], to: [1, 1050], calls: "1+21+0" },
  "1000, insert 100 first": { from: [101, 1100], to: [1, 1100], calls: "1+21+0" },
  "1000, append last": { from: [1, 1000], to: [1, 1001], calls: "1+1+0" },
  "1000, all replaced": { from: [1, 1000], to: [1001, 2000], calls: "0+10+0" },
  "3500, insert first": { from: [1, 3500], to: [0, 3500], calls: "1+71+0" },
};

/** Everything that the change needs happens before the operator sees any of it. */
async function change(world: PlacementScenario, row: Row, held: ReturnType<typeof heldBack>) {
  const before = new Set(clusters(row.from[0], row.from[1]));
  const after = new Set(clusters(row.to[0], row.to[1]));
  held.hold();
  for (const name of [...after].filter((each) => !before.has(each))) await world.addCluster(name);
  for (const name of [...before].filter((each) => !after.has(each)))
    await world.removeCluster(name);
  held.release();
  if (row.from[2] !== row.to[2])
    await world.patchPlacement({ spec: inGroupsOf(row.to[2] ?? "100%") });
}

test.each(Object.entries(rows))("PL1 PL2 %s: no cluster disappears", async (_name, row) => {
  const held = heldBack(managedClusterResource);
  const world = await placementScenario({
    clusters: clusters(row.from[0], row.from[1]),
    spec: inGroupsOf(row.from[2] ?? "100%"),
    faults: held.faults,
  });
  await world.settle();
  for (const key of Object.keys(world.writes)) delete world.writes[key];
  await change(world, row, held);
  await world.settle();
  const calls = [
    "create placementdecisions",
    "patch placementdecisions/status",
    "delete placementdecisions",
  ];
  expect(calls.map((call) => world.writes[call] ?? 0).join("+")).toBe(row.calls);
  await world.atRest();
});

const isDecisionWrite = (request: TransportRequest): boolean =>
  request.method !== "GET" && isAbout(request, placementDecisionResource);

const small = { from: [1, 103], to: [0, 103] } as const;

/** Rolled from one group to groups of 40 with a cluster in front: creates, surges, relabels and shrinks. */
async function regrouped(world: PlacementScenario): Promise<void> {
  await world.addCluster("c00000");
  await world.patchPlacement({ spec: inGroupsOf(40) });
}

const regroupedTo = [
  "d1 c00000..c00039 (40) 0",
  "d2 c00040..c00079 (40) 1",
  "d3 c00080..c00103 (24) 2",
];

async function started(): Promise<PlacementScenario> {
  const world = await placementScenario({ clusters: small.to[1] });
  await world.settle();
  return world;
}

async function writesOfChange(): Promise<number> {
  const world = await started();
  for (const key of Object.keys(world.writes)) delete world.writes[key];
  await regrouped(world);
  await world.settle();
  expect(await world.drawn()).toEqual(regroupedTo);
  return Object.entries(world.writes)
    .filter(([call]) => call.includes("placementdecisions"))
    .reduce((sum, [, count]) => sum + count, 0);
}

test("PL1 the operator crashes after every single write", async () => {
  const total = await writesOfChange();
  expect(total).toBeGreaterThanOrEqual(8);
  for (let position = 1; position <= total + 2; position++) {
    const world = await started();
    await world.restart((transport) => crashAfter(transport, position));
    await regrouped(world);
    await world.settle();
    await world.restart();
    await world.settle();
    expect(await world.drawn(), `after write ${position}`).toEqual(regroupedTo);
    await world.atRest();
  }
});

const answers = ["409", "500", "timeout, but applied", "timeout, not applied"] as const;
type Answer = (typeof answers)[number];

/** One write to a decision, the n-th, fails in this way. */
const failing =
  (position: number, answer: Answer): Fault =>
  (transport) => {
    let seen = 0;
    return {
      async request(request) {
        if (!isDecisionWrite(request) || ++seen !== position) return transport.request(request);
        if (answer === "timeout, but applied") await transport.request(request);
        if (answer.startsWith("timeout")) throw new ConnectionLost();
        const code = Number(answer);
        const body = refused(code, code === 409 ? "Conflict" : "InternalError");
        return { status: code, warnings: [], body };
      },
      stream: (request, onEvent) => transport.stream(request, onEvent),
    };
  };

test.each(answers)("PL1 every single write fails with %s", async (answer) => {
  const total = await writesOfChange();
  for (let position = 1; position <= total; position++) {
    const world = await started();
    await world.restart(failing(position, answer));
    await regrouped(world);
    await world.settle();
    expect(await world.drawn(), `write ${position}`).toEqual(regroupedTo);
    await world.atRest();
  }
});

test.each([
  ["the operator crashes", (transport: Transport) => crashAfter(transport, 1)],
  ["the next write fails", failing(2, "500")],
])("PL24 a list that passed 100 is an event also where %s behind it", async (_what, fault) => {
  const world = await placementScenario({ clusters: 150 });
  await world.settle();
  await world.restart(fault);
  await world.addCluster("c00000");
  await world.settle();
  await world.restart();
  await world.settle();
  const reported = (await world.events("web")).filter((event) => event.startsWith("DecisionSurge"));
  expect(reported).toEqual([expect.stringContaining("web-decision-1 lists up to 101 clusters")]);
});

test("PL9 a switch to All in the middle of a surge finishes it", async () => {
  const world = await placementScenario({ clusters: 250 });
  await world.settle();
  await world.restart((transport) => crashAfter(transport, 4));
  await world.addCluster("c00000");
  await world.settle();
  const sizes = (await world.decisions()).map((each) => each.status?.decisions.length);
  expect(sizes).toEqual([101, 101, 51]);
  await world.patchPlacement({ spec: inGroupsOf("100%", "All") });
  await world.restart();
  await world.settle();
  expect(await world.drawn()).toEqual([
    "d1 c00000..c00099 (100) 0",
    "d2 c00100..c00199 (100) 0",
    "d3 c00200..c00250 (51) 0",
  ]);
  await world.atRest();
});

test("PL21 every change of a decision carries the uid and the version that it was computed from", async () => {
  const changes: TransportRequest[] = [];
  const recording: Fault = (transport) => ({
    request(request) {
      if (isDecisionWrite(request) && request.method !== "POST") changes.push(request);
      return transport.request(request);
    },
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });
  const world = await started();
  await world.restart(recording);
  await regrouped(world);
  await world.settle();
  await world.patchPlacement({ spec: inGroupsOf("100%") });
  await world.settle();
  const given = changes.map(({ method, body }) => {
    const { metadata, preconditions } = body as Record<string, Record<string, unknown>>;
    return [method, metadata ?? preconditions];
  });
  const version = {
    uid: expect.any(String) as string,
    resourceVersion: expect.any(String) as string,
  };
  expect(given).toEqual(given.map(([method]) => [method, expect.objectContaining(version)]));
  expect(new Set(given.map(([method]) => method))).toEqual(new Set(["PATCH", "DELETE"]));
});

test("PL10 of a Placement that is gone nothing is written while the cache is late", async () => {
  const held = heldBack(placementResource);
  const world = await placementScenario({ clusters: 100, faults: held.faults });
  await world.settle();
  held.hold();
  await world.client.delete(placementResource, { namespace: "default", name: "web" });
  for (const key of Object.keys(world.writes)) delete world.writes[key];
  await world.addCluster("c00000");
  await world.settle();
  expect(Object.keys(world.writes).filter((call) => call.includes("decisions"))).toEqual([]);
  held.release();
  await world.settle();
  expect(await world.drawn()).toEqual([]);
});

test("PL21 nothing shrinks while the server cannot be asked", async () => {
  const lists = refusing(
    (request) =>
      request.method === "GET" &&
      isAbout(request, placementDecisionResource) &&
      request.query?.["labelSelector"] !== undefined,
  );
  const world = await placementScenario({ clusters: 150, faults: lists.faults });
  await world.settle();
  await world.addCluster("c00000");
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c00000..c00100 (101) 0", "d2 c00100..c00150 (51) 0"]);
  expect(await world.condition("Progressing")).toMatchObject({
    status: "True",
    reason: "WriteFailed",
    message: expect.stringContaining("GET refused") as string,
  });
  lists.stop();
  await world.clock.runFor(180_000);
  expect(await world.drawn()).toEqual(["d1 c00000..c00099 (100) 0", "d2 c00100..c00150 (51) 0"]);
  await world.atRest();
});

test("PL21 PL24 a cache that is late, and people who edit decisions meanwhile, lose nothing", async () => {
  const world = await placementScenario({
    clusters: 150,
    faults: seenLate(placementDecisionResource, 3_000),
  });
  await world.settle();
  await world.addCluster("c00000");
  await world.clock.runFor(100);
  expect(await world.condition("Progressing")).toMatchObject({
    status: "True",
    reason: "Surging",
    message: "clusters move between decisions: each is listed by both until the move is over",
  });
  await world.clock.runFor(3_400);
  const key = { namespace: "default", name: "web-decision-2" };
  const body = { metadata: { annotations: { touched: "yes" } } };
  await world.client.patch(placementDecisionResource, key, { type: "merge", body });
  await world.clock.runFor(60_000);
  expect(await world.drawn()).toEqual(["d1 c00000..c00099 (100) 0", "d2 c00100..c00150 (51) 0"]);
  await world.atRest();
});

test("PL21 a decision that somebody shortens while the cache is late is not relied on", async () => {
  const world = await placementScenario({
    clusters: 150,
    faults: seenLate(placementDecisionResource, 3_000),
  });
  await world.settle();
  await world.addCluster("c00000");
  const surged = ["d1 c00000..c00100 (101) 0", "d2 c00100..c00150 (51) 0"];
  await world.until(async () => (await world.drawn()).join() === surged.join());
  // The operator learns in three seconds that the surge is over, and only later that d2 lists c00100 no more.
  await world.clock.runFor(1_000);
  const decisions = clusters(101, 150).map((clusterName) => ({ clusterName, reason: "" }));
  await world.client.patch(
    placementDecisionResource,
    { namespace: "default", name: "web-decision-2" },
    { type: "merge", body: { status: { decisions } } },
    { subresource: "status" },
  );
  await world.clock.runFor(60_000);
  expect(await world.drawn()).toEqual(["d1 c00000..c00099 (100) 0", "d2 c00100..c00150 (51) 0"]);
  await world.atRest();
});

interface Chance {
  readonly world: PlacementScenario;
  readonly random: ReturnType<typeof seededRandom>;
  readonly fleet: Set<string>;
  readonly type: "All" | "RollingUpdate";
}

/** One of the things that people and fleets do. */
async function anything({ world, random, fleet, type }: Chance): Promise<unknown> {
  const any = [...fleet].toSorted()[random.below(fleet.size)] ?? "c00100";
  const fresh = `c${String(random.below(400)).padStart(5, "0")}`;
  switch (random.below(6)) {
    case 0:
    case 1:
      return fleet.has(fresh) ? undefined : (fleet.add(fresh), world.addCluster(fresh));
    case 2:
      if (fleet.size < 110) return undefined;
      fleet.delete(any);
      return world.removeCluster(any);
    case 3:
      return world.patchPlacement({ spec: inGroupsOf(sizes[random.below(4)]!, type) });
    case 4: {
      const metadata = { labels: { ring: random.happens(0.5) ? "canary" : "rest" } };
      return world.patchCluster(any, { metadata });
    }
    default:
      return world.patchPlacement({ spec: canary(random.happens(0.5)) });
  }
}

const sizes = [30, 50, "100%", "40%"] as const;

/** Changes on top of each other, the operator crashing or failing in each of them. */
async function randomChanges(chance: Chance, count: number): Promise<void> {
  const { world, random } = chance;
  for (let at = 0; at < count; at++) {
    const position = 1 + random.below(8);
    const answer = answers[random.below(4)]!;
    const fault: Fault = random.happens(0.5)
      ? (transport) => crashAfter(transport, position)
      : failing(position, answer);
    await world.restart(fault);
    for (let more = random.below(3); more >= 0; more--) await anything(chance);
    await world.clock.runFor(random.below(2_000));
    await anything(chance);
    await world.clock.runFor(random.below(20_000));
  }
  await world.restart();
  await world.settle();
}

const canary = (isOn: boolean) => ({
  decisionStrategy: {
    groupStrategy: {
      decisionGroups: isOn
        ? [
            {
              groupName: "canary",
              groupClusterSelector: { labelSelector: { matchLabels: { ring: "canary" } } },
            },
          ]
        : null,
    },
  },
});

const sequences = 200;
const perSequence = 4;
/** Starting a fleet takes longer than a sequence: each begins where the one before it ended. */
const perFleet = 10;

test.each(Array.from({ length: sequences / perFleet }, (_, index) => index * perFleet + 1))(
  `PL1 ${perFleet} times ${perSequence} random changes with crashes and failing writes, from seed %d`,
  async (first) => {
    const fleet = new Set(clusters(100, 225));
    const world = await placementScenario({ clusters: [...fleet], spec: inGroupsOf("100%") });
    await world.settle();
    for (let seed = first; seed < first + perFleet; seed++) {
      const random = seededRandom(seed);
      await randomChanges({ world, random, fleet, type: "RollingUpdate" }, perSequence);
      await world.atRest();
      expect((await world.listed()).toSorted(), `seed ${seed}`).toEqual([...fleet].toSorted());
    }
  },
);

test("PL8 the same random changes under All do lose clusters", async () => {
  const fleet = new Set(clusters(100, 225));
  const world = await placementScenario({
    clusters: [...fleet],
    spec: inGroupsOf("100%", "All"),
    isNegativeControl: true,
    expected: [/no more, although selected/],
  });
  await world.settle();
  await randomChanges({ world, random: seededRandom(1), fleet, type: "All" }, 10);
  await world.atRest();
  expect((await world.listed()).toSorted()).toEqual([...fleet].toSorted());
});

test.each([1, 2, 3, 4, 5, 6])("PL1 in a storm of faults, seed %d", async (seed) => {
  const world = await placementScenario({
    clusters: 150,
    spec: rollingDecisions,
    faults: stormy(seededRandom(seed)),
  });
  await world.clock.runFor(600_000);
  await world.addCluster("c00000");
  await world.patchPlacement({ spec: inGroupsOf(40) });
  await world.clock.runFor(600_000);
  expect((await world.decisions()).length).toBe(4);
  await world.atRest();
});
