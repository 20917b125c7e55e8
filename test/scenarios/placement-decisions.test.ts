/** Whose decisions they are, what is never emptied or deleted, and what events say. */
import { expect, test } from "vitest";
import type { PlacementDecision, PlacementSpec } from "../../src/api/ocm/placement.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import { clusterSetResource } from "../../src/api/ocm/managed-cluster.ts";
import { ocmAnnotations, ocmLabels } from "../../src/api/ocm/labels.ts";
import { SharedCaches } from "../../src/controllers/engine/shared-caches.ts";
import { placementKind } from "../../src/controllers/placement/index.ts";
import type { LabelledGauge } from "../../src/runtime/metrics.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { TransportRequest } from "../../src/runtime/transport.ts";
import { crashAfter } from "../../src/sim/faults.ts";
import { refusing } from "../../src/simulation/faults.ts";
import { clusters } from "../builders/placement.ts";
import type { PlacementScenario } from "../builders/placement-scenario.ts";
import {
  inGroupsOf,
  placementObject,
  placementScenario,
  rollingDecisions,
} from "../builders/placement-scenario.ts";
import { namespace } from "../builders/scenario.ts";

const key = (name: string) => ({ namespace, name });
const patchDecision = (
  { client }: PlacementScenario,
  name: string,
  body: unknown,
  subresource?: string,
) => client.patch(placementDecisionResource, key(name), { type: "merge", body }, { subresource });

const decision = (name: string, more: Partial<PlacementDecision["metadata"]> = {}) => ({
  apiVersion: "cluster.open-cluster-management.io/v1beta1",
  kind: "PlacementDecision",
  metadata: { name, namespace, labels: { [ocmLabels.placement]: "web" }, ...more },
});

/** Mistakes that a server without our definitions lets through are written past its rules. */
const mistakes: Record<string, { readonly spec: PlacementSpec; readonly says: RegExp }> = {
  "a toleration without a key": {
    spec: { tolerations: [{ operator: "Equal", value: "a" }] },
    says: /TaintToleration: spec\.tolerations\[0\]\.key: If the key is empty, operator must be Exists/,
  },
  "Exists with a value": {
    spec: { tolerations: [{ key: "gpu", operator: "Exists", value: "a" }] },
    says: /If the operator is Exists, the value should be empty/,
  },
  "an operator that nobody knows": {
    spec: { tolerations: [{ key: "gpu", operator: "Like" }] },
    says: /spec\.tolerations\[0\]\.operator: "Like" is not known/,
  },
  "an expression that does not compile": {
    spec: {
      predicates: [
        { requiredClusterSelector: { celSelector: { celExpressions: ["managed.name =="] } } },
      ],
    },
    says: /Predicate: spec\.predicates\[0\].*celExpressions\[0\]: compilation failed/,
  },
  "a selector with an unknown operator": {
    spec: {
      predicates: [
        {
          requiredClusterSelector: {
            labelSelector: { matchExpressions: [{ key: "a", operator: "Near", values: ["b"] }] },
          },
        },
      ],
    },
    says: /matchExpressions\[0\]\.operator: Invalid value: "Near"/,
  },
  "a mode that nobody knows": {
    spec: { prioritizerPolicy: { mode: "Some" } },
    says: /incorrect prioritizer policy mode: Some/,
  },
  "a built-in score that nobody knows": {
    spec: { prioritizerPolicy: { configurations: [{ scoreCoordinate: { builtIn: "Spread" } }] } },
    says: /incorrect builtin prioritizer: Spread/,
  },
  "an add-on score without its name": {
    spec: { prioritizerPolicy: { configurations: [{ scoreCoordinate: { type: "AddOn" } }] } },
    says: /addOn should not be empty/,
  },
  "a negative number": { spec: { numberOfClusters: -1 }, says: /-1 clusters cannot be selected/ },
  "a group selector with an unknown operator": {
    spec: {
      decisionStrategy: {
        groupStrategy: {
          decisionGroups: [
            {
              groupName: "canary",
              groupClusterSelector: {
                claimSelector: { matchExpressions: [{ key: "a", operator: "Near" }] },
              },
            },
          ],
        },
      },
    },
    says: /DecisionGroup: .*not a valid selector operator/,
  },
};

test.each(Object.entries(mistakes))(
  "PL7 %s keeps every decision",
  async (_name, { spec, says }) => {
    const world = await placementScenario({ clusters: 101, spec: inGroupsOf(50) });
    await world.settle();
    const before = await world.decisions();
    await world.patchPlacement({ spec });
    await world.settle();
    expect(await world.decisions()).toEqual(before);
    const misconfigured = await world.condition("PlacementMisconfigured");
    expect(misconfigured).toMatchObject({ status: "True", reason: "Misconfigured" });
    expect(misconfigured?.message).toMatch(says);
    expect(await world.condition("PlacementSatisfied")).toMatchObject({
      status: "False",
      reason: "NotAllDecisionsScheduled",
    });
    expect(await world.condition("Stalled")).toMatchObject({
      status: "True",
      reason: "Misconfigured",
    });
    expect(
      (await world.events("web")).some((event) => event.startsWith("Stalled: keeping the 3")),
    ).toBe(true);
  },
);

test("PL7 a set that cannot be read keeps every decision, and only of those that use it", async () => {
  const world = await placementScenario({ clusters: 101 });
  await world.settle();
  const before = await world.decisions();
  const clusterSelector = {
    selectorType: "LabelSelector",
    labelSelector: { matchExpressions: [{ key: "a", operator: "Near" }] },
  };
  const body = { spec: { clusterSelector } };
  await world.client.patch(clusterSetResource, { name: "fleet" }, { type: "merge", body });
  await world.settle();
  expect(await world.decisions()).toEqual(before);
  expect(await world.condition("PlacementSatisfied")).toMatchObject({
    status: "False",
    message: expect.stringContaining("ManagedClusterSet fleet: spec.clusterSelector") as string,
  });
  const exclusive = { selectorType: "ExclusiveClusterSetLabel", labelSelector: null };
  await world.client.patch(
    clusterSetResource,
    { name: "fleet" },
    { type: "merge", body: { spec: { clusterSelector: exclusive } } },
  );
  await world.settle();
  expect(await world.condition("PlacementSatisfied")).toMatchObject({ status: "True" });
});

test("PL7 quoted numbers of clusters per group are numbers", async () => {
  const world = await placementScenario({ clusters: 4, spec: inGroupsOf("2") });
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c00001..c00002 (2) 0", "d2 c00003..c00004 (2) 1"]);
});

test("PL7 what is not supported is refused, with the way out", async () => {
  const world = await placementScenario({ clusters: 1 });
  const spread = { topologyKey: "zone", topologyKeyType: "Label" } as const;
  await expect(
    world.patchPlacement({ spec: { spreadPolicy: { spreadConstraints: [spread] } } }),
  ).rejects.toThrow(/spreading is not supported by Lockstep: remove spreadConstraints/);
  await expect(world.patchPlacement({ spec: { sortBy: "Score" } })).rejects.toThrow(
    /decisions are ordered by cluster name/,
  );
});

test("PL7 a name that fits no label says so", async () => {
  const world = await placementScenario({ clusters: 1, spec: null });
  const name = "w".repeat(64);
  await world.client.create(placementResource, placementObject(name, rollingDecisions));
  await world.settle();
  expect(await world.condition("PlacementMisconfigured", name)).toMatchObject({
    status: "True",
    message: expect.stringContaining("64 characters do not fit into a label") as string,
  });
});

test("PL22 foreign objects with our label are left alone, and an event names them", async () => {
  const world = await placementScenario({ clusters: 101 });
  await world.settle();
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u", controller: true };
  await world.client.create(placementDecisionResource, decision("by-hand"));
  await world.client.create(
    placementDecisionResource,
    decision("web-decision-9", { ownerReferences: [owner] }),
  );
  await world.removeCluster("c00101");
  await world.settle();
  const names = (await world.decisions()).map(({ metadata }) => metadata.name);
  expect(names).toContain("by-hand");
  expect(names).toContain("web-decision-1");
  expect(names).not.toContain("web-decision-2");
  const warned = (await world.events("web")).filter((event) => event.startsWith("ForeignDecision"));
  expect(warned[0]).toMatch(/PlacementDecision by-hand/);
  expect(warned.length).toBeLessThanOrEqual(2);
});

test("PL22 an object that has a decision's name and belongs to another stops the surge, and says so", async () => {
  const world = await placementScenario({ clusters: 100 });
  await world.settle();
  const taken = decision("web-decision-2", { labels: { app: "other" } });
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u", controller: true };
  await world.client.create(placementDecisionResource, {
    ...taken,
    metadata: { ...taken.metadata, ownerReferences: [owner], finalizers: ["test/keep"] },
  });
  world.expectComplaint(/exists already and belongs to ConfigMap a/);
  await world.addCluster("c00000");
  await world.settle();
  expect(await world.listed()).toEqual(expect.arrayContaining(clusters(1, 100)));
  expect(await world.condition("Stalled")).toMatchObject({
    status: "True",
    reason: "NameConflict",
  });
});

test("PL10 a Placement that is deleted without its decisions and created again loses nothing", async () => {
  const world = await placementScenario({ clusters: 150 });
  await world.settle();
  const before = await world.decisions();
  await world.client.delete(placementResource, key("web"), { propagationPolicy: "Orphan" });
  await world.settle();
  await world.addCluster("c00000");
  await world.client.create(placementResource, placementObject("web", rollingDecisions));
  await world.settle();
  const after = await world.decisions();
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(
    before.map(({ metadata }) => metadata.uid),
  );
  const { uid } = (await world.placement()).metadata;
  expect(after.map(({ metadata }) => metadata.ownerReferences)).toEqual(
    after.map(() => [expect.objectContaining({ uid, controller: true })]),
  );
  await world.atRest();
});

test("PL10 decisions of an earlier Placement of the name are adopted before they are used", async () => {
  const world = await placementScenario({ clusters: 150 });
  await world.settle();
  await world.restart((transport) => crashAfter(transport, 1_000));
  const [first] = await world.decisions();
  const [owner] = first!.metadata.ownerReferences ?? [];
  const stale = { metadata: { ownerReferences: [{ ...owner!, uid: "of-an-earlier-one" }] } };
  await patchDecision(world, "web-decision-1", stale);
  await world.clock.runFor(100);
  const found = (await world.decisions())[0];
  expect(found?.metadata.uid).toBe(first?.metadata.uid);
  expect(found?.metadata.ownerReferences).toEqual([owner]);
});

/** What people take away themselves is gone until the next reconcile. */
const byHand = /web lists c00001, c00002, c00003, c00004 no more/;

test("PL22 a decision that is deleted comes back, a label that is removed too", async () => {
  const world = await placementScenario({ clusters: 4, expected: [byHand] });
  await world.settle();
  await world.client.delete(placementDecisionResource, key("web-decision-1"));
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c00001..c00004 (4) 0"]);
  for (const label of [ocmLabels.placement, ocmLabels.groupIndex, ocmLabels.groupName]) {
    await patchDecision(world, "web-decision-1", { metadata: { labels: { [label]: null } } });
    await world.settle();
    expect(await world.drawn()).toEqual(["d1 c00001..c00004 (4) 0"]);
  }
  await patchDecision(world, "web-decision-1", { metadata: { ownerReferences: null } });
  await world.settle();
  const [owner] = (await world.decisions())[0]?.metadata.ownerReferences ?? [];
  expect(owner?.uid).toBe((await world.placement()).metadata.uid);
});

test("PL5 PL21 an owned decision without our label goes, and holds up nothing", async () => {
  const world = await placementScenario({ clusters: 101 });
  await world.settle();
  const [first] = await world.decisions();
  const { ownerReferences } = first!.metadata;
  await world.stopOperator();
  await world.client.create(
    placementDecisionResource,
    decision("by-hand", { labels: {}, ownerReferences }),
  );
  await world.removeCluster("c00101");
  await patchDecision(world, "web-decision-2", { metadata: { labels: null } });
  await world.restart();
  await world.settle();
  const { items } = await world.client.list(placementDecisionResource, { namespace });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["web-decision-1"]);
  expect(await world.condition("Progressing")).toMatchObject({ status: "False" });
});

test("PL20 a disabled Placement is left alone, until it is enabled again", async () => {
  const world = await placementScenario({ clusters: 4, expected: [byHand] });
  await world.settle();
  const annotate = (value: string | null) =>
    world.patchPlacement({
      metadata: { annotations: { [ocmAnnotations.schedulingDisabled]: value } },
    });
  await annotate("true");
  await world.client.delete(placementDecisionResource, key("web-decision-1"));
  await world.addCluster("c00005");
  await world.settle();
  expect(await world.drawn()).toEqual([]);
  await annotate("yes");
  await world.settle();
  expect(await world.drawn()).toEqual(["d1 c00001..c00005 (5) 0"]);
});

test("PL24 events say what was done, and that a list passes 100", async () => {
  const world = await placementScenario({ clusters: 150 });
  await world.settle();
  await world.addCluster("c00000");
  await world.settle();
  expect(await world.events("web")).toEqual([
    "DecisionUpdate: 150 clusters listed in 2 decisions",
    expect.stringMatching(
      /^DecisionSurge: while clusters move, web-decision-1 lists up to 101 clusters/,
    ),
    "DecisionUpdate: 151 clusters listed in 2 decisions",
  ]);
  expect(await world.condition("Available")).toMatchObject({ status: "True" });
  expect(await world.condition("Reconciling")).toMatchObject({
    status: "False",
    reason: "RolledOut",
  });
});

test("PL24 a surge that does not end is a condition, two gauges and an event", async () => {
  const gauges = recordedGauges();
  const world = await placementScenario({ clusters: 150 });
  await world.settle();
  await world.stopOperator();
  // The shrinking write of d1 is the only one that drops c00100.
  const isShrinking = ({ method, path, body }: TransportRequest): boolean =>
    method === "PATCH" &&
    path.endsWith("web-decision-1/status") &&
    !JSON.stringify(body).includes("c00100");
  const stuck = refusing(isShrinking);
  const transport = stuck.faults(world.transport, world.clock);
  const options = { client: restClient(transport), clock: world.clock, gauge: gauges.make };
  const controller = placementKind.controller({ ...options, caches: new SharedCaches(options) });
  void controller.start();
  await world.clock.runFor(1_000);
  const joinedAtMs = world.clock.now();
  await world.addCluster("c00000");
  await world.settle();
  expect(await world.condition("Progressing")).toMatchObject({
    status: "True",
    reason: "WriteFailed",
  });
  expect(await world.condition("Available")).toMatchObject({ status: "True" });
  expect((await world.events("web")).join()).toContain(
    "DecisionsNotWritten: writing decisions failed",
  );
  // d1 lists c00100 beside its home d2, and has done so for half a minute.
  expect(gauges.shown()).toEqual({
    lockstep_placement_surge_start_timestamp_seconds: expect.closeTo(
      joinedAtMs / 1000,
      0,
    ) as number,
    lockstep_placement_surged_decisions: 1,
  });
  const startedAt = gauges.shown()["lockstep_placement_surge_start_timestamp_seconds"];
  // A mistake on top of it freezes the surge: it is no less there, but nobody knows whose c00100 is.
  await world.patchPlacement({ spec: { tolerations: [{ operator: "Equal", value: "a" }] } });
  await world.settle();
  expect(await world.condition("Stalled")).toMatchObject({ status: "True" });
  expect(gauges.shown()).toEqual({
    lockstep_placement_surge_start_timestamp_seconds: startedAt,
    lockstep_placement_surged_decisions: 2,
  });
  await world.patchPlacement({ spec: { tolerations: null } });
  stuck.stop();
  await world.clock.runFor(180_000);
  expect(await world.condition("Progressing")).toMatchObject({
    status: "False",
    reason: "RolledOut",
  });
  expect(gauges.shown()).toEqual({});
  void controller.stop();
});

/** Gauges that have a series, with their value. */
function recordedGauges() {
  const series = new Map<string, number>();
  return {
    shown: () => Object.fromEntries(series),
    make: (name: string): LabelledGauge => ({
      set: (_labels, value) => void series.set(name, value),
      remove: () => void series.delete(name),
    }),
  };
}
