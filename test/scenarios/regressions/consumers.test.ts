/**
 * What an operator above ours reads to know how an update stands: whatever it reads, however late, belongs to one
 * revision, and nothing is called over that is not.
 */
import { expect, test } from "vitest";
import { labelKeys } from "../../../src/api/grove/labels.ts";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import type { PodClique } from "../../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../../src/api/grove/podcliqueset.ts";
import type { PodCliqueSet } from "../../../src/api/grove/podcliqueset.ts";
import type { PodCliqueScalingGroup } from "../../../src/api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../../src/api/grove/scaling-group.ts";
import { podResource } from "../../../src/api/pod.ts";
import type { Resource } from "../../../src/api/resource.ts";
import { seenLate } from "../../../src/simulation/faults.ts";
import { imagesOf, pairs } from "../../builders/pairs.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";
import { versionsOf } from "../../builders/versions.ts";
import { atLeastOne } from "../../builders/must.ts";

test("grove#591 every scale subresource has a selector, whoever brings the autoscaler", async () => {
  const scenario = await podCliqueSetScenario(pairs);
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  const selected = async (resource: Resource, name: string): Promise<string[]> => {
    const scale = await scenario.client.get(resource, { namespace, name }, "scale");
    const { selector = "" } = (scale["status"] ?? {}) as { selector?: string };
    expect(selector).not.toBe("");
    const { items } = await scenario.client.list(podResource, { labelSelector: selector });
    return items.map(({ metadata }) => metadata.name ?? "");
  };
  const group = ["chat-0-pair-0-lead-0", "chat-0-pair-0-work-0"];
  const groups = [...group, "chat-0-pair-1-lead-0", "chat-0-pair-1-work-0"];
  const fronts = ["chat-0-front-0", "chat-0-front-1"];
  expect(await selected(podCliqueResource, "chat-0-front")).toEqual(fronts);
  expect(await selected(scalingGroupResource, "chat-0-pair")).toEqual(groups);
  expect(await selected(podCliqueSetResource, "chat")).toEqual([...fronts, ...groups]);
});

interface Seen {
  readonly sets: readonly PodCliqueSet[];
  readonly groups: readonly PodCliqueScalingGroup[];
  readonly cliques: readonly PodClique[];
}

/** The generation hash that each generation of the set stands for, as statuses report it: never two for one. */
function hashByGeneration(sets: readonly PodCliqueSet[]): Map<number, Set<string>> {
  const hashes = new Map<number, Set<string>>();
  for (const { status } of sets) {
    const { observedGeneration, currentGenerationHash } = status ?? {};
    if (observedGeneration === undefined || currentGenerationHash === undefined) continue;
    const known = hashes.get(observedGeneration) ?? new Set<string>();
    hashes.set(observedGeneration, known.add(currentGenerationHash));
  }
  return hashes;
}

function expectOneRevisionPerAnswer({ sets, groups, cliques }: Seen): void {
  for (const hashes of atLeastOne(hashByGeneration(sets).values())) {
    expect([...hashes]).toHaveLength(1);
  }
  for (const set of atLeastOne(sets)) expectPlausible(set);
  for (const set of atLeastOne(sets.filter(hasEnded))) {
    expect(set.status?.updatedReplicas).toBe(set.status?.replicas);
  }
  for (const group of atLeastOne(groups.filter(hasEnded))) expectGroupUpdated(group);
  for (const clique of atLeastOne(cliques.filter(isUpToDate))) {
    const { labels } = clique.metadata;
    expect(clique.status?.updateProgress?.podTemplateHash).toBe(
      labels?.[labelKeys.podTemplateHash],
    );
  }
  for (const clique of atLeastOne(cliques.filter(hasEnded))) expectCliqueUpdated(clique);
}

interface Updating {
  readonly status?: { readonly updateProgress?: { readonly updateEndedAt?: string } };
}

const hasEnded = ({ status }: Updating): boolean =>
  status?.updateProgress?.updateEndedAt !== undefined;

/** It says something of an update, and of this generation. */
const isUpToDate = ({ status, metadata }: PodClique): boolean =>
  status?.updateProgress !== undefined && status.observedGeneration === metadata.generation;

function expectPlausible({ status = {}, metadata }: PodCliqueSet): void {
  const { updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status;
  expect(status.observedGeneration ?? 0).toBeLessThanOrEqual(metadata.generation ?? 0);
  expect(updatedReplicas).toBeLessThanOrEqual(availableReplicas);
  expect(availableReplicas).toBeLessThanOrEqual(replicas);
}

function expectGroupUpdated({ status }: PodCliqueScalingGroup): void {
  const { availableReplicas, updatedReplicas, replicas, updateProgress } = status ?? {};
  expect([availableReplicas, updatedReplicas]).toEqual([replicas, replicas]);
  expect(status?.currentPodCliqueSetGenerationHash).toBe(
    updateProgress?.podCliqueSetGenerationHash,
  );
}

function expectCliqueUpdated({ status }: PodClique): void {
  const { replicas, readyReplicas, updatedReplicas, updateProgress } = status ?? {};
  expect([readyReplicas, updatedReplicas]).toEqual([replicas, replicas]);
  expect(status?.currentPodTemplateHash).toBe(updateProgress?.podTemplateHash);
}

/** What is read at the end, of every object, with nothing left of an earlier revision. */
async function expectAllReported(scenario: PodCliqueSetScenario): Promise<void> {
  const { metadata, spec, status } = await scenario.set();
  const hash = status?.currentGenerationHash;
  const { replicas: wanted } = spec;
  expect(status).toMatchObject({
    observedGeneration: metadata.generation,
    replicas: wanted,
    availableReplicas: wanted,
    updatedReplicas: wanted,
    updateProgress: { updateEndedAt: expect.any(String) },
  });
  for (const each of atLeastOne(await scenario.groups())) {
    expect(each.status).toMatchObject({
      observedGeneration: each.metadata.generation,
      scheduledReplicas: 2,
      availableReplicas: 2,
      updatedReplicas: 2,
      currentPodCliqueSetGenerationHash: hash,
    });
  }
  for (const each of atLeastOne(await scenario.cliques())) {
    const { replicas } = each.spec;
    expect(each.status).toMatchObject({
      observedGeneration: each.metadata.generation,
      replicas,
      readyReplicas: replicas,
      updatedReplicas: replicas,
      scheduledReplicas: replicas,
      currentPodCliqueSetGenerationHash: hash,
    });
  }
  for (const each of atLeastOne([...(await scenario.groups()), ...(await scenario.cliques())])) {
    expect(reasonOf(each)).toMatch(/^Sufficient/);
  }
}

const reasonOf = ({ status }: PodClique | PodCliqueScalingGroup): string | undefined =>
  status?.conditions?.find(({ type }) => type === "MinAvailableBreached")?.reason;

async function runUpdate(scenario: PodCliqueSetScenario): Promise<void> {
  await scenario.settled();
  await scenario.clock.runFor(30_000);
  const seen = versionsOf(scenario.client);
  await scenario.setImages(imagesOf("v2"));
  await scenario.clock.runFor(4_000);
  await scenario.setImages(imagesOf("v3"));
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  expectOneRevisionPerAnswer(seen);
  await expectAllReported(scenario);
}

const scripts: readonly ScriptedScenario[] = [
  {
    name: "grove status of an update, read at every write, belongs to one revision",
    options: { ...pairs, replicas: 2 },
    run: runUpdate,
  },
];

runAll(scripts);

const noneDown = { maxUnavailable: 0, maxSurge: 1 };
const groupSurge = { ...pairs.groups.pair, updateStrategy: noneDown };

const surges: readonly {
  readonly whose: string;
  readonly options: PodCliqueSetOptions;
  /** What every version of each kind says. */
  readonly want: Readonly<Partial<Record<"sets" | "groups", number>>>;
}[] = [
  {
    whose: "a set",
    options: {
      ...pairs,
      replicas: 2,
      strategy: { type: "ReplicaRecreate", rollingUpdate: noneDown },
    },
    // Its groups are recreated with their replicas, and have nothing to say at first.
    want: { sets: 2 },
  },
  {
    whose: "a scaling group",
    options: { ...pairs, groups: { pair: groupSurge } },
    want: { sets: 1, groups: 2 },
  },
];

test.each(surges)(
  "PS20 the surge of $whose steps in: nobody reads of less than the budget allows",
  async ({ options, want }) => {
    const scenario = await podCliqueSetScenario(options);
    await scenario.settled();
    await scenario.clock.runFor(30_000);
    const seen = versionsOf(scenario.client);
    await scenario.setImages(imagesOf("slow-v2"));
    await scenario.settled();
    const reported = ["sets", "groups"] as const;
    for (const kind of atLeastOne(reported.filter((each) => want[each] !== undefined))) {
      const available = seen[kind].map(({ status }) => status?.availableReplicas);
      expect(new Set(available)).toEqual(new Set([want[kind]]));
    }
  },
);

test("PS20 what a scale-in has yet to remove does not count as serving", async () => {
  const scenario = await podCliqueSetScenario({ ...pairs, replicas: 3 });
  await scenario.settled();
  const { sets } = versionsOf(scenario.client);
  await scenario.client.delete(podCliqueResource, { namespace, name: "chat-0-front" });
  await scenario.client.patch(
    podCliqueSetResource,
    { namespace, name: "chat" },
    { type: "merge", body: { spec: { replicas: 2 } } },
  );
  await scenario.settled();
  const least = Math.min(...sets.map(({ status }) => status?.availableReplicas ?? 9));
  expect(least).toBe(1);
});

const late: Record<string, Resource> = {
  sets: podCliqueSetResource,
  groups: scalingGroupResource,
  cliques: podCliqueResource,
  pods: podResource,
};

test.each(Object.entries(late))(
  "grove status of an update belongs to one revision, also where the operator sees %s late",
  async (_name, resource) => {
    const faults = seenLate(resource, 3_000);
    const scenario = await podCliqueSetScenario({ ...pairs, faults });
    await runUpdate(scenario);
    expect(scenario.complaints()).toEqual([]);
  },
);
