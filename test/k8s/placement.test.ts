/** Placements on a real API server: the promise on its own watch stream, crashes, the operator's role, and kubectl. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../../src/api/ocm/managed-cluster.ts";
import type { Placement, PlacementDecision, PlacementSpec } from "../../src/api/ocm/placement.ts";
import {
  decisionSelector,
  placementDecisionResource,
  placementResource,
} from "../../src/api/ocm/placement.ts";
import { chooseKinds } from "../../src/cli/controllers.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { ControlledKind } from "../../src/controllers/engine/controlled-kind.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { clusterAccess } from "../../src/kube/access.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import type { Client } from "../../src/runtime/client.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { crashAfter } from "../../src/sim/faults.ts";
import { clusters } from "../builders/placement.ts";
import { PlacementPromises } from "../../src/simulation/promises/placement-promises.ts";
import {
  bindingOf,
  clusterOf,
  drawDecision,
  inGroupsOf,
  placementObject,
  setName,
  setOf,
} from "../builders/placement-scenario.ts";
import type { Child } from "../control-plane/child.ts";
import { startGarbageCollector } from "../control-plane/stateful-set-manager.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

let cluster: RealCluster;
let collector: Child | undefined;
let operator: readonly ControlledKind[] = [];
const clock = systemClock();
const violations: string[] = [];
let promises: PlacementPromises;
const watching = new AbortController();

/** Problems of an operator that is made to crash say nothing. */
const startOperator = async (client: Client): Promise<void> => {
  operator = await startKinds(chooseKinds("placement"), { client, clock });
};

const stopOperator = async (): Promise<void> => {
  for (const controller of operator) await controller.stop();
};

beforeAll(async () => {
  cluster = await startRealCluster({ without: ["garbage-collector-controller"] });
  const { client } = cluster;
  await installDefinitions(client);
  collector = await startGarbageCollector(cluster.plane, { qps: 500 });
  await client.create(clusterSetResource, setOf(setName));
  await client.create(clusterSetBindingResource, bindingOf(setName));
  for (const name of clusters(1, 150)) await client.create(managedClusterResource, clusterOf(name));
  const report = (violation: string): void => void violations.push(violation);
  const options = { holdsAllToIt: true, staleMs: 0, signal: watching.signal };
  promises = new PlacementPromises({ client, clock, report }, options);
  await startOperator(await cluster.operatorClient());
});

afterAll(async () => {
  watching.abort();
  await stopOperator();
  await collector?.stop();
  await cluster.stop();
});

const drawn = async (name: string): Promise<string> => {
  const labelSelector = decisionSelector(name);
  const { items } = await cluster.client.list<PlacementDecision>(placementDecisionResource, {
    namespace,
    labelSelector,
  });
  const byNumber = items.toSorted((a, b) =>
    (a.metadata.name ?? "").localeCompare(b.metadata.name ?? "", "en", { numeric: true }),
  );
  return byNumber.map(drawDecision).join(", ");
};

const lists = (name: string, want: string) =>
  until(`${name} lists ${want}`, async () => (await drawn(name)) === want);

const isAtRest = async (name: string): Promise<boolean> => {
  const { status } = await cluster.client.get<Placement>(placementResource, { namespace, name });
  return (
    status?.conditions?.some((each) => each.type === "Progressing" && each.status === "False") ??
    false
  );
};

/** A watch may be late: what it complains of at rest has to be over in the end. What it saw on the way stays. */
const isSeenAtRest = (): Promise<boolean> => {
  const before = violations.length;
  promises.checkAtRest();
  const isClean = violations.length === before;
  violations.length = before;
  return Promise.resolve(isClean);
};

const create = (name: string, spec: PlacementSpec) =>
  cluster.client.create(placementResource, placementObject(name, spec));

const patch = (name: string, spec: PlacementSpec) =>
  cluster.client.patch(placementResource, { namespace, name }, { type: "merge", body: { spec } });

test("PL1 clusters come, go and are regrouped, and none disappears", async () => {
  const { client } = cluster;
  await create("web", inGroupsOf("100%"));
  await lists("web", "d1 c00001..c00100 (100) 0, d2 c00101..c00150 (50) 0");
  await client.create(managedClusterResource, clusterOf("c00000"));
  await lists("web", "d1 c00000..c00099 (100) 0, d2 c00100..c00150 (51) 0");
  await client.delete(managedClusterResource, { name: "c00000" });
  await lists("web", "d1 c00001..c00100 (100) 0, d2 c00101..c00150 (50) 0");
  await patch("web", inGroupsOf(50));
  await lists(
    "web",
    "d1 c00001..c00050 (50) 0, d2 c00051..c00100 (50) 1, d3 c00101..c00150 (50) 2",
  );
  await until("it rests", () => isAtRest("web"));
  await until("the watch shows it at rest", isSeenAtRest);
  expect(violations).toEqual([]);
  const columns = (await cluster.kubectl.output(["get", "placement", "web"])).split("\n");
  expect(columns[0]).toMatch(/NAME +SUCCEEDED +REASON +SELECTEDCLUSTERS/);
  expect(columns[1]).toMatch(/web +True +AllDecisionsScheduled +150/);
});

const halves = "d1 c00001..c00075 (75) 0, d2 c00076..c00150 (75) 1";
const whole = "d1 c00001..c00100 (100) 0, d2 c00101..c00150 (50) 0";

test("PL1 the operator crashes after every single write", async () => {
  await stopOperator();
  const transport = httpTransport(clusterAccess(loadKubeconfig([cluster.plane.kubeconfig], true)), {
    userAgent: "lockstep",
  });
  await patch("web", inGroupsOf("100%"));
  await startOperator(restClient(transport));
  await lists("web", whole);
  for (let position = 1; position <= 6; position++) {
    await stopOperator();
    const [size, want] =
      position % 2 === 1 ? (["50%", halves] as const) : (["100%", whole] as const);
    await patch("web", inGroupsOf(size));
    const crashing = crashAfter(transport, position);
    await startOperator(restClient(crashing));
    await until("it crashed or is through", async () => crashing.isDead || (await isAtRest("web")));
    void stopOperator();
    await startOperator(restClient(transport));
    await lists("web", want);
  }
  await until("it rests", () => isAtRest("web"));
  await until("the watch shows it at rest", isSeenAtRest);
  expect(violations).toEqual([]);
});

test("PL10 a Placement that is deleted without its decisions and created again loses nothing", async () => {
  const { client } = cluster;
  await client.delete(
    placementResource,
    { namespace, name: "web" },
    { propagationPolicy: "Orphan" },
  );
  await until(
    "it is gone",
    async () => (await client.list(placementResource, { namespace })).items.length === 0,
  );
  await create("web", inGroupsOf("100%"));
  await lists("web", whole);
  await until("it rests", () => isAtRest("web"));
  expect(violations).toEqual([]);
});

test("PL8 the same insert under All does lose a cluster, and the garbage collector takes decisions along", async () => {
  const { client } = cluster;
  await create("plain", {});
  await lists("plain", whole);
  await until("it rests", () => isAtRest("plain"));
  await client.create(managedClusterResource, clusterOf("c00000"));
  await lists("plain", "d1 c00000..c00099 (100) 0, d2 c00100..c00150 (51) 0");
  await lists("web", "d1 c00000..c00099 (100) 0, d2 c00100..c00150 (51) 0");
  expect(violations).toEqual(["plain lists c00100 no more, although selected"]);
  await client.delete(placementResource, { namespace, name: "plain" });
  await lists("plain", "");
});
