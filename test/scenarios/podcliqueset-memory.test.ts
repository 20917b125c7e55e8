import { expect, test } from "vitest";
import { podResource } from "../../src/api/pod.ts";
import { PerOwner } from "../../src/controllers/engine/per-owner.ts";
import type { WritePlan } from "../../src/controllers/engine/write.ts";
import { isEmptyPlan } from "../../src/controllers/engine/write.ts";
import { SharedCaches } from "../../src/controllers/engine/shared-caches.ts";
import type { GroveCaches } from "../../src/controllers/grove/caches.ts";
import { groveCacheDefinitions } from "../../src/controllers/grove/caches.ts";
import { assessSpec } from "../../src/controllers/grove/podcliqueset/accept.ts";
import type { Observed } from "../../src/controllers/grove/podcliqueset/observe.ts";
import { observe, SetMemory } from "../../src/controllers/grove/podcliqueset/observe.ts";
import type { Plan } from "../../src/controllers/grove/podcliqueset/plan.ts";
import { plan } from "../../src/controllers/grove/podcliqueset/plan.ts";
import { replicaWrites } from "../../src/controllers/grove/podcliqueset/replica-writes.ts";
import { recordedCliques, revisionOf } from "../../src/controllers/grove/set-revisions.ts";
import type { Cache } from "../../src/runtime/cache.ts";
import type { PodCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { namespace } from "../builders/scenario.ts";

const key = { namespace, name: "chat" };

/** Functions are equal when they would ask the same question: the writes around them are compared as they are. */
const asData = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, part: unknown) => part ?? null));

/** Plans after every event, once with its memory and once without. */
function auditor({ client, clock }: PodCliqueSetScenario) {
  const caches = new SharedCaches({ client, clock }).all<GroveCaches>(groveCacheDefinitions);
  const memory = new PerOwner(() => new SetMemory());
  const last = new Map<number, WritePlan>();
  const seen = { reconciles: 0, kept: 0, empty: 0 };
  const compare = (): void => {
    const at = { key, nowMs: clock.now() };
    const kept = observe(caches, memory, at);
    const fresh = observe(caches, new PerOwner(() => new SetMemory()), at);
    if (kept === undefined || fresh === undefined) return;
    const isRecorded =
      revisionOf(recordedCliques(kept.set.spec.template.cliques), kept.revisions) !== undefined;
    if (!isRecorded) return;
    expect(kept).toEqual(fresh);
    const [planned, anew] = [planOf(kept), planOf(fresh)];
    expect(asData(planned)).toEqual(asData(anew));
    seen.reconciles++;
    for (const each of planned.replicaPlans) {
      const writes = replicaWrites(kept, planned.target, each);
      if (last.get(each.index) === writes) seen.kept++;
      if (isEmptyPlan(writes)) seen.empty++;
      last.set(each.index, writes);
    }
  };
  for (const cache of Object.values(caches) as Cache[]) {
    cache.start();
    cache.onChange(compare);
  }
  return seen;
}

const planOf = (observed: Observed): Plan => plan(observed, assessSpec(observed));

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

test.each([1, 2, 3])(
  "memory and a first reconcile agree after every event, seed %i",
  async (seed) => {
    const random = seeded(seed);
    const scenario = await podCliqueSetScenario({
      replicas: 2,
      cliques: { front: { replicas: 2, minAvailable: 1 }, work: {} },
      groups: { pair: { cliques: ["work"], replicas: 2, minAvailable: 1 } },
    });
    const seen = auditor(scenario);
    for (let count = 0; count < 12; count++) {
      await scenario.clock.runFor(Math.ceil(random() * 4_000));
      await pick(steps, random)(scenario, random);
    }
    await scenario.patchStrategy({ paused: false });
    await scenario.clock.runFor(30_000);
    expect(seen.reconciles).toBeGreaterThan(100);
    expect(seen.kept).toBeGreaterThan(100);
    expect(seen.empty).toBeGreaterThan(100);
  },
);
