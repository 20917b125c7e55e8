/** What a set's controller keeps between two looks must never differ from what a first look would find. */
import { expect, test } from "vitest";
import { podResource } from "../../src/api/pod.ts";
import { actOnReplica } from "../../src/controllers/grove/podcliqueset/act.ts";
import { KnownRemains } from "../../src/controllers/grove/podcliqueset/known-remains.ts";
import { observe } from "../../src/controllers/grove/podcliqueset/observe.ts";
import { plan } from "../../src/controllers/grove/podcliqueset/plan.ts";
import { SetMemory } from "../../src/controllers/grove/podcliqueset/set-memory.ts";
import {
  noticingWrites,
  SettledReplicas,
} from "../../src/controllers/grove/podcliqueset/settled-replicas.ts";
import { groveCaches } from "../../src/controllers/grove/caches.ts";
import { recordedCliques, revisionOf } from "../../src/controllers/grove/set-revisions.ts";
import { UnconfirmedDeletes } from "../../src/controllers/engine/unconfirmed-deletes.ts";
import type { Cache } from "../../src/runtime/cache.ts";
import type { Client } from "../../src/runtime/client.ts";
import type { PodCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { namespace } from "../builders/scenario.ts";

const key = { namespace, name: "chat" };

/** Accepts every write and performs none; reads are real. */
const idleClient = (client: Client): Client => ({
  ...client,
  create: (_, object) => Promise.resolve(object),
  update: (_, object) => Promise.resolve(object),
  patch: <T>() => Promise.resolve({ metadata: {} } as T),
  delete: () => Promise.resolve(),
});

/** Looks after every event, once with its memory and once without. */
function auditor({ client, clock }: PodCliqueSetScenario) {
  const caches = groveCaches({ client, clock });
  const memory = new SetMemory();
  const settled = new SettledReplicas();
  const seen = { looks: 0, skipped: 0, wrong: [] as string[] };
  const look = async (): Promise<void> => {
    const kept = observe(caches, memory, key, clock.now());
    const fresh = observe(caches, new SetMemory(), key, clock.now());
    if (kept === undefined || fresh === undefined) return;
    const target = revisionOf(recordedCliques(kept.set.spec.template.cliques), kept.revisions);
    if (target === undefined) return;
    const [planned, anew] = [plan(kept, target), plan(fresh, target)];
    expect(kept).toEqual(fresh);
    expect(planned).toEqual(anew);
    seen.looks++;
    for (const aimed of planned.aims) {
      const isSettled = settled.has(kept, planned, aimed);
      const { client: noticing, hasWritten } = noticingWrites(idleClient(client));
      const deletes = new UnconfirmedDeletes();
      const options = { client: noticing, deletes, remains: new KnownRemains(), owner: "chat" };
      const isDone = await actOnReplica(options, fresh, anew, aimed);
      if (isSettled) seen.skipped++;
      if (isSettled && hasWritten()) seen.wrong.push(`${aimed.aim} ${aimed.index}`);
      if (isDone && !hasWritten()) settled.add(kept, planned, aimed);
    }
  };
  let looks = Promise.resolve();
  for (const cache of Object.values(caches) as Cache[]) {
    cache.start();
    cache.onChange(() => {
      looks = looks.then(look);
    });
  }
  return { seen, done: () => looks };
}

type Step = (scenario: PodCliqueSetScenario, random: () => number) => Promise<unknown>;

const strategies = ["RollingRecreate", "ReplicaRecreate", "OnDelete"];
const pick = <T>(items: readonly T[], random: () => number): T =>
  items[Math.floor(random() * items.length)]!;

const steps: readonly Step[] = [
  (scenario, random) => scenario.setImages({ front: `front:v${pick([1, 2, 3], random)}` }),
  (scenario, random) => scenario.setImages({ work: `work:v${pick([1, 2, 3], random)}` }),
  (scenario, random) => scenario.scale(pick([1, 2, 3], random)),
  (scenario, random) => scenario.patchStrategy({ type: pick(strategies, random) }),
  (scenario, random) => scenario.patchStrategy({ paused: random() < 0.5 }),
  (scenario, random) =>
    scenario.patch({ metadata: { labels: { team: pick(["a", "b"], random) } } }),
  async ({ client, pods }, random) => {
    const all = await pods();
    if (all.length === 0) return;
    const { name = "" } = pick(all, random).metadata;
    await client.delete(podResource, { namespace, name });
  },
  async (scenario, random) => {
    const groups = await scenario.groups();
    const { name = "" } = groups[0]?.metadata ?? {};
    if (name !== "") await scenario.scaleGroup(name, pick([1, 2, 3], random));
  },
];

function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 0x80000000;
}

test.each([1, 2, 3])("memory and first look agree after every event, seed %i", async (seed) => {
  const random = seeded(seed);
  const scenario = await podCliqueSetScenario({
    replicas: 2,
    cliques: { front: { replicas: 2, minAvailable: 1 }, work: {} },
    groups: { pair: { cliques: ["work"], replicas: 2, minAvailable: 1 } },
  });
  const { seen, done } = auditor(scenario);
  for (let count = 0; count < 12; count++) {
    await scenario.clock.runFor(Math.ceil(random() * 4_000));
    await pick(steps, random)(scenario, random);
  }
  await scenario.patchStrategy({ paused: false });
  await scenario.clock.runFor(30_000);
  await done();
  expect(seen.wrong).toEqual([]);
  expect(seen.looks).toBeGreaterThan(100);
  expect(seen.skipped).toBeGreaterThan(100);
});
