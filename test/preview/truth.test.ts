/** A preview cannot lie: what it says is what happens when the same change is made for real, in every strategy. */
import { expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/pod.ts";
import { podResource } from "../../src/api/pod.ts";
import type { Resource } from "../../src/api/resource.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import type { Edits } from "../../src/preview/edit.ts";
import { edited } from "../../src/preview/edit.ts";
import { kindsAround, loadCluster } from "../../src/preview/load.ts";
import type { Plan } from "../../src/preview/plan.ts";
import { preview } from "../../src/preview/preview.ts";
import type { Client } from "../../src/runtime/client.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { defaultCatalogue } from "../../src/sim/images/catalogue.ts";
import type { PodCliqueSetScenarioOptions } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { namespace } from "../builders/scenario.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";

interface World {
  readonly client: Client;
  readonly clock: VirtualClock;
}

const noEdits: Edits = { images: [], fields: [] };

async function planned(
  { client, clock }: World,
  resource: Resource,
  { name, edits }: { readonly name: string; readonly edits: Partial<Edits> },
): Promise<Plan> {
  const workload = { resource, key: { namespace, name } };
  const around = kindsAround(kinds, workload);
  const loaded = await loadCluster(client, around, workload);
  const { plan } = await preview({
    ...loaded,
    kinds: around,
    installDefinitions,
    startMs: clock.now(),
    nodes: 8,
    catalogue: defaultCatalogue(),
    workload,
    change: (current) => edited(current as KubeObject, { ...noEdits, ...edits }),
    durations: "",
  });
  return plan;
}

/** Creations and deletions of pods as somebody who watches the cluster sees them, by second. */
function followPods({ client, clock }: World): () => readonly string[] {
  const startMs = clock.now();
  const known = new Set<string>();
  const left = new Set<string>();
  const seen: string[] = [];
  void client.watch<Pod>(podResource, { namespace, resourceVersion: "0" }, (event) => {
    if (event.type === "BOOKMARK" || event.type === "ERROR") return;
    const { uid = "", name, deletionTimestamp } = event.object.metadata;
    const at = Math.floor((clock.now() - startMs) / 1000);
    if (event.type === "ADDED" && !known.has(uid)) seen.push(`${at} create ${name}`);
    known.add(uid);
    const isLeaving = event.type === "DELETED" || deletionTimestamp !== undefined;
    if (isLeaving && !left.has(uid)) seen.push(`${at} delete ${name}`);
    if (isLeaving) left.add(uid);
  });
  return () => seen;
}

const podsIn = ({ steps }: Plan): string[] =>
  steps.flatMap(({ atSeconds, writes }) =>
    writes
      .filter(({ resource }) => resource === "pods")
      .map(({ verb, name }) => `${atSeconds} ${verb} ${name}`),
  );

/** The order inside one second aside. */
const inOrder = (lines: readonly string[]): readonly string[] =>
  lines.toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1));

/** Seconds may differ by one where two clocks were read at different moments within a second. */
const names = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/^\d+ /, ""));

const pairs = {
  replicas: 2,
  cliques: { front: { replicas: 3 }, lead: {}, work: {} },
  groups: { decode: { cliques: ["lead", "work"], replicas: 2 } },
} as const;
const surging = { maxUnavailable: 0, maxSurge: 1 };

const sets: Readonly<Record<string, PodCliqueSetScenarioOptions>> = {
  RollingRecreate: pairs,
  "RollingUpdate with surge": {
    ...pairs,
    cliques: { ...pairs.cliques, front: { replicas: 3, updateStrategy: surging } },
    groups: { decode: { ...pairs.groups.decode, updateStrategy: surging } },
  },
  ReplicaRecreate: { ...pairs, strategy: { type: "ReplicaRecreate" } },
  "ReplicaRecreate with surge": {
    ...pairs,
    strategy: { type: "ReplicaRecreate", rollingUpdate: surging },
  },
  OnDelete: { ...pairs, strategy: { type: "OnDelete" } },
  "a canary": {
    ...pairs,
    cliques: { ...pairs.cliques, front: { replicas: 3, updateStrategy: { partition: 2 } } },
  },
};

const verdicts: Readonly<Record<string, string>> = { OnDelete: "rests", "a canary": "rests" };

test.each(Object.entries(sets))("PS1 %s happens as it was planned", async (name, options) => {
  const scenario = await podCliqueSetScenario(options);
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  const edits = { images: ["app=chat:v2"] };
  const plan = await planned(scenario, podCliqueSetResource, { name: "chat", edits });
  expect(plan.verdict).toBe(verdicts[name] ?? "completes");
  const lowered = plan.components.filter((each) => each.lowestAvailable < each.promisedAvailable);
  expect(lowered).toEqual([]);
  const before = await scenario.pods();
  const seen = followPods(scenario);
  await scenario.clock.settle();
  const first = seen().length;
  expect(first).toBe(before.length);
  const startMs = scenario.clock.now();
  await scenario.client.update(
    podCliqueSetResource,
    edited(await scenario.set(), { ...noEdits, ...edits }),
  );
  await scenario.settled();
  const tookSeconds = (scenario.clock.now() - startMs) / 1000;
  await scenario.clock.runFor(60_000);
  expect(names(inOrder(podsIn(plan)))).toEqual(names(inOrder(seen().slice(first))));
  expect(plan.durationSeconds).toBeLessThanOrEqual(tookSeconds * 1.1 + 2);
});

test("PS10 a surge that does not fit is predicted, with the nodes of the cluster", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2, updateStrategy: surging } },
    nodes: 1,
    shape: { pods: 2 },
  });
  await scenario.settled();
  const edits = { images: ["app=chat:v2"] };
  const plan = await planned(scenario, podCliqueSetResource, { name: "chat", edits });
  expect(plan.verdict).toBe("stalls");
  expect(plan.warnings).toContainEqual({
    code: "SurgeDoesNotFit",
    message: expect.stringMatching(/not scheduled: .*Too many pods/) as string,
  });
  await scenario.client.update(
    podCliqueSetResource,
    edited(await scenario.set(), { ...noEdits, ...edits }),
  );
  await scenario.clock.runFor(2_000_000);
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "True" });
});

test("PS1 nothing would change, and that is said", async () => {
  const scenario = await podCliqueSetScenario({ cliques: { front: {} } });
  await scenario.settled();
  const plan = await planned(scenario, podCliqueSetResource, { name: "chat", edits: {} });
  expect(plan).toMatchObject({ verdict: "nothing", steps: [] });
  expect(plan.warnings.map(({ code }) => code)).toEqual(["NothingChanges"]);
});

test("ST1 a StatefulSet happens as it was planned", async () => {
  const scenario = await statefulSetScenario({ replicas: 4 });
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  const name = "web";
  const edits = { images: ["app=app:v2"] };
  const plan = await planned(scenario, statefulSetResource, { name, edits });
  expect(plan).toMatchObject({ verdict: "completes", components: [{ lowestAvailable: 3 }] });
  const seen = followPods(scenario);
  await scenario.clock.settle();
  const first = seen().length;
  const set = await scenario.client.get<KubeObject>(statefulSetResource, { namespace, name });
  await scenario.client.update(statefulSetResource, edited(set, { ...noEdits, ...edits }));
  await scenario.settled();
  expect(names(inOrder(podsIn(plan)))).toEqual(names(inOrder(seen().slice(first))));
});
