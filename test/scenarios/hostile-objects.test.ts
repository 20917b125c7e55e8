/** Objects that would take an operator down: absurd sizes, and objects that no schema should have let through. */
import { expect, test } from "vitest";
import type { StatefulSet, StatefulSetSpec } from "../../src/api/apps.ts";
import { labelKeys } from "../../src/api/grove/labels.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import type { PodClique } from "../../src/api/grove/podclique.ts";
import type { PodGang } from "../../src/api/grove/podgang.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { isTerminating } from "../../src/api/object.ts";
import { podResource } from "../../src/api/pod.ts";
import { mostParts } from "../../src/api/size-limit.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import { eventResource } from "../../src/runtime/event-recorder.ts";
import { cliOf } from "../builders/cli.ts";
import { podCliqueOf, podCliqueScenario } from "../builders/pod-clique-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { namespace } from "../builders/scenario.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const huge = 2_147_483_647;
const parallel = { podManagementPolicy: "Parallel" } as const;
const claims = (count: number): StatefulSetSpec["volumeClaimTemplates"] =>
  Array.from({ length: count }, (_, index) => ({
    metadata: { name: `data-${index}` },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }));

interface Event extends KubeObject {
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly name?: string };
}

type World = Pick<Awaited<ReturnType<typeof statefulSetScenario>>, "client">;

const warnings = async ({ client }: World, reason: string): Promise<string[]> =>
  (await client.list<Event>(eventResource, { namespace })).items
    .filter((event) => event.reason === reason)
    .map(({ involvedObject, message }) => `${involvedObject?.name}: ${message}`);

const refused: Record<string, [Partial<StatefulSetSpec>, RegExp]> = {
  "as many replicas as a number can say": [
    { replicas: huge },
    /^spec.replicas asks for 2147483647 pods, at most 20000 are possible: nothing is created/,
  ],
  "the same, all at once": [{ replicas: huge, ...parallel }, /^spec.replicas asks for/],
  "the same by hand": [
    { replicas: huge, updateStrategy: { type: "OnDelete" } },
    /^spec.replicas asks for/,
  ],
  "one too many": [{ replicas: mostParts + 1 }, /^spec.replicas asks for 20001 pods/],
  "claims without end": [
    { replicas: 1_000, volumeClaimTemplates: claims(21) },
    /^spec.volumeClaimTemplates asks for 21000 claims/,
  ],
  "ordinals that no name can carry": [
    { ordinals: { start: huge } },
    /^spec.ordinals.start 2147483647 gives pods ordinals above 2147483647/,
  ],
};

test.each(Object.entries(refused))(
  "OP8 a StatefulSet with %s is refused, and no other suffers",
  async (_name, [spec, message]) => {
    const world = await statefulSetScenario({ replicas: 2 });
    await world.createSet({ name: "huge", spec });
    await world.settled();
    const key = { namespace, name: "huge" };
    const { metadata, status } = await world.client.get<StatefulSet>(statefulSetResource, key);
    const stalled = status?.conditions?.find(({ type }) => type === "Stalled");
    expect(stalled).toMatchObject({ status: "True", reason: "TooLarge" });
    expect(stalled?.message).toMatch(message);
    expect(status?.observedGeneration).toBe(metadata.generation);
    expect(await warnings(world, "Stalled")).toEqual([`huge: ${stalled?.message}`]);
    expect(await world.pods()).toHaveLength(2);
    // It may also be deleted as it is.
    await world.client.delete(statefulSetResource, key, { propagationPolicy: "Foreground" });
    await world.clock.runFor(30_000);
    expect(await world.pods()).toHaveLength(2);
  },
);

test("OP8 a set that is scaled to an absurd size keeps its pods, and goes on when that is corrected", async () => {
  const world = await statefulSetScenario({ replicas: 2, spec: parallel });
  await world.settled();
  await world.patch({ spec: { replicas: huge } });
  await world.setImage("web:v2");
  await world.clock.runFor(600_000);
  expect((await world.condition("Stalled"))?.reason).toBe("TooLarge");
  expect((await world.pods()).map(({ metadata }) => metadata.name)).toEqual(["web-0", "web-1"]);
  await world.patch({ spec: { replicas: 3 } });
  await world.settled();
  expect((await world.condition("Stalled"))?.status).toBe("False");
  expect(await world.pods()).toHaveLength(3);
});

test("OP8 in assist mode a set of an absurd size is refused, and left alone where nobody asked", async () => {
  const onDelete = { updateStrategy: { type: "OnDelete" }, replicas: huge } as const;
  const annotations = { "lockstep.dev/max-unavailable": "50%" };
  const world = await statefulSetScenario({ mode: "assist", annotations, spec: onDelete });
  await world.createSet({ name: "quiet", spec: onDelete });
  const { metadata } = await world.set();
  const body = { status: { observedGeneration: metadata.generation, updateRevision: "web-1" } };
  const patch = { type: "merge", body } as const;
  const key = { namespace, name: "web" };
  await world.client.patch(statefulSetResource, key, patch, { subresource: "status" });
  await world.clock.runFor(30_000);
  expect((await world.condition("Stalled"))?.reason).toBe("TooLarge");
  expect(await warnings(world, "Stalled")).toHaveLength(1);
});

test.each([
  ["partition", { rollingUpdate: { partition: huge } }],
  ["percentage", { rollingUpdate: { maxUnavailable: "100%", partition: 0 } }],
])("OP8 a huge %s costs nothing", async (_name, rollingUpdate) => {
  const updateStrategy = { type: "RollingUpdate", ...rollingUpdate } as const;
  const world = await statefulSetScenario({ replicas: 3, spec: { updateStrategy } });
  await world.settled();
  await world.setImage("web:v2");
  await world.settled();
  expect(await world.pods()).toHaveLength(3);
});

test("OP8 two thousand containers in a pod are rolled like one", async () => {
  const world = await statefulSetScenario({ replicas: 2, spec: parallel });
  await world.settled();
  const containers = Array.from({ length: 2_000 }, (_, index) => ({
    name: `c${index}`,
    image: "web:v2",
  }));
  await world.patch({ spec: { template: { spec: { containers } } } });
  await world.settled();
  const sizes = (await world.pods()).map(({ spec }) => spec.containers.length);
  expect(sizes).toEqual([2_000, 2_000]);
});

test("OP8 a reconcile begins a thousand creates, claims counted, and the next one goes on", async () => {
  const spec = { ...parallel, volumeClaimTemplates: claims(3) };
  const world = await statefulSetScenario({ replicas: 600, nodes: 10, spec });
  await world.until(async () => (await world.pods()).length === 600);
  expect(world.writes["create persistentvolumeclaims"]).toBe(1_800);
  expect(world.reconciles["StatefulSet default/web"]).toBeGreaterThan(2);
});

test("OP8 a PodClique of an absurd size is refused, and its gang lists nothing for it", async () => {
  const world = await podCliqueScenario({
    cliques: [
      { spec: { replicas: huge } },
      { name: "chat-0-other", gang: "chat-1", spec: { replicas: 1 } },
    ],
    gangs: { "chat-0": { "chat-0-web": 1 }, "chat-1": { "chat-0-other": 1 } },
  });
  await world.clock.runFor(60_000);
  const key = { namespace, name: "chat-0-web" };
  const { status } = await world.client.get<PodClique>(podCliqueResource, key);
  const stalled = status?.conditions?.find(({ type }) => type === "Stalled");
  expect(stalled).toMatchObject({ status: "True", reason: "TooLarge" });
  expect(await warnings(world, "Stalled")).toEqual([`chat-0-web: ${stalled?.message}`]);
  expect(world.timeline.pods().map(({ spec }) => spec.hostname)).toEqual(["chat-0-other-0"]);
  const gang = await world.client.get<PodGang>(podGangResource, { namespace, name: "chat-0" });
  expect(gang.spec.podgroups.map(({ podReferences }) => podReferences)).toEqual([[]]);
});

test.each([
  ["its replicas", { replicas: huge, cliques: { web: {} } }],
  ["its cliques", { cliques: { web: { replicas: huge, minAvailable: 1 } } }],
  [
    "its groups",
    {
      cliques: { web: {} },
      groups: { all: { cliques: ["web"], replicas: huge, minAvailable: 1 } },
    },
  ],
  ["all of them", { replicas: 150, cliques: { web: { replicas: 150 } } }],
])("OP8 a PodCliqueSet of an absurd size by %s is rejected", async (_name, options) => {
  const world = await podCliqueSetScenario(options);
  await world.clock.runFor(60_000);
  const stalled = await world.condition("Stalled");
  expect(stalled?.status).toBe("True");
  expect(stalled?.message).toMatch(/the set asks for \d+ cliques and pods, at most 20000/);
  expect(await world.pods()).toEqual([]);
});

test("OP8 components that are scaled to an absurd size are refused, and come back when corrected", async () => {
  const world = await podCliqueSetScenario({
    cliques: { front: { replicas: 1 }, web: { replicas: 1 } },
    groups: { all: { cliques: ["web"], replicas: 1, minAvailable: 1 } },
  });
  await world.settled();
  await world.scaleGroup("chat-0-all", huge);
  await world.scaleClique("chat-0-front", huge);
  await world.clock.runFor(60_000);
  expect((await world.condition("Stalled"))?.message).toMatch(/^spec.replicas of PodClique/);
  expect(await world.pods()).toHaveLength(2);
  await world.scaleGroup("chat-0-all", 1);
  await world.scaleClique("chat-0-front", 2);
  await world.settled();
  await world.clock.runFor(10_000);
  expect((await world.condition("Stalled"))?.status).toBe("False");
  expect(await world.pods()).toHaveLength(3);
});

/** What is left of a clique once its definition was loosened: the server would have refused it before. */
test("OP2 a clique without a spec harms no other set", async () => {
  const world = await podCliqueSetScenario({
    cliques: { web: { replicas: 1 } },
    expected: [/podcliques default\/poison cannot be processed/, /reading 'startsAfter'/],
    faults: (transport) => ({
      request: (request) => transport.request(request),
      stream: (request, onEvent) =>
        transport.stream(request, (event) => {
          const isPoison = event.object.metadata["name"] === "poison";
          if (!isPoison || event.type === "ERROR") return onEvent(event);
          return onEvent({ ...event, object: { ...event.object, spec: null } });
        }),
    }),
  });
  // Part of another set, which need not even exist.
  const labels = { [labelKeys.partOf]: "other" };
  await world.client.create(podCliqueResource, podCliqueOf({ name: "poison", labels }));
  await world.settled();
  await world.setImages({ web: "web:v2" });
  await world.settled();
  expect(world.livePods().map(({ hostname }) => hostname)).toEqual(["chat-0-web-0"]);
});

test("OP2 a pod that a finalizer never lets go is named, holds up its own set only, and is waited for", async () => {
  const world = await podCliqueSetScenario({ cliques: { web: { replicas: 2 } } });
  await world.settled();
  const hold = async (finalizers: readonly string[] | null) => {
    for (const { metadata } of (await world.client.list(podResource, { namespace })).items) {
      const { name = "" } = metadata;
      const patch = { type: "merge", body: { metadata: { finalizers } } } as const;
      await world.client.patch(podResource, { namespace, name }, patch);
    }
  };
  await hold(["test.dev/never"]);
  await world.setImages({ web: "web:v2" });
  await world.clock.runFor(900_000);
  const stuck = (await world.client.list(podResource, { namespace })).items.filter(isTerminating);
  expect(stuck).toHaveLength(1);
  const { name } = stuck[0]?.metadata ?? {};
  const [clique] = await world.cliques();
  const progressing = clique?.status?.conditions?.find(({ type }) => type === "Progressing");
  expect(progressing?.message).toMatch(`waiting for ${name} (old) to terminate`);
  const { text } = await cliOf(world).lockstep("why pcs/chat");
  expect(text).toContain(`${name} (terminating for 15m`);
  expect(text).toMatch(/held by test\.dev\/never/);
  expect(text).toMatch(/freed by +its processes ending, and the removal of its finalizers/);
  await hold(null);
  await world.settled();
  expect(world.livePods()).toHaveLength(2);
});
