/** The add-on installer on the embedded server: exactly the listed clusters, at the strategy's pace. */
import { expect, test } from "vitest";
import {
  clusterManagementAddOnResource,
  managedClusterAddOnResource,
} from "../../src/api/ocm/addon.ts";
import { ocmLabels } from "../../src/api/ocm/labels.ts";
import { managedClusterResource } from "../../src/api/ocm/managed-cluster.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import { addOnScenario } from "../builders/addon-scenario.ts";
import { clusters, groupsOf } from "../builders/placement.ts";
import {
  createClusters,
  createManagement,
  DecisionWriter,
  placementKey,
} from "../builders/placement-objects.ts";
import { forbidding, heldBack, isAbout, refusing } from "../../src/simulation/faults.ts";

const three = ["a", "b", "c"];

test("AD1 one add-on per listed cluster, none where no decision lists it, and the others keep their uid", async () => {
  const world = await addOnScenario({ clusters: [...three, "d"] });
  await world.select("a", "b", "c");
  expect(await world.installed()).toBe("a b c");
  const before = await world.uids();
  await world.select("b", "c", "d");
  expect(await world.installed()).toBe("b c d");
  expect(await world.uids()).toMatchObject({ b: before["b"], c: before["c"] });
  expect(await world.events("agent")).toEqual([
    "AddOnInstalled: installed on a, b, c",
    "AddOnInstalled: installed on d",
    "AddOnRemoved: removed from a: no Placement selects it any more",
  ]);
});

test("AD1 moving all homes of 150 clusters installs one add-on and touches no other", async () => {
  const names = clusters(0, 150);
  const world = await addOnScenario({ clusters: names });
  await world.selectGroups(groupsOf(names.slice(1)));
  const before = await world.uids();
  for (const key of Object.keys(world.writes)) delete world.writes[key];
  await world.selectGroups(groupsOf(names));
  const after = await world.uids();
  expect(Object.keys(after)).toHaveLength(151);
  expect(after).toMatchObject(before);
  expect(world.writes["create managedclusteraddons"]).toBe(1);
  expect(world.writes["delete managedclusteraddons"]).toBeUndefined();
});

test("AD1 the add-on carries its owner and the cluster's add-on annotations", async () => {
  const world = await addOnScenario({ clusters: ["a"] });
  const annotations = { "addon.open-cluster-management.io/hosting": "hub", other: "no" };
  const patch = { type: "merge", body: { metadata: { annotations } } } as const;
  await world.client.patch(managedClusterResource, { name: "a" }, patch);
  await world.select("a");
  const [addOn] = await world.addOns();
  expect(addOn?.metadata.annotations).toEqual({
    "addon.open-cluster-management.io/hosting": "hub",
  });
  const { metadata } = await world.management();
  expect(addOn?.metadata.ownerReferences).toMatchObject([
    { kind: "ClusterManagementAddOn", name: "agent", uid: metadata.uid, controller: true },
  ]);
});

test("AD2 Placements are joined, and a cluster goes when the last of them lets it go", async () => {
  const other = { namespace: "default", name: "edge" };
  const world = await addOnScenario({ clusters: three, placements: [placementKey, other] });
  const edge = new DecisionWriter(world.client, other);
  await edge.createPlacement();
  await world.select("a", "b");
  await edge.write({ kind: "create", name: "edge-decision-1", group: { index: 0, name: "" } });
  await edge.write({ kind: "list", name: "edge-decision-1", clusters: ["b", "c"] });
  await world.clock.runFor(1_000);
  expect(await world.installed()).toBe("a b c");
  const before = await world.uids();
  await world.select("a");
  expect(await world.installed()).toBe("a b c");
  await edge.write({ kind: "list", name: "edge-decision-1", clusters: ["c"] });
  await world.clock.runFor(1_000);
  expect(await world.installed()).toBe("a c");
  expect(before).toMatchObject(await world.uids());
});

test("AD3 no decision at all is no empty selection: everything stays, and the status says so", async () => {
  const world = await addOnScenario({ clusters: three });
  await world.select("a", "b");
  const before = await world.uids();
  await world.client.delete(placementDecisionResource, {
    namespace: "default",
    name: "web-decision-1",
  });
  await world.clock.runFor(5_000);
  expect(await world.uids()).toEqual(before);
  expect(await world.condition("Progressing")).toBe(
    "True SelectionUnsure: keeping the add-on of a, b, which no decision lists: " +
      "Placement default/web has no PlacementDecision yet",
  );
  expect(await world.events("agent")).toContain(
    "SelectionUnsure: keeping the add-on of a, b: Placement default/web has no PlacementDecision yet",
  );
  await world.select("b");
  expect(await world.installed()).toBe("b");
});

test("AD3 a decision that its Placement names and that is not there removes nothing", async () => {
  const world = await addOnScenario({ clusters: three });
  await world.selectGroups([
    { name: "", clusters: ["a"] },
    { name: "", clusters: ["b"] },
  ]);
  const decisionGroups = [1, 2].map((number) => ({
    decisionGroupIndex: number - 1,
    decisionGroupName: "",
    decisions: [`web-decision-${number}`],
    clusterCount: 1,
  }));
  const status = { type: "merge", body: { status: { decisionGroups } } } as const;
  await world.client.patch(placementResource, placementKey, status, { subresource: "status" });
  await world.client.delete(placementDecisionResource, {
    namespace: "default",
    name: "web-decision-1",
  });
  await world.clock.runFor(5_000);
  expect(await world.installed()).toBe("a b");
  expect(await world.condition("Progressing")).toContain(
    "Placement default/web has a PlacementDecision web-decision-1 that is not there",
  );
});

test("AD3 a group label that cannot be read installs and removes nothing", async () => {
  const world = await addOnScenario({ clusters: three });
  await world.select("a", "b");
  const key = { namespace: "default", name: "web-decision-1" };
  const labels = { [ocmLabels.groupIndex]: "first" };
  const merge = (body: unknown) => ({ type: "merge", body }) as const;
  await world.client.patch(placementDecisionResource, key, merge({ metadata: { labels } }));
  const decisions = [
    { clusterName: "b", reason: "" },
    { clusterName: "c", reason: "" },
  ];
  await world.client.patch(placementDecisionResource, key, merge({ status: { decisions } }), {
    subresource: "status",
  });
  await world.clock.runFor(5_000);
  expect(await world.installed()).toBe("a b");
  expect(await world.condition("Progressing")).toContain('is "first": want a number from 0');
});

test("AD4 the server is asked before anything is removed: a late cache costs no add-on", async () => {
  const late = heldBack(placementDecisionResource);
  const world = await addOnScenario({ clusters: three, faults: late.faults });
  await world.select("a", "b");
  const before = await world.uids();
  // The installer sees that b is gone, but not that it came back.
  await world.decisions.write({ kind: "list", name: "web-decision-1", clusters: ["a"] });
  late.hold();
  await world.decisions.write({ kind: "list", name: "web-decision-1", clusters: ["a", "b"] });
  await world.clock.runFor(5_000);
  expect(await world.uids()).toEqual(before);
  late.release();
  await world.clock.runFor(5_000);
  expect(await world.uids()).toEqual(before);
});

test("AD6 a cluster that refuses the add-on keeps it from no other, and is tried again", async () => {
  const world = await addOnScenario({ clusters: ["b", "c"] });
  await world.client.create(managedClusterResource, {
    apiVersion: "cluster.open-cluster-management.io/v1",
    kind: "ManagedCluster",
    metadata: { name: "a" },
    spec: {},
  });
  await world.select("a", "b", "c");
  expect(await world.installed()).toBe("b c");
  expect(await world.condition("Progressing")).toContain('a: namespaces "a" not found');
  expect(await world.events("agent")).toContain(
    'AddOnRefused: cannot install on a, trying again: namespaces "a" not found',
  );
  const refused = (await world.events("agent")).length;
  await world.clock.runFor(60_000);
  expect((await world.events("agent")).length).toBe(refused);
  await world.client.create(
    { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } },
  );
  await world.clock.runFor(11_000);
  expect(await world.installed()).toBe("a b c");
});

test("AD6 a cluster without a ManagedCluster is waited for", async () => {
  const world = await addOnScenario({ clusters: ["a"] });
  await world.select("a", "z");
  expect(await world.installed()).toBe("a");
  await world.clock.runFor(5_000);
  expect(await world.condition("Progressing")).toContain(
    "waiting for ManagedCluster z, which decisions list",
  );
  await createClusters(world.client, ["z"]);
  await world.clock.runFor(1_000);
  expect(await world.installed()).toBe("a z");
});

test("AD7 what people installed themselves is left alone", async () => {
  const world = await addOnScenario({ clusters: three, type: "Manual" });
  const byHand = {
    apiVersion: "addon.open-cluster-management.io/v1alpha1",
    kind: "ManagedClusterAddOn",
    metadata: { name: "agent", namespace: "a" },
    spec: {},
  };
  await world.client.create(managedClusterAddOnResource, byHand);
  await world.select("b");
  expect(await world.installed()).toBe("a");
  const installStrategy = { type: "Placements", placements: [placementKey] };
  const patch = { type: "merge", body: { spec: { installStrategy } } } as const;
  await world.client.patch(clusterManagementAddOnResource, { name: "agent" }, patch);
  await world.clock.runFor(1_000);
  expect(await world.installed()).toBe("a b");
  await world.select("a", "b");
  await world.select("b");
  expect(await world.installed()).toBe("a b");
});

test("AD8 a deleted add-on is installed again, once the old one is gone", async () => {
  const world = await addOnScenario({ clusters: three });
  await world.select("a");
  const before = await world.uids();
  const key = { namespace: "a", name: "agent" };
  const held = { type: "merge", body: { metadata: { finalizers: ["example.com/hook"] } } } as const;
  await world.client.patch(managedClusterAddOnResource, key, held);
  await world.client.delete(managedClusterAddOnResource, key);
  await world.clock.runFor(5_000);
  expect(await world.installed()).toBe("a~");
  expect(await world.condition("Available")).toContain("a: the old add-on is terminating");
  const released = { type: "merge", body: { metadata: { finalizers: null } } } as const;
  await world.client.patch(managedClusterAddOnResource, key, released);
  await world.clock.runFor(2_000);
  expect(await world.installed()).toBe("a");
  expect((await world.uids())["a"]).not.toBe(before["a"]);
});

test("AD9 when a Placement is gone its decisions count until they are gone too", async () => {
  const world = await addOnScenario({ clusters: three });
  await world.select("a", "b");
  const patch = { type: "merge", body: { metadata: { ownerReferences: null } } } as const;
  const key = { namespace: "default", name: "web-decision-1" };
  await world.client.patch(placementDecisionResource, key, patch);
  await world.client.delete(placementResource, placementKey);
  await world.clock.runFor(5_000);
  expect(await world.installed()).toBe("a b");
  await world.client.delete(placementDecisionResource, key);
  await world.clock.runFor(5_000);
  expect(await world.installed()).toBe("");
  expect(await world.condition("Stalled")).toBe(
    "True PlacementNotFound: Placement default/web does not exist, so it selects nothing: " +
      "create it or remove it from spec.installStrategy",
  );
});

test("AD10 the status counts, and comes to rest when every add-on is available", async () => {
  const world = await addOnScenario({ clusters: three });
  await world.select("a", "b");
  expect(await world.condition("Available")).toContain(
    "False MinimumUnavailable: 0 of 2 add-ons available, 2 needed",
  );
  await world.report("a", "Available", "True");
  await world.report("b", "Available", "True");
  await world.clock.runFor(10_000);
  const { metadata, status } = await world.management();
  expect(status).toMatchObject({
    observedGeneration: metadata.generation,
    selectedClusters: 2,
    installedAddOns: 2,
    availableAddOns: 2,
    installProgressions: [
      {
        namespace: "default",
        name: "web",
        conditions: [{ type: "Progressing", status: "False", reason: "RolledOut" }],
      },
    ],
  });
  expect(await world.condition("Progressing")).toBe("False RolledOut: installed on 2 clusters");
  expect(await world.condition("Stalled")).toBe("False AtRest: it is at rest: nothing is overdue");
});

test("AD11 what agents and clusters report of themselves causes no reconcile and no write", async () => {
  const names = clusters(1, 40);
  const world = await addOnScenario({ clusters: names });
  await createManagement(world.client, { name: "other" });
  await world.select(...names);
  for (const name of names) await world.report(name, "Available", "True");
  await world.clock.runFor(30_000);
  for (const counts of [world.writes, world.reconciles])
    for (const key of Object.keys(counts)) delete counts[key];
  for (const { metadata, status } of await world.addOns()) {
    const heartbeat = { ...status!.conditions![0]!, type: "RegistrationApplied" };
    const patch = {
      type: "merge",
      body: { status: { conditions: [...status!.conditions!, heartbeat] } },
    } as const;
    const key = { namespace: metadata.namespace, name: "agent" };
    await world.client.patch(managedClusterAddOnResource, key, patch, { subresource: "status" });
  }
  const labels = { type: "merge", body: { metadata: { labels: { heartbeat: "2" } } } } as const;
  for (const name of names) await world.client.patch(managedClusterResource, { name }, labels);
  await world.clock.runFor(30_000);
  expect([world.reconciles, world.writes]).toEqual([{}, {}]);
});

test("AD12 a server that fails for a while costs nothing but time", async () => {
  const outage = refusing(
    (request) => request.method !== "GET" && isAbout(request, managedClusterAddOnResource),
    7,
  );
  const world = await addOnScenario({ clusters: clusters(1, 20), faults: outage.faults });
  await world.select(...clusters(1, 10));
  await world.clock.runFor(30_000);
  const before = await world.uids();
  expect(Object.keys(before)).toHaveLength(10);
  await world.select(...clusters(3, 14));
  await world.clock.runFor(30_000);
  expect(Object.keys(await world.uids())).toEqual(clusters(3, 14));
  expect(outage.asked).toHaveLength(7);
});

test("AD12 an installer that may not list decisions removes nothing", async () => {
  const denied = forbidding(
    (request) => request.method === "GET" && request.query?.["labelSelector"] !== undefined,
  );
  const world = await addOnScenario({ clusters: three, faults: denied });
  await world.select("a", "b");
  await world.select("a");
  await world.clock.runFor(30_000);
  expect(await world.installed()).toBe("a b");
  expect(await world.condition("Progressing")).toContain("WriteFailed");
});
